import { analyse, contentTerms } from "../../text/analyse.js";
import { idf } from "../../text/background.js";

/**
 * The share of the question's content terms that stand in the text, each weighed by its background rarity, 0–1: the plain baseline that
 * the judge has to beat. A question of function words only is covered by their share; an empty one is covered by nothing.
 */
export function coverage(question: string, text: string): number {
  let wanted = new Set(contentTerms(question));
  const wholeText = analyse(text);
  const found = new Set(wholeText.map((token) => token.term));
  if (wanted.size === 0) wanted = new Set(analyse(question).map((token) => token.term));
  let total = 0;
  let covered = 0;
  for (const term of wanted) {
    const weight = idf(term);
    total += weight;
    if (found.has(term)) covered += weight;
  }
  return total === 0 ? 0 : covered / total;
}
