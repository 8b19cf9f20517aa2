import { LoadError } from "./document.js";

/** How much of a file is looked at to tell text from other data. */
const SNIFFED_BYTES = 8192;

/**
 * Bytes as text: UTF-8 or UTF-16 by byte-order mark, else UTF-8, else Windows-1252. Line breaks become `\n`.
 * @throws LoadError for data that is not text
 */
export function decodeText(bytes: Uint8Array): string {
  return decode(bytes).replace(/\r\n?/g, "\n");
}

function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const beginning = bytes.subarray(0, SNIFFED_BYTES);
  if (beginning.includes(0)) throw new LoadError("it is not text (binary data)");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const controls = beginning.reduce((count, byte) => count + (byte < 9 || (byte > 13 && byte < 27) ? 1 : 0), 0);
    if (controls > beginning.length * 0.01) throw new LoadError("it is not text (binary data)");
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
