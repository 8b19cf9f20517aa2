/** The embedded answer: sentences quoted from the evidence, each cited, a short direct answer first where the question asks for one. */
import type { Evidence } from "../../state/evidence.js";
import { probability } from "../../grading/logistic.js";
import type { Candidate } from "./answer-candidates.js";
import { candidatesOf } from "./answer-candidates.js";
import { ANSWERABILITY_MODEL } from "./answer-models.js";
import { measureAnswerability } from "./answerability.js";
import { composeAnswer } from "./compose-answer.js";
import type { ContextWindow } from "../context-window.js";
import type { QuestionFocus } from "./question-focus.js";
import { questionFocus } from "./question-focus.js";
import { headedBy, rankSentences } from "./rank-sentences.js";
import { preferBearing } from "./chinese-coverage.js";
import { isLabelled, preferAskedKind } from "./kinds/prefer-kind.js";
import { onlyQuantity, shortAnswer, standsFirst } from "./short-answer/short-answer.js";

export interface ExtractedAnswer {
  /** With `[n]` markers; empty when unanswerable. */
  text: string;
  unanswerable: boolean;
  /** Why not, in a sentence. */
  reason?: string;
  /** 0–1, probability that the first sentence quoted answers the question. */
  confidence: number;
}

export interface ExtractInput {
  /** The standalone question. */
  question: string;
  window: ContextWindow;
  /** The passages behind the window. */
  evidence: readonly Evidence[];
  /** The aggregate of the last grading, 0–1. Absent when nothing was graded: then whatever matches best is quoted. */
  evidenceScore?: number;
  /** Below this evidence score nothing is answered, 0–1. */
  abstainBelow?: number;
  /** Below this confidence nothing is answered, if the evidence was graded, 0–1. */
  confidentFrom?: number;
}

/**
 * Cut-offs of the confidence. With these about a fifth of the answerable questions of SQuAD 2.0 is withheld. A question for a fact about something
 * that it names must be matched well; one without a name ("how do I start the server?") is asked of documentation, where the subject goes
 * without saying and little of it is repeated. The confidence rises with the length of a question, and what it looks at is English: short
 * questions and those in other languages would be withheld for no other reason.
 */
const CONFIDENT_FROM = { fact: 0.34, other: 0.3, short: 0.15, foreign: 0.1 } as const;

/** Content words of a short question, at most. */
const SHORT = 3;

function cutOff(focus: QuestionFocus): number {
  if (!focus.form.isEnglish) return CONFIDENT_FROM.foreign;
  if (asksForFact(focus)) return CONFIDENT_FROM.fact;
  return focus.terms.length <= SHORT ? CONFIDENT_FROM.short : CONFIDENT_FROM.other;
}

/** Quotes the answer from the window, or says why there is none. Deterministic; no model. */
export function extractAnswer(input: ExtractInput): ExtractedAnswer {
  const { question, window, evidence, evidenceScore, abstainBelow = 0 } = input;
  const refuse = (reason: string, confidence = 0): ExtractedAnswer => ({
    text: "",
    unanswerable: true,
    reason,
    confidence,
  });
  const focus = questionFocus(question);
  const { confidentFrom = cutOff(focus) } = input;
  const [first, ...rest] = rankSentences(candidatesOf(window, evidence), focus);
  if (first === undefined) return refuse("no evidence was found");
  if (evidenceScore !== undefined && evidenceScore < abstainBelow)
    return refuse("the evidence is too weak to answer from");
  const bearing = preferBearing([first, ...rest], focus);
  if (evidenceScore !== undefined && bearing === undefined)
    return refuse("no sentence of the evidence bears on the question");
  const { ranked, isMissing } = preferAskedKind(bearing ?? [first, ...rest], focus);
  const [best] = ranked;
  if (focus.terms.length > 0 && !joinsQuestion(best.measured.candidate, focus))
    return refuse("no sentence of the evidence bears on the question");
  const short = shortAnswer(focus, ranked);
  const confidence = Math.max(
    probability(measureAnswerability(question, focus, best, short), ANSWERABILITY_MODEL),
    headedBy(best.measured.candidate, focus),
    isLabelled(best.measured.candidate, focus) ? best.probability : 0,
  );
  if (evidenceScore !== undefined && isMissing)
    return refuse("no sentence of the evidence holds what the question asks for", confidence);
  if (evidenceScore !== undefined && confidence < confidentFrom)
    return refuse(
      "no sentence of the evidence joins what the question asks about with what it asks for",
      confidence,
    );
  const lead =
    short !== undefined && standsFirst(short, focus) ? short : (onlyQuantity(focus, best) ?? short);
  return { text: composeAnswer(focus, ranked, lead), unanswerable: false, confidence };
}

/** A fact about something that the question names is easily answered with a fact about something else. "How" and "why" are not of this kind. */
function asksForFact({ expected, isSpecific }: QuestionFocus): boolean {
  return isSpecific && !["manner", "reason", "list", "yes_no"].includes(expected.kind);
}

/** At least one word of the question, with its surroundings. */
function joinsQuestion(candidate: Candidate, focus: QuestionFocus): boolean {
  return focus.terms.some(
    (term) =>
      candidate.terms.has(term) ||
      candidate.titleTerms.has(term) ||
      (candidate.previous?.terms.has(term) ?? false),
  );
}
