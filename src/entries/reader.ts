/**
 * The reader: relevance, support, vectors.
 *
 * @packageDocumentation
 */
export { createReader } from "../reader/create-reader.js";
export type { ReaderOptions } from "../reader/create-reader.js";
export { passageText } from "../reader/reader.js";
export type {
  ClaimSupport,
  PassageRelevance,
  ReadablePassage,
  Reader,
  SetRelevance,
} from "../reader/reader.js";
