/** What speaks for a sentence being the answer. Each feature is near 0–1. */
import { relatedTerms } from "../../grading/judge/relations.js";
import { align, alignedWeight } from "./alignment.js";
import type { Candidate } from "./answer-candidates.js";
import { wantsDirectAnswer } from "./short-answer/answer-type.js";
import type { DirectAnswer } from "./short-answer/direct-answer.js";
import { directAnswer } from "./short-answer/direct-answer.js";
import type { QuestionFocus } from "./question-focus.js";
import { shareOf } from "./question-focus.js";
import { measureUse, USE_FEATURES, type UseFeatures } from "./sentence-use.js";
import { isAkin } from "./word-family.js";

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
  "softNear",
  "aligned",
  "functionWords",
  "surface",
  "matched",
  "precision",
  "typed",
  "typedMissing",
  "direct",
  "reason",
  "length",
  "early",
  "heading",
  "code",
  ...USE_FEATURES,
] as const;

export type SentenceFeature = (typeof SENTENCE_FEATURES)[number];
export type SentenceFeatures = Record<SentenceFeature, number>;

export interface MeasuredSentence {
  candidate: Candidate;
  features: SentenceFeatures;
  direct: DirectAnswer | undefined;
}

/** Measures the candidates of one question against it and against one another. */
export function measureSentences(
  candidates: readonly Candidate[],
  focus: QuestionFocus,
): MeasuredSentence[] {
  const use = measureUse(candidates, focus);
  return candidates.flatMap((candidate, index) => {
    const own = use[index];
    return own === undefined ? [] : [measureSentence(candidate, focus, own)];
  });
}

function measureSentence(
  candidate: Candidate,
  focus: QuestionFocus,
  use: UseFeatures,
): MeasuredSentence {
  const own = (term: string): boolean => candidate.terms.has(term);
  const titled = (term: string): boolean => own(term) || candidate.titleTerms.has(term);
  const before = (term: string): boolean => candidate.previous?.terms.has(term) ?? false;
  const after = (term: string): boolean => candidate.next?.terms.has(term) ?? false;
  const near = (term: string): boolean => titled(term) || before(term) || after(term);
  const passage = (term: string): boolean => candidate.passageTerms.has(term);
  const rarest = rarestTerm(focus);
  const direct = directAnswer(candidate, focus);
  const wants = wantsDirectAnswer(focus.expected);
  const length = candidate.terms.size;
  const words = new Set(candidate.tokens.map((token) => token.text.toLowerCase()));
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
      pairs:
        focus.pairs.length === 0
          ? 0
          : focus.pairs.filter((pair) => candidate.pairs.has(pair)).length / focus.pairs.length,
      density: density(candidate, focus),
      soft: shareOf(focus, (term) => means(term, candidate.terms)),
      softNear: shareOf(
        focus,
        (term) =>
          means(term, candidate.terms) ||
          means(term, candidate.titleTerms) ||
          (candidate.previous !== undefined && means(term, candidate.previous.terms)),
      ),
      aligned: alongside(candidate, focus),
      functionWords: shareOfWords(functionWords(focus), words),
      surface: shareOfWords(contentWords(focus), words),
      matched: Math.min(1, focus.terms.filter(own).length / 6),
      precision: length === 0 ? 0 : focus.terms.filter(own).length / length,
      typed: wants && direct !== undefined ? 1 : 0,
      typedMissing: wants && direct === undefined ? 1 : 0,
      direct: direct?.score ?? 0,
      reason: explains(candidate, focus) ? 1 : 0,
      length: Math.min(1, Math.log(1 + length) / 5),
      early: 1 / (1 + candidate.position),
      heading: candidate.kind === "heading" || /\?\s*$/u.test(candidate.text) ? 1 : 0,
      code: candidate.kind === "code" ? 1 : 0,
      ...use,
    },
  };
}

function rarestTerm(focus: QuestionFocus): string | undefined {
  let rarest: string | undefined;
  for (const [term, weight] of focus.weights)
    if (rarest === undefined || weight > (focus.weights.get(rarest) ?? 0)) rarest = term;
  return rarest;
}

/** Share of the words between the first and the last match that are matches: words of the question that stand together belong together. */
function density(candidate: Candidate, focus: QuestionFocus): number {
  const content = candidate.tokens.filter((token) => !token.stop);
  const hits = content.flatMap((token, index) => (focus.weights.has(token.term) ? [index] : []));
  const [first] = hits;
  const last = hits[hits.length - 1];
  if (first === undefined || last === undefined) return 0;
  return (
    (hits.length / (last - first + 1)) * Math.min(1, hits.length / Math.max(1, focus.terms.length))
  );
}

const EXPLAINS: Readonly<Record<string, RegExp>> = {
  reason:
    /\b(?:because|since|due to|so that|in order to|as a result|therefore|thus|caused|reason|owing to|to (?:avoid|prevent|ensure|protect)|weil|damit|parce que|porque)\b/iu,
  manner: /\b(?:by \p{L}+ing|using|through|via|run|use|set|call|with the)\b/iu,
};

function explains(candidate: Candidate, focus: QuestionFocus): boolean {
  return EXPLAINS[focus.expected.kind]?.test(candidate.text) ?? false;
}

/** The term, one of its family or of its relation is among `terms`. */
export function means(term: string, terms: ReadonlySet<string>): boolean {
  if (terms.has(term) || relatedTerms(term).some((other) => terms.has(other))) return true;
  for (const other of terms) if (isAkin(term, other)) return true;
  return false;
}

/** How far the question's words come again in their order, 0–1. */
function alongside(candidate: Candidate, { form }: QuestionFocus): number {
  const whole = form.behind.reduce((sum, token) => sum + alignedWeight(token), 0);
  return whole === 0 ? 0 : align(form.behind, candidate.tokens).score / whole;
}

/** Words that stand in any question and any sentence. */
const EVERYWHERE =
  /^(?:what|who|whom|whose|when|where|which|how|why|did|does|do|is|was|were|are|the|a|an|of|to)$/u;

/** "before", "after", "most", "not": small words that tell one fact from another. */
export function functionWords({ form }: QuestionFocus): string[] {
  return form.tokens
    .filter(({ stop }) => stop)
    .map(({ text }) => text.toLowerCase())
    .filter((word) => !EVERYWHERE.test(word));
}

function contentWords({ form, weights }: QuestionFocus): string[] {
  return form.tokens.filter(({ term }) => weights.has(term)).map(({ text }) => text.toLowerCase());
}

/** Share of the words that stand there as they are; a half where there are none, which speaks for nothing. */
function shareOfWords(wanted: readonly string[], words: ReadonlySet<string>): number {
  return wanted.length === 0
    ? 0.5
    : wanted.filter((word) => words.has(word)).length / wanted.length;
}
