/** A body that is longer than the limit; what came after the limit was not read. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
  constructor(readonly maxBytes: number) {
    super(`the answer is longer than ${Math.round(maxBytes / 1024)} KB`);
  }
}

/**
 * Reads a body up to a limit, counted after decompression. Leaving the loop closes the stream, so
 * that the rest is neither buffered nor downloaded.
 * @throws BodyTooLargeError
 */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new BodyTooLargeError(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
