/**
 * Compares a claim word by word with the sentence nearest to it, and finds where one has another
 * name or the opposite in the other's place: "below 5 °C" for "above 5 °C".
 */
import { analyse, idf, type Token } from "../text/analyse.js";
import { OPPOSITES as WORD_PAIRS } from "../text/languages.js";
import { isCapital } from "../text/words.js";
import { nearestFacts, type Fact, type Statements } from "./figures.js";

/** Those that the joint reader was trained with; none is of the data that its figures are of. */
const OPPOSITES = new Set(
  WORD_PAIRS.split(" ").flatMap((pair) => [pair, pair.split("/").toReversed().join("/")]),
);
/** Share of a claim's words that a sentence has in the same order, from which they compare. */
const ALIGNED = 0.6;
/** Words of a claim and of a sentence, so that neither takes long. */
const MOST_WORDS = 120;
/** Words between two that both have, at most. */
const LONGEST_GAP = 4;

/**
 * Returns which words replace which. Of 557 faithful recorded answers it names
 * something in one.
 */
export function substitutionsIn(claim: Fact, near: readonly Statements[]): string[] {
  const [fact, behind] = nearestFacts(claim, near, 1);
  if (fact === undefined) return [];
  const [said, stated] = [wordsOf(claim.text), wordsOf(fact.text)];
  const beside = new Set([...fact.terms, ...(behind?.terms ?? [])]);
  const { gaps, aligned } = gapsBetween(said, stated);
  if (aligned < ALIGNED * said.length) return [];
  return gaps.flatMap(({ ours, theirs, left, right }) => {
    const isNew = ({ term }: Word): boolean => !stated.some((word) => word.term === term);
    const isUnsaid = ({ term }: Word): boolean => !said.some((word) => word.term === term);
    const found = (one: Word, other: Word): string => `${one.text}: a source says ${other.text}`;
    if (Math.max(ours.length, theirs.length) > LONGEST_GAP) return [];
    if (left || right)
      for (const one of ours.filter(isNew)) {
        const other = theirs
          .filter(isUnsaid)
          .find(({ text }) => OPPOSITES.has(`${one.text}/${text}`.toLowerCase()));
        if (other !== undefined) return [found(one, other)];
      }
    const [names, others] = [ours, theirs].map((words) => words.filter(({ isName }) => isName));
    const [name, other] = [names?.[0], others?.[0]];
    if (!left || !name || !other) return [];
    const isAlone = ours.every(({ isName, stop }) => isName || stop);
    const isAbsent = names?.every(({ term }) => !beside.has(term)) && others?.every(isUnsaid);
    const isShortened = name.text === name.text.toUpperCase() && name.text[0] === other.text[0];
    return isAlone && isAbsent && !isShortened ? [found(name, other)] : [];
  });
}

type Word = Token & { readonly isName: boolean };

function wordsOf(text: string): Word[] {
  return analyse(text)
    .slice(0, MOST_WORDS)
    .map((token, index) => {
      const isName = index > 0 ? isCapital(token.text) : /^\p{Lu}.*\p{Lu}/u.test(token.text);
      return { ...token, isName: isName && !token.stop };
    });
}

interface Gap {
  readonly ours: readonly Word[];
  readonly theirs: readonly Word[];
  /** True if a word that both have is before it, and behind it. */
  readonly left: boolean;
  readonly right: boolean;
}

/** Aligns two texts by their longest common subsequence and returns where both have other words. */
function gapsBetween(
  ours: readonly Word[],
  theirs: readonly Word[],
): { gaps: Gap[]; aligned: number } {
  const weights = ours.map(({ term, stop }) => (stop ? 0.6 : 1 + idf(term) / 4));
  const isSame = (i: number, j: number): boolean => ours[i]?.term === theirs[j]?.term;
  const best = ours.map(() => new Float64Array(theirs.length + 1));
  const at = (i: number, j: number): number => best[i]?.[j] ?? 0;
  const together = (i: number, j: number): number =>
    isSame(i, j) ? at(i + 1, j + 1) + (weights[i] ?? 0) : 0;
  for (let i = ours.length - 1; i >= 0; i -= 1)
    for (let j = theirs.length - 1; j >= 0; j -= 1)
      best[i]?.fill(Math.max(at(i + 1, j), at(i, j + 1), together(i, j)), j, j + 1);
  const gaps: Gap[] = [];
  let aligned = 0;
  let [i, j, fromI, fromJ] = [0, 0, 0, 0];
  const close = (isEnd: boolean): void => {
    const [mine, others] = [ours.slice(fromI, i), theirs.slice(fromJ, j)];
    if (mine.length > 0 && others.length > 0)
      gaps.push({ ours: mine, theirs: others, left: fromI > 0, right: !isEnd });
  };
  while (i < ours.length && j < theirs.length)
    if (isSame(i, j) && at(i, j) === together(i, j)) {
      close(false);
      aligned += 1;
      [i, j] = [i + 1, j + 1];
      [fromI, fromJ] = [i, j];
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  [i, j] = [ours.length, theirs.length];
  close(true);
  return { gaps, aligned };
}
