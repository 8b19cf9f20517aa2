/**
 * Fills requests in order: each holds at most so many items and bytes. An item that is larger than a request gets one of its own, which the
 * server may then refuse.
 */
export function pack<Item>(
  items: readonly Item[],
  limits: { maxItems: number; maxBytes: number; bytesOf: (item: Item) => number },
): Item[][] {
  const requests: Item[][] = [];
  let current: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = limits.bytesOf(item);
    if (
      current.length > 0 &&
      (current.length >= limits.maxItems || bytes + size > limits.maxBytes)
    ) {
      requests.push(current);
      current = [];
      bytes = 0;
    }
    current.push(item);
    bytes += size;
  }
  if (current.length > 0) requests.push(current);
  return requests;
}

/** Bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
