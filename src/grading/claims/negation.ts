/** What a sentence denies: the content words in the scope of each negator. */
import { analyse } from "../../text/analyse.js";

const NEGATORS = new Set(
  (
    "not n't never no none neither nor without cannot cant nobody nothing nowhere hardly scarcely unable fail fails failed lacks lacked " +
    "nicht kein keine keinen keiner nie niemals ohne ne pas jamais aucun aucune sans no nunca sin ningún ninguna non mai senza não nem niet geen nooit zonder"
  ).split(" "),
);
const CONTRACTED = /n['’]t\b/iu;
/** "not only", "no longer than", "no doubt" deny nothing. */
const NOT_NEGATING = /\b(?:not (?:only|just|merely|simply)|no (?:doubt|matter)|nothing but|not least|if not)\b/giu;
/** A negator reaches this many content words, and not past the end of its clause. */
const SCOPE = 4;

/** The terms that a sentence denies, nearest first, one list for each negator. */
export function deniedTerms(sentence: string): string[][] {
  const text = sentence.replace(NOT_NEGATING, (phrase) => "_".repeat(phrase.length));
  const scopes: string[][] = [];
  for (const match of text.matchAll(/[\p{L}'’]+/gu)) {
    const word = match[0].toLowerCase();
    if (!NEGATORS.has(word) && !CONTRACTED.test(word)) continue;
    const rest = text.slice(match.index + match[0].length);
    const clause = rest.split(/[,;:.!?()–—]|\b(?:but|and|although|while|because|which|who)\b/u, 1)[0] ?? "";
    scopes.push(
      analyse(clause)
        .filter((token) => !token.stop)
        .slice(0, SCOPE)
        .map((token) => token.term),
    );
  }
  return scopes;
}
