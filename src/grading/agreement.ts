/**
 * Do passages support one another, or contradict? A fact is a number, a date or a name with the content words around it. A fact of one passage
 * meets another passage where that says something about the same thing: the words around are largely the same, and so is the unit.
 * The same value there is support, only other values are a contradiction. Agreement is the share of support among all that met.
 */
import { analyse, type Token } from "../text/analyse.js";
import { extractDates, extractNames, extractNumbers } from "../text/entities.js";

/** Content words on each side of a value that tell what it is about; a sentence's end cuts them off. */
const WORDS_AROUND = 5;
/** Facts are about the same thing when they share at least this many of these words, and this share of the smaller context. */
const SHARED_WORDS = 2;
const SHARED_SHARE = 0.5;
/** Many names may stand beside the same words without a contradiction, so that for names the words have to be nearly the same. */
const SHARED_SHARE_OF_NAMES = 0.75;
/** Numbers this close, relative to the larger, are one number said more or less roundly. */
const ROUNDING = 0.005;
/** A passage counts with its first facts only, so that a table does not outweigh everything else, and the time stays bounded. */
const FACTS_PER_PASSAGE = 24;

interface AnalysedText {
  text: string;
  tokens: readonly Token[];
}

interface Fact {
  passage: number;
  kind: "number" | "date" | "name";
  value: number | string;
  unit: string | undefined;
  around: ReadonlySet<string>;
}

/** Agreement of the texts in 0–1; undefined when no two of them say anything about the same thing. Pure. */
export function agreement(texts: readonly string[]): number | undefined {
  return agreementOf(texts.map((text) => ({ text, tokens: analyse(text) })));
}

/** The same for texts that were analysed already. */
export function agreementOf(texts: readonly AnalysedText[]): number | undefined {
  if (texts.length < 2) return undefined;
  const facts = texts.flatMap(factsOf);
  const byWord = index(facts);
  let support = 0;
  let contradiction = 0;
  for (const fact of facts) {
    for (const verdict of meetings(fact, facts, byWord).values()) {
      if (verdict) support += 1;
      else contradiction += 1;
    }
  }
  const met = support + contradiction;
  return met === 0 ? undefined : support / met;
}

/** For each other passage that says something about the same thing: whether it says the same. */
function meetings(fact: Fact, facts: readonly Fact[], byWord: ReadonlyMap<string, readonly number[]>): Map<number, boolean> {
  const shared = new Map<number, number>();
  for (const word of fact.around) for (const other of byWord.get(word) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
  const verdicts = new Map<number, boolean>();
  for (const [position, words] of shared) {
    const other = facts[position];
    if (!other || other.passage === fact.passage || other.kind !== fact.kind || !sameThing(fact, other, words)) continue;
    verdicts.set(other.passage, verdicts.get(other.passage) === true || sameValue(fact, other));
  }
  return verdicts;
}

function sameThing(a: Fact, b: Fact, sharedWords: number): boolean {
  if (sharedWords < SHARED_WORDS || (a.unit !== undefined && b.unit !== undefined && a.unit !== b.unit)) return false;
  const share = sharedWords / Math.min(a.around.size, b.around.size);
  return share >= (a.kind === "name" && a.value !== b.value ? SHARED_SHARE_OF_NAMES : SHARED_SHARE);
}

function sameValue({ value: a }: Fact, { value: b }: Fact): boolean {
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b) <= ROUNDING * Math.max(Math.abs(a), Math.abs(b));
  return a === b || (typeof a === "string" && typeof b === "string" && (a.startsWith(b) || b.startsWith(a)));
}

function index(facts: readonly Fact[]): Map<string, number[]> {
  const byWord = new Map<string, number[]>();
  facts.forEach(({ around }, position) => {
    for (const word of around) {
      const positions = byWord.get(word);
      if (positions) positions.push(position);
      else byWord.set(word, [position]);
    }
  });
  return byWord;
}

function factsOf({ text, tokens }: AnalysedText, passage: number): Fact[] {
  const dates = extractDates(text);
  const inADate = (start: number): boolean => dates.some((date) => start >= date.start && start < date.end);
  const found = [
    ...dates.map((date) => ({ kind: "date" as const, value: date.text.toLowerCase(), unit: undefined, start: date.start, end: date.end })),
    ...extractNumbers(text)
      .filter(({ start }) => !inADate(start))
      .map(({ value, unit, start, end }) => ({ kind: "number" as const, value, unit, start, end })),
    ...extractNames(text).map((name) => ({
      kind: "name" as const,
      value: name.text.toLowerCase(),
      unit: undefined,
      start: name.start,
      end: name.end,
    })),
  ];
  return found
    .sort((a, b) => a.start - b.start)
    .slice(0, FACTS_PER_PASSAGE)
    .map(({ kind, value, unit, start, end }) => ({ passage, kind, value, unit, around: wordsAround(text, tokens, start, end) }))
    .filter(({ around }) => around.size >= SHARED_WORDS);
}

/** Content words before and after a span, within its sentence. */
function wordsAround(text: string, tokens: readonly Token[], start: number, end: number): Set<string> {
  const first = lowerBound(tokens, start);
  let after = first;
  while ((tokens[after]?.start ?? Infinity) < end) after += 1;
  return new Set([...collect(text, tokens, first - 1, -1), ...collect(text, tokens, after, 1)]);
}

function collect(text: string, tokens: readonly Token[], from: number, step: 1 | -1): string[] {
  const words: string[] = [];
  let previous = tokens[from - step];
  for (let at = from; words.length < WORDS_AROUND; at += step) {
    const token = tokens[at];
    if (!token || (previous && endsSentence(text, step === 1 ? previous.end : token.end, step === 1 ? token.start : previous.start))) break;
    if (!token.stop) words.push(token.term);
    previous = token;
  }
  return words;
}

function endsSentence(text: string, from: number, to: number): boolean {
  return to - from > 1 && /[.!?。！？]\s|\n\s*\n/.test(text.slice(from, to));
}

/** The position of the first token that ends behind `offset`. */
function lowerBound(tokens: readonly Token[], offset: number): number {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
