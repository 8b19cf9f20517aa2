import type { Reader } from "./reader.js";
import { createSignalReader } from "./signal-reader.js";
import { SHIPPED_WEIGHTS, type ReaderWeights } from "./weights.js";

export interface ReaderOptions {
  /** `trained` (default), `lexical`, or the folder of an encoder of one's own. */
  readonly model?: string;
  /** What `calibrate` fitted; what is shipped by default. */
  readonly weights?: ReaderWeights;
  /** Told, once, what the user should know: that the encoder does not run. */
  readonly notice?: (message: string) => void;
}

/**
 * Creates a reader. Nothing is loaded before it is asked.
 * @example
 * const reader = createReader({ model: "lexical" });
 * await reader.relevance({ question: "Who wrote Emma?", passages: [{ title: "Emma", text: "…" }] });
 */
export function createReader({ weights = SHIPPED_WEIGHTS, notice }: ReaderOptions = {}): Reader {
  return createSignalReader({ name: "lexical", weights, notice });
}
