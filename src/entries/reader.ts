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
  PassageReading,
  PassageRelevance,
  ReadablePassage,
  Reader,
  SetRelevance,
  UnitPassage,
} from "../reader/reader.js";
