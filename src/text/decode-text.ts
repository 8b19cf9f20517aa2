/** Bytes as text, whatever encoding they are in. */

/** Why bytes could not be read as text. */
export class NotTextError extends Error {
  override readonly name: string = "NotTextError";
}

/** Text, but in an encoding that cannot be told or is not read. */
export class UnknownEncodingError extends NotTextError {
  constructor(encoding: string) {
    super(`it is in ${encoding}: convert it to UTF-8`);
  }
}

/** How much of a file is looked at to tell text from other data. */
const SNIFFED_BYTES = 8192;

/**
 * Decodes by byte order mark, else as UTF-8, else as the document `declares`, else as Western text.
 * Line breaks become `\n`.
 * @throws NotTextError for data that is not text, and for text in an encoding that cannot be told
 */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  return decode(bytes, declared).replace(/\r\n?/g, "\n");
}

function decode(bytes: Uint8Array, declared: string | undefined): string {
  const beginning = bytes.subarray(0, SNIFFED_BYTES);
  const mark = Buffer.from(bytes.subarray(0, 4)).toString("hex");
  if (mark === "fffe0000") throw new UnknownEncodingError("UTF-32");
  if (mark.startsWith("fffe")) return new TextDecoder("utf-16le").decode(bytes);
  if (mark.startsWith("feff")) return new TextDecoder("utf-16be").decode(bytes);
  if (beginning.includes(0)) throw new NotTextError("it is not text (binary data)");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const controls = beginning.filter((byte) => byte < 9 || (byte > 13 && byte < 27)).length;
    if (controls > beginning.length * 0.01) throw new NotTextError("it is not text (binary data)");
    return inLabel(bytes, declared) ?? western(bytes);
  }
}

/** Returns what a header or a page declares: `charset=…`, or XML's `encoding="…"`. */
export function declaredCharset(declaration: string | Uint8Array): string | undefined {
  const start =
    typeof declaration === "string"
      ? declaration
      : Buffer.from(declaration.subarray(0, 1024)).toString("latin1");
  return /(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(start)?.[1];
}

function inLabel(bytes: Uint8Array, label: string | undefined): string | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label).decode(bytes);
  } catch {
    return undefined;
  }
}

/** How many bytes are looked at. */
const SAMPLE = 32_768;
/** In Western texts letters beyond ASCII stand alone; in other scripts words are made of them. */
const WESTERN_BELOW = 0.3;

/** Windows-1252, the one encoding older than Unicode that is taken without being declared. */
function western(bytes: Uint8Array): string {
  const isBeyond = (at: number): boolean => (bytes[at] ?? 0) > 0x7f;
  let beyond = 0;
  let besides = 0;
  for (let at = 0; at < Math.min(bytes.length, SAMPLE); at++) {
    if (!isBeyond(at)) continue;
    beyond++;
    if (isBeyond(at - 1) || isBeyond(at + 1)) besides++;
  }
  if (besides >= WESTERN_BELOW * beyond)
    throw new UnknownEncodingError("an encoding that cannot be told");
  return new TextDecoder("windows-1252").decode(bytes);
}
