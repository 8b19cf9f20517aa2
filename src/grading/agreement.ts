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
  // What each fact meets in each passage: nothing, only other values, or the same one.
  const meetings = new Uint8Array(facts.length * texts.length);
  const meet = (position: number, passage: number, same: boolean): void => {
    const at = position * texts.length + passage;
    meetings[at] = Math.max(meetings[at] ?? 0, same ? 2 : 1);
  };
  facts.forEach((fact, position) => {
    const counts = sharedWords(position);
    for (let at = position + 1; at < facts.length; at += 1) {
      const words = counts[at] ?? 0;
      const other = facts[at];
      if (
        words < SHARED_WORDS ||
        !other ||
        other.passage === fact.passage ||
        other.kind !== fact.kind
      )
        continue;
      const same = sameValue(fact, other);
      if (!sameThing(fact, other, words, same) || (!same && eachNamesBoth(fact, other, named)))
        continue;
      meet(position, other.passage, same);
      meet(at, fact.passage, same);
    }
  });
  const support = meetings.reduce((count, met) => count + (met === 2 ? 1 : 0), 0);
  const contradiction = meetings.reduce((count, met) => count + (met === 1 ? 1 : 0), 0);
  return support + contradiction === 0 ? undefined : support / (support + contradiction);
}

/** For one fact: how many words around it stand around each fact after it. The counts are valid until the next call. */
function sharedWordCounter(facts: readonly Fact[]): (position: number) => Uint8Array {
  // The facts that a word stands around are a chain from the last of them to the first: most words stand around one only.
  const entries = facts.reduce((sum, { around }) => sum + around.length, 0);
  const holder = new Int32Array(entries);
  const before = new Int32Array(entries);
  const last = new Map<string, number>();
  let entry = 0;
  facts.forEach(({ around }, position) => {
    for (const word of around) {
      holder[entry] = position;
      before[entry] = last.get(word) ?? -1;
      last.set(word, entry);
      entry += 1;
    }
  });
  const counts = new Uint8Array(facts.length);
  return (position) => {
    counts.fill(0);
    for (const word of facts[position]?.around ?? []) {
      for (let at = last.get(word) ?? -1; at >= 0; at = before[at] ?? -1) {
        const other = holder[at] ?? 0;
        if (other <= position) break;
        counts[other] = (counts[other] ?? 0) + 1;
      }
    }
    return counts;
  };
}

/** A passage that knows the other's name as well does not put its own in that one's place. */
function eachNamesBoth(a: Fact, b: Fact, named: readonly ReadonlySet<Fact["value"]>[]): boolean {
  return (
    a.kind === "name" &&
    (named[b.passage]?.has(a.value) === true || named[a.passage]?.has(b.value) === true)
  );
}

function sameThing(a: Fact, b: Fact, sharedWords: number, same: boolean): boolean {
  if (a.unit !== undefined && b.unit !== undefined && a.unit !== b.unit) return false;
  const share = sharedWords / Math.min(a.around.length, b.around.length);
  if (a.kind === "name" && !same)
    return sharedWords >= SHARED_WORDS_OF_UNLIKE_NAMES && share >= SHARED_SHARE_OF_UNLIKE_NAMES;
  return share >= SHARED_SHARE;
}

function sameValue({ value: a }: Fact, { value: b }: Fact): boolean {
  if (typeof a === "number" && typeof b === "number")
    return Math.abs(a - b) <= ROUNDING * Math.max(Math.abs(a), Math.abs(b));
  if (typeof a !== "string" || typeof b !== "string") return false;
  // "Eiffel" and "Eiffel Tower", 1921 and 12 March 1921.
  return a === b || startsOrEnds(a, b) || startsOrEnds(b, a);
}

function startsOrEnds(longer: string, shorter: string): boolean {
  return (
    (longer.startsWith(shorter) && /[ -]/.test(longer.charAt(shorter.length))) ||
    longer.endsWith(` ${shorter}`)
  );
}

function namesByPassage(facts: readonly Fact[], passages: number): Set<Fact["value"]>[] {
  const named = Array.from({ length: passages }, () => new Set<Fact["value"]>());
  for (const { kind, passage, value } of facts) if (kind === "name") named[passage]?.add(value);
  return named;
}
