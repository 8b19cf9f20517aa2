/** What a sentence denies: the content words in the scope of each negator. */
import { analyse } from "../../text/analyse.js";
import { hasNegation } from "../../text/entities.js";

const NEGATORS = new Set(
  (
    "not n't never no none neither nor without cannot cant nobody nothing nowhere hardly scarcely unable fail fails failed lacks lacked " +
    "nicht kein keine keinen keiner nie niemals ohne ne pas jamais aucun aucune sans no nunca sin ningún ninguna non mai senza não nem niet geen nooit zonder"
  ).split(" "),
);
const CONTRACTED = /n['’]t\b/iu;
/** "not only", "no longer than", "no doubt" deny nothing. */
const NOT_NEGATING =
  /(?:\bnot|n['’]t) (?:only|just|merely|simply)\b|\bno\.?\s*(?=\d)|\b(?:no (?:doubt|matter)|nothing but|not least|if not)\b/giu;
/** Words that deny without a negator: "unsafe", "without", "instead of", "banned". */
const DENYING =
  /(?<!\p{L})(?:un(?!i[tvqo]|der|til|less)\p{L}{4,}|in(?:ab|act|acc|adeq|appr|cap|compl|cons|corr|dep|dir|eff|elig|expens|freq|sec|suff|val|vis)\p{L}+|im(?:poss|prop|perf|mat)\p{L}+|ir(?:reg|rel|resp|rev)\p{L}+|dis(?:ab|agr|app|lik|miss|cont|conn|hon|all|adv|courag)\p{L}+|non-?\p{L}{4,}|\p{L}{3,}less|instead|rather|except\p{L}*|only|unlike|avoid\p{L}*|prevent\p{L}*|bann?(?:ed|s)?|prohibit\p{L}*|forb\p{L}+|illegal|stop\p{L}*|few|little|rarely|no longer|former\p{L}*|opt\p{L}*|free)(?!\p{L})/iu;
/** A negator reaches this many content words, and not past the end of its clause. */
const SCOPE = 4;

/** Whether a text says something that a claim with a "not" may be made of. */
export function mayDeny(text: string): boolean {
  return hasNegation(text) || DENYING.test(text);
}

/** The terms that a sentence denies, nearest first, one list for each negator. */
export function deniedTerms(sentence: string): string[][] {
  const text = sentence.replace(NOT_NEGATING, (phrase) => "_".repeat(phrase.length));
  const scopes: string[][] = [];
  for (const match of text.matchAll(/[\p{L}'’]+/gu)) {
    const word = match[0].toLowerCase();
    if (!NEGATORS.has(word) && !CONTRACTED.test(word)) continue;
    const rest = text.slice(match.index + match[0].length);
    const clause =
      rest.split(/[,;:.!?()–—]|\b(?:but|and|although|while|because|which|who)\b/u, 1)[0] ?? "";
    scopes.push(
      analyse(clause)
        .filter((token) => !token.stop)
        .slice(0, SCOPE)
        .map((token) => token.term),
    );
  }
  return scopes;
}
