import { legacyEncoding } from "./legacy-encoding.js";

/** How much of a file is looked at to tell text from other data. */
const SNIFFED_BYTES = 8192;

/** Why bytes could not be read as text. */
export class NotTextError extends Error {
  override readonly name: string = "NotTextError";
}

/**
 * Bytes as text: by byte order mark, else UTF-8, else what the document `declares`, else the encoding that its letters tell. Line breaks become
 * `\n`.
 * @throws NotTextError for data that is not text, and for text in an encoding that cannot be told
 */
export function decodeText(
  bytes: Uint8Array,
  { declared }: { declared?: string | undefined } = {},
): string {
  return decode(bytes, declared).replace(/\r\n?/g, "\n");
}

function decode(bytes: Uint8Array, declared: string | undefined): string {
  const beginning = bytes.subarray(0, SNIFFED_BYTES);
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe && third === 0 && fourth === 0) throw unknown("UTF-32");
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (beginning.includes(0)) {
    const wide = wideEncoding(beginning);
    if (wide === undefined) throw new NotTextError("it is not text (binary data)");
    return new TextDecoder(wide).decode(bytes);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const controls = beginning.reduce(
      (count, byte) => count + (byte < 9 || (byte > 13 && byte < 27) ? 1 : 0),
      0,
    );
    if (controls > beginning.length * 0.01) throw new NotTextError("it is not text (binary data)");
    return inLabel(bytes, declared) ?? inLabel(bytes, legacyEncoding(bytes)) ?? refuse();
  }
}

/** UTF-16 without a byte order mark: in texts with spaces and digits every other byte of many characters is 0. */
function wideEncoding(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const zeros = [0, 0];
  bytes.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const half = bytes.length / 2;
  const label =
    odd > half * 0.3 && even === 0
      ? "utf-16le"
      : even > half * 0.3 && odd === 0
        ? "utf-16be"
        : undefined;
  if (label === undefined) return undefined;
  return /(?![\t\n\r\f])\p{Cc}|\ufffd/u.test(new TextDecoder(label).decode(bytes))
    ? undefined
    : label;
}

function inLabel(bytes: Uint8Array, label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Text, but in an encoding that cannot be told or is not read. */
export class UnknownEncodingError extends NotTextError {}

function refuse(): never {
  throw unknown("an encoding that cannot be told");
}

function unknown(encoding: string): NotTextError {
  return new UnknownEncodingError(`it is in ${encoding}: convert it to UTF-8`);
}
