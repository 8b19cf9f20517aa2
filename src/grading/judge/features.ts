import { analysePassage } from "./passage.js";
import type { AnalysedPassage } from "./passage.js";
import { analyseQuestion } from "./question.js";
import type { AnalysedQuestion } from "./question.js";
import { matchTerms } from "./matches.js";
import type { Place } from "./matches.js";
import { isTyped, rarity, typeFit } from "./candidates.js";

export interface PassageInput {
  title: string;
  text: string;
}

export type Features = Record<string, number>;

/** For the words of one passage that could be the answer: how strongly the passage puts each forward. */
type Candidates = Map<string, number>;

interface Reading {
  features: Features;
  candidates: Candidates;
  passage: AnalysedPassage;
}

/** All features of each passage, in the order given; the order itself does not matter. */
export function measure(question: string, passages: readonly PassageInput[]): Features[] {
  const asked = analyseQuestion(question);
  const readings = passages.map((passage) => read(asked, analysePassage(passage)));
  const n = readings.length;
  return readings.map((reading, index) => {
    const others = readings.filter((_, other) => other !== index);
    let agreement = 0;
    let agreementSum = 0;
    for (const [term, weight] of reading.candidates) {
      let best = 0;
      let sum = 0;
      for (const other of others) {
        const w = other.candidates.get(term) ?? 0;
        sum += w;
        if (w > best) best = w;
      }
      const r = rarity(term);
      agreement = Math.max(agreement, weight * best * r);
      agreementSum = Math.max(agreementSum, weight * r * (sum / (1 + sum)));
    }
    const overlap = Math.max(0, ...others.map((other) => overlapOf(reading.passage, other.passage, asked)));
    const cov = reading.features["cov"] ?? 0;
    const otherCov = Math.max(0, ...others.map((other) => other.features["cov"] ?? 0));
    const meanCov = others.length === 0 ? cov : others.reduce((sum, other) => sum + (other.features["cov"] ?? 0), 0) / others.length;
    return { ...reading.features, agreement, agreementSum, overlap, n, covGap: cov - otherCov, covOverMean: cov - meanCov };
  });
}

function overlapOf(a: AnalysedPassage, b: AnalysedPassage, asked: AnalysedQuestion): number {
  let common = 0;
  let sizeA = 0;
  let sizeB = 0;
  for (const term of a.places.keys()) {
    if (asked.own.has(term)) continue;
    const r = rarity(term);
    sizeA += r;
    if (b.places.has(term)) common += r;
  }
  for (const term of b.places.keys()) if (!asked.own.has(term)) sizeB += rarity(term);
  const smaller = Math.sqrt(sizeA * sizeB);
  return smaller === 0 ? 0 : common / smaller;
}

function read(asked: AnalysedQuestion, passage: AnalysedPassage): Reading {
  const { terms } = asked;
  const places = matchTerms(asked, passage);
  const credit = places.map((list) => best(list));
  const inTitle = terms.map((term) => (passage.titleTerms.has(term.term) ? 1 : 0));
  const withTitle = credit.map((value, i) => Math.max(value, inTitle[i] ?? 0));
  const idfs = terms.map((term) => term.idf);
  const squares = idfs.map((value) => value * value);
  const ones = idfs.map(() => 1);
  const share = (values: readonly number[], weights: readonly number[], keep?: (i: number) => boolean): number => {
    let total = 0;
    let got = 0;
    weights.forEach((weight, i) => {
      if (keep !== undefined && !keep(i)) return;
      total += weight;
      got += weight * (values[i] ?? 0);
    });
    return total === 0 ? -1 : got / total;
  };
  const isSubject = (i: number): boolean => terms[i]?.role === "subject";
  const isRelation = (i: number): boolean => terms[i]?.role === "relation";

  // Sentences.
  const bySentence = passage.sentences.map((sentence) =>
    places.map((list) => {
      let value = 0;
      for (const place of list) if (place.at >= sentence.from && place.at < sentence.to && place.credit > value) value = place.credit;
      return value;
    }),
  );
  let sent = 0;
  let sent2 = 0;
  let sentTitled = 0;
  let window2 = 0;
  let join = 0;
  const sentenceScore: number[] = [];
  bySentence.forEach((values, s) => {
    const titled = values.map((value, i) => Math.max(value, 0.8 * (inTitle[i] ?? 0)));
    const previous = bySentence[s - 1];
    const near = titled.map((value, i) => Math.max(value, 0.7 * (previous?.[i] ?? 0)));
    sent = Math.max(sent, share(values, idfs));
    sent2 = Math.max(sent2, share(values, squares));
    const titledShare = share(titled, squares);
    sentTitled = Math.max(sentTitled, titledShare);
    window2 = Math.max(window2, share(near, squares));
    const subject = share(near, idfs, isSubject);
    const relation = share(values, idfs, isRelation);
    const joined = (subject < 0 ? 0.5 : subject) * (relation < 0 ? 0.5 : relation);
    join = Math.max(join, joined);
    sentenceScore.push(Math.max(joined, titledShare * titledShare * 0.0) * 0.5 + 0.5 * share(near, squares));
  });

  // Candidate answers.
  const candidates: Candidates = new Map();
  let typed = 0;
  let typedNear = 0;
  const positions = places.flatMap((list) => list.map((place) => place.at)).sort((a, b) => a - b);
  passage.sentences.forEach((sentence, s) => {
    const score = sentenceScore[s] ?? 0;
    if (score <= 0) return;
    for (let at = sentence.from; at < sentence.to; at += 1) {
      const token = passage.content[at];
      if (token === undefined || asked.own.has(token.term)) continue;
      const fit = typeFit(token, asked.answerType);
      if (fit === 0) continue;
      const near = 1 / (1 + distanceTo(positions, at, sentence) / 6);
      const weight = fit * score;
      typed = Math.max(typed, weight);
      typedNear = Math.max(typedNear, weight * near);
      const w = weight * (0.5 + 0.5 * near);
      if (w > (candidates.get(token.term) ?? 0)) candidates.set(token.term, w);
    }
  });

  const phrase = longestPhrase(asked, passage);
  const numbers = terms.map((term, i) => (term.numeric ? i : -1)).filter((i) => i >= 0);
  const numberCov = numbers.length === 0 ? 0 : numbers.reduce((sum, i) => sum + (withTitle[i] ?? 0), 0) / numbers.length - 0.5;
  const names = asked.names;
  const nameCov = names.length === 0 ? 0 : names.reduce((sum, name) => sum + nameMatch(name, passage), 0) / names.length - 0.5;
  const missing = withTitle.map((value, i) => (1 - value) * (idfs[i] ?? 0));
  const title = passage.title;
  const titleIdf = title.reduce((sum, token) => sum + rarity(token.term), 0);
  const titleIn = title.length === 0 ? 0 : title.reduce((sum, token) => sum + (asked.own.has(token.term) ? rarity(token.term) : 0), 0) / titleIdf - 0.5;
  const subjectInTitle = title.length === 0 ? 0 : Math.max(0, share(inTitle, idfs, isSubject)) - 0.5;
  const subjectCov = share(withTitle, idfs, isSubject);
  const relationCov = share(credit, idfs, isRelation);
  return {
    features: {
      cov: share(withTitle, idfs),
      cov2: share(withTitle, squares),
      cov1: share(withTitle, ones),
      sent,
      sent2,
      sentTitled,
      window2,
      join,
      typed,
      typedNear,
      typedOnly: isTyped(asked.answerType) ? typed : 0,
      phrase: phrase.share,
      phraseLength: phrase.length,
      bigrams: bigrams(asked, passage),
      numberCov,
      nameCov,
      missingMax: missing.length === 0 ? 1 : Math.max(...missing) / 7.75,
      titleIn,
      subjectInTitle,
      subjectCov: subjectCov < 0 ? 0.5 : subjectCov,
      relationCov: relationCov < 0 ? 0.5 : relationCov,
      proximity: proximity(places, idfs),
      density: Math.log(1 + positions.length) / Math.log(2 + passage.content.length),
      length: Math.log(1 + passage.content.length),
      qTerms: terms.length,
      qIdfMax: Math.max(0, ...idfs),
      qIdfMean: idfs.reduce((a, b) => a + b, 0) / Math.max(1, idfs.length),
      titled: title.length === 0 ? 0 : 1,
    },
    candidates,
    passage,
  };
}

function best(list: readonly Place[]): number {
  let value = 0;
  for (const place of list) if (place.credit > value) value = place.credit;
  return value;
}

function distanceTo(positions: readonly number[], at: number, sentence: { from: number; to: number }): number {
  let distance = sentence.to - sentence.from;
  for (const position of positions) {
    if (position < sentence.from || position >= sentence.to) continue;
    distance = Math.min(distance, Math.abs(position - at));
  }
  return distance;
}

/** The longest run of the question's content terms that stands in the passage in the same order with nothing but function words between. */
function longestPhrase(asked: AnalysedQuestion, passage: AnalysedPassage): { share: number; length: number } {
  const { sequence } = asked;
  const weight = sequence.map((term) => rarity(term));
  const total = weight.reduce((a, b) => a + b, 0);
  let bestShare = 0;
  let bestLength = 0;
  for (const source of [passage.content, passage.title]) {
    for (let q = 0; q < sequence.length; q += 1) {
      const starts = source === passage.content ? (passage.places.get(sequence[q] ?? "") ?? []) : source.map((_, i) => i);
      for (const start of starts) {
        let length = 0;
        let sum = 0;
        while (q + length < sequence.length && source[start + length]?.term === sequence[q + length]) {
          sum += weight[q + length] ?? 0;
          length += 1;
        }
        if (length > bestLength) bestLength = length;
        if (length > 0 && sum > bestShare) bestShare = sum;
      }
    }
  }
  return { share: total === 0 ? 0 : bestShare / total, length: bestLength };
}

function bigrams(asked: AnalysedQuestion, passage: AnalysedPassage): number {
  const { sequence } = asked;
  if (sequence.length < 2) return 0;
  let found = 0;
  let total = 0;
  for (let i = 0; i + 1 < sequence.length; i += 1) {
    const weight = rarity(sequence[i] ?? "") + rarity(sequence[i + 1] ?? "");
    total += weight;
    const first = passage.places.get(sequence[i] ?? "") ?? [];
    const second = passage.places.get(sequence[i + 1] ?? "") ?? [];
    if (first.some((a) => second.some((b) => Math.abs(a - b) <= 3))) found += weight;
  }
  return found / total;
}

function nameMatch(name: readonly string[], passage: AnalysedPassage): number {
  const [head] = name;
  if (head === undefined) return 0;
  for (const start of passage.places.get(head) ?? []) if (name.every((term, i) => passage.content[start + i]?.term === term)) return 1;
  if (name.every((term) => passage.titleTerms.has(term))) return 1;
  const hits = name.filter((term) => passage.places.has(term) || passage.titleTerms.has(term)).length;
  return (0.6 * hits) / name.length;
}

/** Rarity-weighted closeness of the pairs of matched terms: 1 where all stand side by side. */
function proximity(places: readonly (readonly Place[])[], idfs: readonly number[]): number {
  let sum = 0;
  let total = 0;
  for (let i = 0; i < places.length; i += 1) {
    for (let j = i + 1; j < places.length; j += 1) {
      const weight = (idfs[i] ?? 0) * (idfs[j] ?? 0);
      total += weight;
      let nearest = Infinity;
      for (const a of places[i] ?? []) for (const b of places[j] ?? []) nearest = Math.min(nearest, Math.abs(a.at - b.at));
      if (nearest < Infinity) sum += weight / (1 + Math.max(0, nearest - 1) / 5);
    }
  }
  return total === 0 ? 0.5 : sum / total;
}
