import { headedTitle, type Evidence } from "../../state/evidence.js";
import { analyse } from "../../text/analyse.js";
import { searchTerms, vocabularyOf } from "../../text/search-terms.js";

/** Words named at most, of each kind. */
const MAX_WORDS = 8;

/** What of the question the evidence speaks of and what it does not, in the question's own words; pure. */
export function explainCoverage({
  question,
  evidence,
  score,
}: {
  question: string;
  evidence: readonly Pick<Evidence, "title" | "text" | "source">[];
  score: number;
}): {
  reasoning: string;
  /** The question's words that stand in no passage, in order. */
  missing: string[];
} {
  if (evidence.length === 0) return { reasoning: "Nothing was found.", missing: [] };
  const vocabularies = evidence.map((item) => vocabularyOf(`${headedTitle(item)}\n${item.text}`));
  const isPresent = (term: string): boolean => vocabularies.some((terms) => terms.has(term));
  const words = new Map(
    analyse(question).flatMap((token) => (token.stop ? [] : [[token.term, token.text] as const])),
  );
  const covered: string[] = [];
  const missing: string[] = [];
  for (const [term, word] of words)
    (isPresent(term) || searchTerms(word).some(isPresent) ? covered : missing).push(word);
  const count = evidence.length === 1 ? "One passage" : `${evidence.length} passages`;
  const parts = [
    ...(covered.length > 0 ? [`speak${evidence.length === 1 ? "s" : ""} of ${list(covered)}`] : []),
    ...(missing.length > 0
      ? [
          `${covered.length > 0 ? "but " : ""}${evidence.length === 1 ? "does" : "do"} not mention ${list(missing)}`,
        ]
      : []),
  ];
  const finding = parts.length === 0 ? `${count} found.` : `${count} ${parts.join(", ")}.`;
  return {
    reasoning: `${finding} That they answer the question has a probability of ${score.toFixed(2)}.`,
    missing: missing.slice(0, MAX_WORDS),
  };
}

function list(words: readonly string[]): string {
  const quoted = words.slice(0, MAX_WORDS).map((word) => `"${word}"`);
  return words.length > MAX_WORDS ? `${quoted.join(", ")} and more` : quoted.join(", ");
}
