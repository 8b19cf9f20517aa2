import { coverageOf, readText, weighTerms } from "../src/reader/signals.js";

/**
 * The baseline that a reader has to beat: the share of the question's terms that stand in the text,
 * weighed by rarity, 0–1.
 */
export function plainCoverage(question: string, text: string): number {
  const { terms } = readText(text);
  return coverageOf(weighTerms(question), (term) => terms.has(term));
}
