/**
 * Do passages support one another, or contradict? A fact of one passage meets another passage where that says something about the same
 * thing: the words around are largely the same, and so is the unit. The same value there is support, only other values are a contradiction.
 * Agreement is the share of support among all that met.
 */
import { analyse } from "../text/analyse.js";
import { factsOf, type AnalysedText, type Fact } from "./facts.js";

/** Facts are about the same thing when they share at least this many of the words around, and this share of the smaller context. */
const SHARED_WORDS = 2;
const SHARED_SHARE = 0.5;
/** Several names may stand beside the same words without a contradiction, so that for unlike names the words have to be nearly the same. */
const SHARED_WORDS_OF_UNLIKE_NAMES = 3;
const SHARED_SHARE_OF_UNLIKE_NAMES = 0.75;
/** Numbers this close, relative to the larger, are one number said more or less roundly. */
const ROUNDING = 0.005;

/** Agreement of the texts in 0–1; undefined when no two of them say anything about the same thing. Pure. */
export function agreement(texts: readonly string[]): number | undefined {
  return agreementOf(texts.map((text) => ({ text, tokens: analyse(text) })));
}

/** The same for texts that were analysed already. */
export function agreementOf(texts: readonly AnalysedText[]): number | undefined {
  if (texts.length < 2) return undefined;
  const facts = texts.flatMap(factsOf);
  const named = namesByPassage(facts, texts.length);
  const sharedWords = sharedWordCounter(facts);
  let support = 0;
  let contradiction = 0;
  facts.forEach((fact, position) => {
    const counts = sharedWords(position);
    const verdicts = new Map<number, boolean>();
    facts.forEach((other, otherPosition) => {
      const words = counts[otherPosition] ?? 0;
      if (words < SHARED_WORDS || other.passage === fact.passage || other.kind !== fact.kind) return;
      const same = sameValue(fact, other);
      if (!sameThing(fact, other, words, same) || (!same && eachNamesBoth(fact, other, named))) return;
      verdicts.set(other.passage, verdicts.get(other.passage) === true || same);
    });
    for (const agrees of verdicts.values()) {
      if (agrees) support += 1;
      else contradiction += 1;
    }
  });
  const met = support + contradiction;
  return met === 0 ? undefined : support / met;
}

/** For one fact after the other: how many words around it stand around each of the others. The counts are valid until the next call. */
function sharedWordCounter(facts: readonly Fact[]): (position: number) => Uint8Array {
  const byWord = new Map<string, number[]>();
  facts.forEach(({ around }, position) => {
    for (const word of around) {
      const positions = byWord.get(word);
      if (positions) positions.push(position);
      else byWord.set(word, [position]);
    }
  });
  const counts = new Uint8Array(facts.length);
  return (position) => {
    counts.fill(0);
    for (const word of facts[position]?.around ?? []) for (const other of byWord.get(word) ?? []) counts[other] = (counts[other] ?? 0) + 1;
    return counts;
  };
}

/** A passage that knows the other's name as well does not put its own in that one's place. */
function eachNamesBoth(a: Fact, b: Fact, named: readonly ReadonlySet<Fact["value"]>[]): boolean {
  return a.kind === "name" && (named[b.passage]?.has(a.value) === true || named[a.passage]?.has(b.value) === true);
}

function sameThing(a: Fact, b: Fact, sharedWords: number, same: boolean): boolean {
  if (a.unit !== undefined && b.unit !== undefined && a.unit !== b.unit) return false;
  const share = sharedWords / Math.min(a.around.size, b.around.size);
  if (a.kind === "name" && !same) return sharedWords >= SHARED_WORDS_OF_UNLIKE_NAMES && share >= SHARED_SHARE_OF_UNLIKE_NAMES;
  return share >= SHARED_SHARE;
}

function sameValue({ value: a }: Fact, { value: b }: Fact): boolean {
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b) <= ROUNDING * Math.max(Math.abs(a), Math.abs(b));
  if (typeof a !== "string" || typeof b !== "string") return false;
  // "Eiffel" and "Eiffel Tower", 1921 and 12 March 1921.
  return a === b || startsOrEnds(a, b) || startsOrEnds(b, a);
}

function startsOrEnds(longer: string, shorter: string): boolean {
  return (longer.startsWith(shorter) && /[ -]/.test(longer.charAt(shorter.length))) || longer.endsWith(` ${shorter}`);
}

function namesByPassage(facts: readonly Fact[], passages: number): Set<Fact["value"]>[] {
  const named = Array.from({ length: passages }, () => new Set<Fact["value"]>());
  for (const { kind, passage, value } of facts) if (kind === "name") named[passage]?.add(value);
  return named;
}
