/**
 * Checks an answer against its evidence: ties each sentence to the span that carries it, whatever
 * the writer cited, and sorts it into one of three bands.
 */
import type { ClaimSupport, ReadablePassage, Reader } from "../reader/reader.js";
import type { Citation } from "../state/answer.js";
import {
  asEvidence,
  asPassage,
  headedTitles,
  type Evidence,
  type GradablePassage,
} from "../state/evidence.js";
import { createPauses } from "../support/waiting.js";
import { contentTerms } from "../text/analyse.js";
import { languageOf } from "../text/languages.js";
import { oneLine } from "../text/words.js";
import type { Range } from "../text/passage-blocks.js";
import { citedSentences, type CitedSentence } from "./citations.js";
import {
  bandsOf,
  claimsNothing,
  isRemark,
  isSourceName,
  type ClaimBand,
  type GuardCutoffs,
} from "./claim-bands.js";
import { factOf, factsOf, type Statements } from "./figures.js";
import { missingFrom, sourcesOf, type Missing } from "./missing.js";
import { isRefusing } from "./refusal.js";

export interface CheckedSentence extends CitedSentence, ClaimBand {
  /** The sources that it is shown with. */
  readonly carriedBy: readonly number[];
  /** False for remarks, refusals and headings that state nothing. */
  readonly isClaim: boolean;
  /** True if it holds a number, a name or an address that appears in no source. */
  readonly isUnfounded: boolean;
  readonly problems: readonly string[];
  readonly citations: readonly Citation[];
}

export interface Verification {
  readonly sentences: readonly CheckedSentence[];
  /** Set if their languages differ: then only numbers and literals were compared. */
  readonly languageMismatch?: { readonly answer: string; readonly evidence: string };
}

interface VerifyInput {
  answer: string;
  /** `evidence[n - 1]` is the source that `[n]` names. */
  evidence: readonly GradablePassage[];
  /** Its words need no source. */
  question?: string;
  reader: Reader;
  cutoffs?: GuardCutoffs;
  signal?: AbortSignal;
  /** Once it is aborted, words alone decide. */
  hurry?: AbortSignal;
}

/** Finds how well, and where, the evidence supports each sentence of an answer. */
export async function verifyAnswer({
  question = "",
  ...given
}: VerifyInput): Promise<Verification> {
  const evidence = given.evidence.map(asEvidence);
  const { answer, cutoffs } = given;
  const parts = citedSentences(answer);
  const cited = new Set(parts.flatMap(({ markers }) => markers));
  const read = evidence.filter((_item, index) => cited.size === 0 || cited.has(index + 1));
  const mismatch = languageMismatch(answer, read);
  const asked = new Set(contentTerms(question));
  // A quoted value may follow its title: "9.1 Limits: …".
  const titled = evidence
    .map(asPassage)
    .map(({ title, headings, text }) => [title, ...headings, "", text].join("\n"));
  const known = new Set([...asked, ...contentTerms(titled.join("\n"))]);
  const sources = sourcesOf({
    titled,
    question,
    facts: evidence.map((item) => [
      ...headedTitles(item).map((title) => factOf(oneLine(title))),
      ...factsOf(item.text, item.blocks),
    ]),
    isTranslated: mismatch !== undefined,
  });
  const isSilent = (part: CitedSentence): boolean =>
    claimsNothing(part, { asked, known }) || isSourceName(part, answer, evidence);
  const toRead = parts.filter((part) => part.markers.length > 0 || !isSilent(part));
  const supports = await supportOf(toRead, { ...given, evidence, question });
  const pause = createPauses(given.signal);
  const looked: Looked[] = [];
  let before: number | undefined;
  for (const part of parts) {
    await pause();
    const support = supports.get(part) ?? NOTHING;
    const refuses = isRefusing(part.text, support);
    const says = !refuses && !isSilent(part);
    const missing = says || refuses ? missingFrom(part, sources, answer) : NONE_MISSING;
    const isClaim = says || missing.nowhere.length > 0;
    const cited = part.markers.filter((marker) => evidence[marker - 1] !== undefined);
    const isUncited = !isClaim && (refuses || isRemark(part));
    const carriers = isClaim
      ? carriersOf(part, cited, support, sources.statements)
      : isUncited
        ? []
        : cited;
    const found = { part, support, isClaim, cited, carriers, missing, before };
    looked.push(found);
    if (isClaim || refuses) before = supportBy(found).value;
  }
  const claims = looked.filter(({ isClaim }) => isClaim);
  const bands = bandsOf(
    claims.map((claim) => ({ ...claim, ...supportBy(claim) })),
    cutoffs,
  );
  const sentences = looked.map((sentence): CheckedSentence => {
    const band = bands[claims.indexOf(sentence)] ?? NO_CLAIM;
    if (mismatch === undefined) return checked(sentence, evidence, band);
    const { nowhere, doubts } = sentence.missing;
    const status = nowhere.length + doubts.length > 0 ? "uncertain" : "supported";
    return checked(sentence, evidence, { ...band, status });
  });
  return { sentences, languageMismatch: mismatch };
}

interface Looked {
  readonly part: CitedSentence;
  readonly support: Support;
  readonly isClaim: boolean;
  /** The sources that it cites, and those that it is shown with. */
  readonly cited: readonly number[];
  readonly carriers: readonly number[];
  readonly missing: Missing;
  /** The reader's support of the claim or refusal before it. */
  readonly before?: number;
}

function checked(
  { part, support, isClaim, cited, carriers, missing }: Looked,
  evidence: readonly Evidence[],
  verdict: ClaimBand,
): CheckedSentence {
  const dangling = part.markers.length - cited.length;
  const problems = [
    ...(dangling > 0 ? ["a citation names no source"] : []),
    ...missing.nowhere,
    ...missing.doubts,
    ...(verdict.isTurned ? ["a source has its words, but may not say this"] : []),
  ];
  const isBare = part.kind === "code" && part.markers.length === 0;
  const isCited = isBare || cited.some((marker) => carriers.includes(marker));
  if (isClaim && carriers.length > 0 && !isCited)
    problems.push(
      cited.length === 0
        ? "the number of its source was missing or wrong, and is corrected"
        : "it cites a source that does not carry it; another does",
    );
  return {
    ...part,
    ...verdict,
    carriedBy: carriers,
    isClaim,
    isUnfounded: isClaim && missing.nowhere.length > 0,
    problems,
    citations: carriers.flatMap((marker): Citation[] => {
      const item = evidence[marker - 1];
      if (item === undefined) return [];
      const nowhere = { ...support, start: 0, end: 0 };
      const { value, start, end } = support.bySource.get(marker) ?? nowhere;
      return [
        {
          marker,
          evidence_id: item.id,
          source: item.source,
          title: item.title,
          ...(item.metadata && { metadata: item.metadata }),
          quote: item.text.slice(start, end),
          start,
          end,
          claim: part.text,
          status: verdict.status,
          score: value,
          ...(problems.length > 0 && { problems }),
        },
      ];
    }),
  };
}

/** By the reader, and by shared words alone; 0–1. */
type Supported = Pick<ClaimSupport, "value" | "sense"> & { readonly words: number };

type Carrier = Supported & Range;

/** By all sources together. */
interface Support extends Supported {
  /** Number of the source that carries it best. */
  readonly best?: number;
  /** For the best source and those that were read one by one. */
  readonly bySource: ReadonlyMap<number, Carrier>;
}

const NO_CLAIM: ClaimBand = { status: "supported", score: 1 };
const NONE_MISSING: Missing = { nowhere: [], doubts: [], isSettled: false };
const NOTHING: Support = { value: 0, words: 0, bySource: new Map() };

/** Reads sentences against all sources, then against each that they cite. */
async function supportOf(
  parts: readonly CitedSentence[],
  input: VerifyInput & { evidence: readonly Evidence[]; question: string },
): Promise<ReadonlyMap<CitedSentence, Support>> {
  const { evidence, reader, question, signal, hurry } = input;
  const how = { question, signal, hurry };
  const passages = evidence.map(asPassage);
  const read = (
    claims: readonly CitedSentence[],
    sources: readonly ReadablePassage[],
  ): Promise<ClaimSupport[]> =>
    reader.support({ ...how, claims: claims.map(({ text }) => text), evidence: sources });
  const everywhere = await read(parts, passages);
  const supports = parts.map((part, index) => {
    const { value = 0, words = value, sense, best } = everywhere[index] ?? {};
    const found = best && { value, words, sense, ...best };
    const bySource = new Map<number, Carrier>(found && [[found.evidence + 1, found]]);
    return { part, value, words, sense, best: best && best.evidence + 1, bySource };
  });
  for (const [at, passage] of passages.entries()) {
    const citing = supports.filter(({ part }) => part.markers.includes(at + 1));
    if (citing.length === 0 || passages.length === 1) continue;
    const claims = citing.map(({ part }) => part);
    const readings = await read(claims, [passage]);
    for (const [index, { bySource }] of citing.entries()) {
      const { value = 0, words = value, sense, best } = readings[index] ?? {};
      if (best !== undefined) bySource.set(at + 1, { value, words, sense, ...best });
    }
  }
  return new Map(supports.map(({ part, ...support }) => [part, support]));
}

/** By the only source that a sentence cites rightly; by all, where it cites several or none. */
function supportBy({ support, cited, carriers: [only = 0, other] }: Looked): Supported {
  const isOnly = other === undefined && cited.includes(only);
  const { value, words, sense } = (isOnly && support.bySource.get(only)) || support;
  return { value, words, sense };
}

/** Share of the best support from which a source carries a sentence too. */
const CARRIES = 0.6;

/**
 * The cited sources that a sentence rests on: each that supports it about as well as the best, and
 * each that holds a word of it which the other cited ones do not. If there is none, the best of
 * all.
 */
function carriersOf(
  { text }: CitedSentence,
  cited: readonly number[],
  { value, best, bySource }: Support,
  statements: readonly Statements[],
): number[] {
  const terms = [...factOf(text).terms];
  const holds = (marker: number, term: string): boolean =>
    statements[marker - 1]?.places.has(term) === true;
  const carrying = cited.filter((marker) => {
    const isAlone = (term: string): boolean =>
      cited.every((other) => holds(other, term) === (other === marker));
    const adds = cited.length > 1 && terms.some(isAlone);
    return adds || (bySource.get(marker)?.value ?? 0) >= CARRIES * value;
  });
  if (carrying.length > 0) return carrying;
  return best === undefined ? [...cited] : [best];
}

function languageMismatch(
  answer: string,
  evidence: readonly Evidence[],
): Verification["languageMismatch"] {
  const language = languageOf(answer);
  const theirs = languageOf(evidence.map(({ text }) => text.slice(0, 1_000)).join("\n"));
  return language && theirs && language !== theirs
    ? { answer: language, evidence: theirs }
    : undefined;
}
