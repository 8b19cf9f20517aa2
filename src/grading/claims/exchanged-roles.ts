/** "Chelsea beat Arsenal" for "Arsenal beat Chelsea": the same names round the same words, each in the other's place. */
import { analyse, contentTerms } from "../../text/analyse.js";
import { distinctiveTerms } from "./distinctive-terms.js";

interface Named {
  text: string;
  start: number;
  end: number;
}

const PASSIVE = /\b(?:is|are|was|were|be|been|being|got)\b.*\bby\b/iu;
/** Where these stand between two names, both have the same part in it, or the words go round a list. */
const BOTH_WAYS =
  /\b(?:and|or|with|versus|vs|against|between|met|meets?|marr(?:y|ied|ies)|borders?|bordered|equals?|resembles?|joins?|joined|near|like|unlike|than|both|each|while|whereas|but|which|who|where)\b|[;:]/iu;

/**
 * The two names of the claim whose parts are exchanged in a sentence that has both, the words between them included; undefined when it
 * has none. A passive turns the order round, so only what stands in the other order in the same voice, or in the same order in the other
 * voice, is exchanged.
 */
export function exchangedRoles(
  claim: { text: string; names: readonly Named[] },
  sentence: string,
): [string, string] | undefined {
  const tokens = analyse(sentence);
  const nameTerms = new Set(claim.names.flatMap((name) => contentTerms(name.text)));
  for (const [index, first] of claim.names.entries()) {
    const second = claim.names[index + 1];
    if (second === undefined) continue;
    const [one, two] = [distinctiveTerms(first.text), distinctiveTerms(second.text)];
    if (one.some((term) => two.includes(term))) continue;
    const said = claim.text.slice(first.end, second.start);
    const [placeOne, placeTwo] = [one, two].map((terms) =>
      tokens.filter(({ term, stop }) => !stop && terms.includes(term)),
    );
    const [here, there] = [placeOne?.[0], placeTwo?.[0]];
    // A name that comes twice has more than one part.
    if (
      here === undefined ||
      there === undefined ||
      placeOne?.length !== one.length ||
      placeTwo?.length !== two.length
    )
      continue;
    const [left, right] =
      here.start < there.start ? [placeOne.at(-1), there] : [placeTwo.at(-1), here];
    const written = sentence.slice(left?.end ?? 0, right.start);
    if (BOTH_WAYS.test(said) || BOTH_WAYS.test(written)) continue;
    const shared = contentTerms(said).filter(
      (term) => !nameTerms.has(term) && contentTerms(written).includes(term),
    );
    if (shared.length === 0) continue;
    const isReversed = there.start < here.start;
    if (isReversed !== (PASSIVE.test(said) !== PASSIVE.test(written)))
      return [first.text, second.text];
  }
  return undefined;
}
