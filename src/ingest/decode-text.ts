import { decodeText as decode, NotTextError } from "../text/decode-text.js";
import { LoadError } from "./document.js";

/**
 * A file's bytes as text; see {@link decode}.
 * @throws LoadError for data that is not text, and for text in an encoding that cannot be told
 */
export function decodeText(
  bytes: Uint8Array,
  options: { declared?: string | undefined } = {},
): string {
  try {
    return decode(bytes, options);
  } catch (error) {
    if (error instanceof NotTextError) throw new LoadError(error.message);
    throw error;
  }
}
