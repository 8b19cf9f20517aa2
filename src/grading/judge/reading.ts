import type { Token } from "../../text/analyse.js";
import { answerEvidence } from "./answer-evidence.js";
import { matchTerms } from "./matches.js";
import type { Place } from "./matches.js";
import { analysePassage } from "./passage.js";
import type { AnalysedPassage, PassageInput } from "./passage.js";
import type { AnalysedQuestion } from "./question.js";

/** One passage read for one question, by itself. Measures in 0–1. */
export interface Reading {
  passage: AnalysedPassage;
  /** Share of the question that passage and title cover, by rarity. */
  coverage: number;
  /** The best sentence: how much of the question it covers, more where it holds what could be the answer. */
  answering: number;
  /** The same, where the sentence before lends it what it speaks of. */
  answeringInContext: number;
  /** How much is covered, whatever the question's length: two words found are weaker evidence than six. 0–1, saturating. */
  matched: number;
  /** How close together the question's words stand. */
  proximity: number;
  /** How much of the question the title is, where the question names it word for word. 0–1. */
  entitled: number;
  /** Share of the question's numbers that stand here; 0.5 where it has none. */
  numbers: number;
  /** Words that could be the answer, and how strongly the passage puts each forward. */
  candidates: ReadonlyMap<string, number>;
}

/** What the title, and the sentence before, lend to a sentence. */
const TITLE_LENDS = 0.8;
const SENTENCE_BEFORE_LENDS = 0.7;
/** At this many words from the nearest word of the question a candidate's closeness is a half. */
const NEAR = 6;
/** A sentence puts candidates forward by this power of its coverage, so that only sentences that match well can agree with each other. */
const SHARPNESS = 3;
const HARDLY = 0.25;
/** Summed rarity of matched words at which `matched` is 0.63: about four words of middling rarity. */
const MATCHED_SCALE = 20;

/** Reads a passage for a question. */
export function readPassage(asked: AnalysedQuestion, input: PassageInput): Reading {
  const passage = analysePassage(input);
  const places = matchTerms(asked, passage);
  const { terms } = asked;
  const inTitle = terms.map(({ term }) => (passage.titleTerms.has(term) ? 1 : 0));
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  const share = (credit: (index: number) => number): number => {
    let sum = 0;
    for (let i = 0; i < terms.length; i += 1) sum += (terms[i]?.weight ?? 0) * credit(i);
    return total === 0 ? 0 : sum / total;
  };
  const whole = places.map((list, i) => Math.max(inTitle[i] ?? 0, bestOf(list)));
  const candidates = new Map<string, number>();
  let answering = 0;
  let answeringInContext = 0;
  let before: number[] = terms.map(() => 0);
  for (const sentence of passage.sentences) {
    const lent = places.map((list, i) =>
      Math.max(bestOf(list, sentence.from, sentence.to), TITLE_LENDS * (inTitle[i] ?? 0)),
    );
    const covered = share((i) => lent[i] ?? 0);
    const context = before;
    const coveredInContext = share((i) =>
      Math.max(lent[i] ?? 0, SENTENCE_BEFORE_LENDS * (context[i] ?? 0)),
    );
    before = lent;
    if (coveredInContext === 0) continue;
    const bonus = 0.5 + 0.5 * answerEvidence(asked, passage, sentence);
    answering = Math.max(answering, covered * bonus);
    answeringInContext = Math.max(answeringInContext, coveredInContext * bonus);
    // What a sentence that hardly matches puts forward would come to nothing.
    if (coveredInContext < HARDLY) continue;
    const strength = coveredInContext ** SHARPNESS;
    const distances = distancesIn(places, sentence.from, sentence.to);
    for (let at = sentence.from; at < sentence.to; at += 1) {
      const word = passage.content[at];
      if (word === undefined || asked.own.has(word.term)) continue;
      const fit = asked.fitOf(word);
      if (fit === 0) continue;
      const nearness = 1 / (1 + (distances[at - sentence.from] ?? 0) / NEAR);
      const weight = fit * strength * (0.5 + 0.5 * nearness);
      if (weight > (candidates.get(word.term) ?? 0)) candidates.set(word.term, weight);
    }
  }
  return {
    passage,
    coverage: share((i) => whole[i] ?? 0),
    answering,
    answeringInContext,
    matched:
      share((i) => whole[i] ?? 0) *
      (asked.answerType === "definition" ? 0.72 : 1 - Math.exp(-total / MATCHED_SCALE)),
    proximity: proximityOf(places, asked),
    entitled: entitledOf(asked, passage.titleWords),
    numbers: numbersOf(whole, asked),
    candidates,
  };
}

function bestOf(list: readonly Place[], from = 0, to = Infinity): number {
  let value = 0;
  for (const { at, credit } of list) if (credit > value && at >= from && at < to) value = credit;
  return value;
}

/** For each place of a sentence, how far the nearest matched place of the sentence is; the sentence's length where there is none. */
function distancesIn(places: readonly (readonly Place[])[], from: number, to: number): number[] {
  const distances = new Array<number>(to - from).fill(to - from);
  for (const list of places) {
    for (const { at: position } of list) {
      if (position < from || position >= to) continue;
      for (let at = from; at < to; at += 1)
        distances[at - from] = Math.min(distances[at - from] ?? Infinity, Math.abs(at - position));
    }
  }
  return distances;
}

/** Rarity-weighted closeness of each pair of the question's words: 1 where they stand side by side, 0 where one is missing. */
function proximityOf(places: readonly (readonly Place[])[], asked: AnalysedQuestion): number {
  let sum = 0;
  let total = 0;
  for (let i = 0; i < places.length; i += 1) {
    for (let j = i + 1; j < places.length; j += 1) {
      const weight = (asked.terms[i]?.weight ?? 0) * (asked.terms[j]?.weight ?? 0);
      total += weight;
      let best = 0;
      for (const a of places[i] ?? []) {
        for (const b of places[j] ?? [])
          best = Math.max(
            best,
            (a.credit * b.credit) / (1 + Math.max(0, Math.abs(a.at - b.at) - 1) / 5) ** 2,
          );
      }
      // The geometric mean of the two credits times the closeness.
      sum += weight * Math.sqrt(best);
    }
  }
  return total === 0 ? 0.5 : sum / total;
}

/** A title that stops within a name of the question ("Georgia" for "Georgia Tech") is the title of something else. */
const PART_OF_A_NAME = 0.3;

function entitledOf({ tokens, terms, weight }: AnalysedQuestion, title: readonly string[]): number {
  if (title.length === 0 || weight === 0) return 0;
  const words = new Set(title);
  const share =
    terms.reduce((sum, term) => sum + (words.has(term.term) ? term.weight : 0), 0) / weight;
  if (share === 0) return 0;
  let best = 0;
  for (let at = 0; at + title.length <= tokens.length; at += 1) {
    if (!title.every((term, i) => tokens[at + i]?.term === term)) continue;
    const goesOn = (at > 1 && isNamelike(tokens[at - 1])) || isNamelike(tokens[at + title.length]);
    best = Math.max(best, share * (goesOn ? PART_OF_A_NAME : 1));
  }
  return best;
}

function isNamelike(token: Token | undefined): boolean {
  return token !== undefined && /^[\p{Lu}\p{N}]/u.test(token.text);
}

function numbersOf(credit: readonly number[], asked: AnalysedQuestion): number {
  let count = 0;
  let sum = 0;
  asked.terms.forEach(({ numeric }, i) => {
    if (!numeric) return;
    count += 1;
    sum += credit[i] ?? 0;
  });
  return count === 0 ? 0.5 : sum / count;
}
