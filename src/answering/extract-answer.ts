/**
 * The answer without a model: one quotation from the passage that answers best, verbatim, with its
 * citation, if its calibrated confidence earns it.
 */
import type { Reader } from "../reader/reader.js";
import type { Evidence } from "../state/evidence.js";
import cutoffs from "./answer-cutoffs.json" with { type: "json" };
import { markSentence } from "./citations.js";
import type { ContextWindow } from "./context-window.js";
import { asQuotation, looksLikeAnOrder } from "./plain-text.js";
import { quotationOf, type Quotation } from "./quotation.js";
import { readPassages, type Read } from "./readable-units.js";

/** Characters of a quotation that can still be read as an answer. */
const MAX_CHARACTERS = 1_500;

/**
 * Returns the quotation with its `[n]`; an empty text if nothing may be asserted.
 * @param read the evidence as it was read already, to cut strips
 * @param leastConfidence below which nothing is asserted; the fitted one by default
 */
export async function extractAnswer({
  question,
  window,
  evidence,
  reader,
  read,
  leastConfidence = cutoffs.answer,
  signal,
}: {
  question: string;
  window: Pick<ContextWindow, "sources">;
  evidence: readonly Evidence[];
  reader: Reader;
  read?: Read;
  leastConfidence?: number;
  signal?: AbortSignal;
}): Promise<string> {
  const { readings, order, confidence } =
    read ?? (await readPassages({ question, items: evidence, reader, signal }));
  if (confidence < leastConfidence) return "";
  const first = evidence.find(({ id }) => id === order[0]?.id);
  const source = window.sources.find(({ evidenceId }) => evidenceId === first?.id);
  const units = readings.get(first?.id ?? "") ?? [];
  const [best] = units.toSorted((a, b) => b.value - a.value);
  if (first === undefined || source === undefined || best === undefined) return "";
  const quotation = quotationOf(best, units, first.title);
  return quotation.text.length > MAX_CHARACTERS ? "" : cited(quotation, source.marker);
}

function cited({ text, kind }: Quotation, marker: number): string {
  // A code block is visibly a quotation.
  if (kind === "code") return `${text}\n\n[${marker}]`;
  return looksLikeAnOrder(text) ? `${asQuotation(text)} [${marker}]` : markSentence(text, [marker]);
}
