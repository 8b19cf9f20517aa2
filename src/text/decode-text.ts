/** Decodes bytes as text in any of the usual encodings. */
import { CorrectiveRagError } from "../support/errors.js";

export class NotTextError extends CorrectiveRagError {
  override readonly name = "NotTextError";
  /** @param encoding of text that cannot be decoded; none for binary data */
  constructor(readonly encoding?: string) {
    const what =
      encoding === undefined
        ? "it is not text (binary data)"
        : `it is in ${encoding}: convert it to UTF-8`;
    super(what, { code: "not_text" });
  }
}

/** Inspected to distinguish text from binary data. */
const SNIFFED_BYTES = 8192;

/**
 * Tries the byte order mark, UTF-8, the encoding that the document declares, and Windows-1252, in
 * this order. Line breaks become `\n`.
 * @throws NotTextError for binary data and for text in an unknown encoding
 */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  return decode(bytes, declared).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
}

function decode(bytes: Uint8Array, declared: string | undefined): string {
  const beginning = bytes.subarray(0, SNIFFED_BYTES);
  const mark = Buffer.from(bytes.subarray(0, 4)).toString("hex");
  if (mark === "fffe0000") throw new NotTextError("UTF-32");
  if (mark.startsWith("fffe")) return new TextDecoder("utf-16le").decode(bytes);
  if (mark.startsWith("feff")) return new TextDecoder("utf-16be").decode(bytes);
  if (beginning.includes(0)) throw new NotTextError();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const controls = beginning.filter((byte) => byte < 9 || (byte > 13 && byte < 27)).length;
    if (controls > beginning.length * 0.01) throw new NotTextError();
    return inLabel(bytes, declared) ?? western(bytes);
  }
}

/** Returns the encoding that a header or a page declares: `charset=…`, or XML's `encoding="…"`. */
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

/** In bytes. */
const SAMPLE = 32_768;
/** Western texts have single letters beyond ASCII, other scripts whole words of them. */
const WESTERN_BELOW = 0.3;

/** Reads Windows-1252, the only encoding older than Unicode that need not be declared. */
function western(bytes: Uint8Array): string {
  const isBeyond = (at: number): boolean => (bytes[at] ?? 0) > 0x7f;
  let beyond = 0;
  let adjacent = 0;
  for (let at = 0; at < Math.min(bytes.length, SAMPLE); at++) {
    if (!isBeyond(at)) continue;
    beyond++;
    if (isBeyond(at - 1) || isBeyond(at + 1)) adjacent++;
  }
  if (adjacent >= WESTERN_BELOW * beyond) throw new NotTextError("an unknown encoding");
  return new TextDecoder("windows-1252").decode(bytes);
}
