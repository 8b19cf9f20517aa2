/** What speaks for a sentence being the answer. Each feature is near 0–1. */
import type { Candidate } from "./answer-candidates.js";
import { wantsDirectAnswer } from "./answer-type.js";
import type { DirectAnswer } from "./direct-answer.js";
import { directAnswer } from "./direct-answer.js";
import type { QuestionFocus } from "./question-focus.js";
import { shareOf } from "./question-focus.js";

export const SENTENCE_FEATURES = [
  "coverage",
  "titled",
  "withPrevious",
  "neighbourhood",
  "passage",
  "subject",
  "relation",
  "relationNear",
  "rarest",
  "rarestNear",
  "pairs",
  "density",
  "soft",
  "precision",
  "typed",
  "typedMissing",
  "direct",
  "reason",
  "length",
  "early",
  "heading",
  "code",
] as const;

export type SentenceFeature = (typeof SENTENCE_FEATURES)[number];
export type SentenceFeatures = Record<SentenceFeature, number>;

export interface MeasuredSentence {
  candidate: Candidate;
  features: SentenceFeatures;
  direct: DirectAnswer | undefined;
}

/** Measures one candidate against the question. */
export function measureSentence(candidate: Candidate, focus: QuestionFocus): MeasuredSentence {
  const own = (term: string): boolean => candidate.terms.has(term);
  const titled = (term: string): boolean => own(term) || candidate.titleTerms.has(term);
  const before = (term: string): boolean => candidate.previous?.terms.has(term) ?? false;
  const after = (term: string): boolean => candidate.next?.terms.has(term) ?? false;
  const near = (term: string): boolean => titled(term) || before(term) || after(term);
  const passage = (term: string): boolean => candidate.passageTerms.has(term);
  const rarest = rarestTerm(focus);
  const direct = directAnswer(candidate, focus);
  const wants = wantsDirectAnswer(focus.expected);
  const length = [...candidate.terms].length;
  return {
    candidate,
    direct,
    features: {
      coverage: shareOf(focus, own),
      titled: shareOf(focus, titled),
      withPrevious: shareOf(focus, (term) => titled(term) || before(term)),
      neighbourhood: shareOf(focus, near),
      passage: shareOf(focus, passage),
      subject: shareOf(focus, near, focus.subject),
      relation: shareOf(focus, own, focus.relation),
      relationNear: shareOf(focus, near, focus.relation),
      rarest: rarest === undefined || own(rarest) ? 1 : 0,
      rarestNear: rarest === undefined || near(rarest) ? 1 : 0,
      pairs: focus.pairs.length === 0 ? 0 : focus.pairs.filter((pair) => candidate.pairs.has(pair)).length / focus.pairs.length,
      density: density(candidate, focus),
      soft: shareOf(focus, (term) => own(term) || [...candidate.terms].some((other) => akin(term, other))),
      precision: length === 0 ? 0 : focus.terms.filter(own).length / length,
      typed: wants && direct !== undefined ? 1 : 0,
      typedMissing: wants && direct === undefined ? 1 : 0,
      direct: direct?.score ?? 0,
      reason: explains(candidate, focus) ? 1 : 0,
      length: Math.min(1, Math.log(1 + length) / 5),
      early: 1 / (1 + candidate.position),
      heading: candidate.kind === "heading" || /\?\s*$/u.test(candidate.text) ? 1 : 0,
      code: candidate.kind === "code" ? 1 : 0,
    },
  };
}

function rarestTerm(focus: QuestionFocus): string | undefined {
  let rarest: string | undefined;
  for (const [term, weight] of focus.weights) if (rarest === undefined || weight > (focus.weights.get(rarest) ?? 0)) rarest = term;
  return rarest;
}

/** Share of the words between the first and the last match that are matches: words of the question that stand together belong together. */
function density(candidate: Candidate, focus: QuestionFocus): number {
  const content = candidate.tokens.filter((token) => !token.stop);
  const hits = content.flatMap((token, index) => (focus.weights.has(token.term) ? [index] : []));
  const [first] = hits;
  const last = hits[hits.length - 1];
  if (first === undefined || last === undefined) return 0;
  return (hits.length / (last - first + 1)) * Math.min(1, hits.length / Math.max(1, focus.terms.length));
}

const EXPLAINS: Readonly<Record<string, RegExp>> = {
  reason:
    /\b(?:because|since|due to|so that|in order to|as a result|therefore|thus|caused|reason|owing to|to (?:avoid|prevent|ensure|protect)|weil|damit|parce que|porque)\b/iu,
  manner: /\b(?:by \p{L}+ing|using|through|via|run|use|set|call|with the)\b/iu,
};

function explains(candidate: Candidate, focus: QuestionFocus): boolean {
  return EXPLAINS[focus.expected.kind]?.test(candidate.text) ?? false;
}

/** Two terms of one word family: a common beginning of at least five letters that is most of both. */
function akin(a: string, b: string): boolean {
  let common = 0;
  while (common < a.length && common < b.length && a[common] === b[common]) common += 1;
  return common >= 5 && common >= 0.6 * Math.max(a.length, b.length);
}
