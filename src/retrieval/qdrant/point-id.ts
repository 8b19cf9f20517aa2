import { createHash } from "node:crypto";

/** Namespace of our ids; a random UUID, fixed for ever, since every stored id depends on it. */
const NAMESPACE = Buffer.from("6f1c8d0e9a5b4c3f8e2d7b1a40c96e55", "hex");

/**
 * UUID version 5 (RFC 9562, 5.5) of these parts: the same content has the same id on every machine. Qdrant takes UUIDs and integers only.
 */
export function pointId(...parts: readonly string[]): string {
  const digest = createHash("sha1")
    .update(NAMESPACE)
    .update(JSON.stringify(parts))
    .digest()
    .subarray(0, 16);
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}
