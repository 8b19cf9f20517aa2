/** Is a claim supported by its evidence? A small calibrated model says how likely, rules say what disagrees, and the span is shown. */
import { contentTerms } from "../../text/analyse.js";
import { extractNumbers } from "../../text/entities.js";
type ClaimStatus = "supported" | "partial" | "unsupported" | "contradicted";
import type { LogisticModel } from "../logistic.js";
import type { Absence } from "./absences.js";
import { absences, deniesAlone, isInventedName } from "./absences.js";
import type { MeasuredClaim } from "./claim-features.js";
import { measureClaim } from "./claim-features.js";
import { CLAIM_MODEL, claimProbability } from "./claim-model.js";
import { distinctiveTerms } from "./distinctive-terms.js";
import type { Opponent } from "./contradictions.js";
import { contradictions, otherNumber } from "./contradictions.js";
import type { EvidenceWindow } from "./claim-overlap.js";
import { bareClaim } from "./claim-overlap.js";
import type { PreparedSentence, PreparedText } from "./prepared-text.js";
import { prepareText } from "./prepared-text.js";
import { usurpedPlace } from "./usurped-place.js";

/** Supported from here (the model is calibrated: as likely as not). */
export const SUPPORTED_FROM = 0.5;
/** Partial from here to `SUPPORTED_FROM`. */
export const PARTIAL_FROM = 0.3;
/** The words of a claim that stand in the source one after another: a quotation, whatever the model thinks of its length. */
const QUOTED = 0.95;

export interface ClaimCheck {
  status: ClaimStatus;
  /** 0–1, probability that the evidence supports the claim. */
  score: number;
  /** What disagrees, in words. */
  problems: string[];
  /** The span that carries, or contradicts, the claim: `quote === evidence[span.evidence].slice(start, end)`. */
  span?: { evidence: number; start: number; end: number; quote: string };
}

/**
 * Checks one claim against evidence texts.
 * @example checkClaim({ claim: "The tower is 350 m tall.", evidence: ["The tower is 330 m tall."] }).status // "contradicted"
 */
export function checkClaim(input: {
  claim: string;
  evidence: readonly string[];
  question?: string;
}): ClaimCheck {
  return checkPrepared({ ...input, evidence: input.evidence.map(prepareText) });
}

/** As `checkClaim`, for evidence that was prepared once. Across languages only numbers are compared. */
export function checkPrepared(input: {
  claim: string;
  evidence: readonly PreparedText[];
  question?: string;
  acrossLanguages?: boolean;
  /** Other weights than the shipped ones. */
  model?: LogisticModel;
}): ClaimCheck {
  const { evidence, question, acrossLanguages = false, model = CLAIM_MODEL } = input;
  const claim = bareClaim(input.claim);
  const measured = measureClaim({ claim, evidence });
  const span = spanOf(measured.sentence, measured.window, evidence);
  const absent = absences(claim, evidence);
  if (acrossLanguages) return acrossLanguagesCheck(absent, span);
  if (measured.terms.mass === 0) return { status: "supported", score: 1, problems: [] };

  const quoted = measured.copied >= QUOTED && (measured.window?.coverage ?? 0) >= QUOTED;
  const probability = claimProbability(measured.features, model);
  const askedTerms = new Set(contentTerms(question ?? ""));
  const against = contradicted(
    claim,
    measured,
    evidence,
    askedTerms,
    absent.some((item) => item.kind === "number"),
  );
  if (against !== undefined)
    return { status: "contradicted", score: whenContradicted(probability), ...against };
  const score = quoted ? Math.max(probability, QUOTED) : probability;
  // A number or a name that the question brought along is not the answer's invention.
  const asked = new Set(extractNumbers(question ?? "").map(({ value }) => value));
  const invented = absent.filter(({ kind, text }) =>
    kind === "name"
      ? !distinctiveTerms(text).every((term) => askedTerms.has(term))
      : !extractNumbers(text).every(({ value }) => asked.has(value)),
  );
  const problems = invented.map((item) => `${item.kind} ${item.text} is not in the source`);
  const denies = deniesAlone(claim, measured.window, evidence);
  if (denies) problems.push("the claim denies something, and nothing in the source does");
  // A number that stands nowhere in the evidence cannot have come from it, nor a full name; other names may be spelled otherwise there.
  const isInvented = invented.some(
    (item) => item.kind === "number" || isInventedName(item.text, evidence, askedTerms),
  );
  return {
    status: statusOf(score, { isInvented, hasGap: denies || invented.length > 0 }),
    score,
    problems,
    ...(span === undefined ? {} : { span }),
  };
}

/** Of the labelled claims that a rule calls contradicted, the odds of support are half of what the model says; never as likely as not. */
function whenContradicted(probability: number): number {
  return Math.min(SUPPORTED_FROM - 0.01, probability / (2 - probability));
}

function statusOf(
  score: number,
  { isInvented, hasGap }: { isInvented: boolean; hasGap: boolean },
): ClaimStatus {
  if (score < PARTIAL_FROM || isInvented) return "unsupported";
  return score >= SUPPORTED_FROM && !hasGap ? "supported" : "partial";
}

function acrossLanguagesCheck(absent: readonly Absence[], span: ClaimCheck["span"]): ClaimCheck {
  const numbers = absent.filter((item) => item.kind === "number");
  const problems = numbers.map((item) => `number ${item.text} is not in the source`);
  const status = numbers.length > 0 ? "unsupported" : "partial";
  return {
    status,
    score: numbers.length > 0 ? 0.1 : 0.5,
    problems,
    ...(span === undefined ? {} : { span }),
  };
}

function contradicted(
  claim: string,
  measured: MeasuredClaim,
  evidence: readonly PreparedText[],
  asked: ReadonlySet<string>,
  numberIsAbsent: boolean,
): { problems: string[]; span: ClaimCheck["span"] } | undefined {
  const index = measured.sentence?.evidence ?? -1;
  const nearest = measured.sentence?.sentences[0];
  const text = evidence[index];
  if (nearest === undefined || text === undefined) return undefined;
  const problems = contradictions(claim, measured.terms, opponentOf(text, nearest), asked);
  if (problems.length > 0) return { problems, span: spanAt(index, text, nearest) };
  const usurped = usurpedPlace(claim, evidence);
  const owner = evidence[usurped?.evidence ?? -1];
  if (usurped !== undefined && owner !== undefined)
    return {
      problems: [`the source names ${usurped.rival} there, not ${usurped.name}`],
      span: spanAt(usurped.evidence, owner, usurped.sentence),
    };
  if (!numberIsAbsent) return undefined;
  const places = evidence.flatMap((other, at) =>
    other.sentences.map((sentence) => ({ at, text: other, opponent: opponentOf(other, sentence) })),
  );
  const other = otherNumber(
    claim,
    measured.terms,
    places.map(({ opponent }) => opponent),
  );
  const place = places.find(({ opponent }) => opponent === other?.opponent);
  if (other === undefined || place === undefined) return undefined;
  return { problems: other.problems, span: spanAt(place.at, place.text, other.opponent.sentence) };
}

function opponentOf(text: PreparedText, sentence: PreparedSentence): Opponent {
  const at = text.sentences.indexOf(sentence);
  const opening = [...(text.about ?? []), ...(text.sentences[0]?.terms ?? [])];
  const around = text.sentences.slice(Math.max(0, at - 1), at + 2).flatMap((part) => part.terms);
  return { sentence, opening: new Set(opening), neighbourhood: new Set([...opening, ...around]) };
}

function spanAt(
  evidence: number,
  text: PreparedText,
  sentence: PreparedSentence,
): ClaimCheck["span"] {
  return {
    evidence,
    start: sentence.start,
    end: sentence.end,
    quote: text.text.slice(sentence.start, sentence.end),
  };
}

/** The sentence alone where it carries nearly as much as the window round it. */
function spanOf(
  sentence: EvidenceWindow | undefined,
  window: EvidenceWindow | undefined,
  evidence: readonly PreparedText[],
): ClaimCheck["span"] {
  const chosen =
    sentence !== undefined && window !== undefined && sentence.coverage >= 0.9 * window.coverage
      ? sentence
      : window;
  const first = chosen?.sentences[0];
  const last = chosen?.sentences[chosen.sentences.length - 1];
  const text = chosen === undefined ? undefined : evidence[chosen.evidence]?.text;
  if (chosen === undefined || first === undefined || last === undefined || text === undefined)
    return undefined;
  return {
    evidence: chosen.evidence,
    start: first.start,
    end: last.end,
    quote: text.slice(first.start, last.end),
  };
}
