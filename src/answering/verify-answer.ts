/**
 * Checks an answer against its evidence: ties each sentence to the span that carries it, whatever
 * the writer cited, and sorts it into one of three bands.
 */
import type { ClaimSupport, ReadablePassage, Reader } from "../reader/reader.js";
import type { Citation, ClaimStatus } from "../state/answer.js";
import { asEvidence, asPassage, type Evidence, type GradablePassage } from "../state/evidence.js";
import { contentTerms } from "../text/analyse.js";
import { languageOf } from "../text/languages.js";
import { citedSentences, type CitedSentence } from "./citations.js";
import {
  bandsOf,
  claimsNothing,
  type ClaimSignals,
  type GuardCutoffs,
  absentFrom,
  type Absent,
} from "./claim-bands.js";

export interface CheckedSentence extends CitedSentence {
  /** The cited sources that carry it, else the one that does. */
  readonly carriedBy: readonly number[];
  /** False for remarks, refusals and headings that state nothing. */
  readonly isClaim: boolean;
  readonly status: ClaimStatus;
  /** How well the evidence supports it, 0–1. */
  readonly score: number;
  /** Absent if nothing is claimed. */
  readonly signals?: ClaimSignals;
  readonly problems: readonly string[];
  readonly citations: readonly Citation[];
}

export interface Verification {
  readonly sentences: readonly CheckedSentence[];
  /** Set if their languages differ: then only numbers and quotations were compared. */
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
}

/** Finds how well, and where, the evidence supports each sentence of an answer. */
export async function verifyAnswer({
  question = "",
  ...given
}: VerifyInput): Promise<Verification> {
  const evidence = given.evidence.map(asEvidence);
  const { answer, cutoffs } = given;
  const parts = citedSentences(answer);
  const texts = evidence.map(({ text }) => text);
  const mismatch = languageMismatch(answer, texts);
  const asked = new Set(contentTerms(question));
  // A quoted value may stand under its title: "9.1 Limits: …".
  const titled = evidence
    .map(asPassage)
    .map(({ title, headings, text }) => [title, ...headings, text].join("\n"));
  const known = new Set([...asked, ...contentTerms(titled.join("\n"))]);
  const supports = await supportOf(parts, { ...given, evidence, question });
  const looked = parts.map((part): Looked => {
    const support = supports.get(part) ?? NOTHING;
    const isClaim = !claimsNothing(part, { asked, known });
    const absent = isClaim ? absentFrom(titled, part.text, question) : NONE_ABSENT;
    return { part, support, isClaim, absent };
  });
  const claims = looked.filter(({ isClaim }) => isClaim);
  const bands = bandsOf(
    claims.map(({ part, support, absent }) => ({
      value: support.value,
      numberAbsent: absent.numbers.length > 0,
      quotationAbsent: absent.quotations.length > 0,
      isCited: part.markers.length > 0,
    })),
    cutoffs,
  );
  const sentences = looked.map((sentence): CheckedSentence => {
    const band = bands[claims.indexOf(sentence)] ?? { status: "supported", score: 1 };
    if (mismatch === undefined) return checked(sentence, evidence, band);
    const { numbers, quotations } = sentence.absent;
    const isMissing = numbers.length + quotations.length > 0;
    const status = isMissing ? "uncertain" : "supported";
    return checked(sentence, evidence, { ...band, status });
  });
  return { sentences, languageMismatch: mismatch };
}

interface Looked {
  readonly part: CitedSentence;
  readonly support: Support;
  readonly isClaim: boolean;
  readonly absent: Absent;
}

function checked(
  { part, support, isClaim, absent }: Looked,
  evidence: readonly Evidence[],
  verdict: Pick<CheckedSentence, "status" | "score" | "signals">,
): CheckedSentence {
  const cited = part.markers.filter((marker) => evidence[marker - 1] !== undefined);
  const dangling = part.markers.filter((marker) => !cited.includes(marker));
  const problems = [
    ...dangling.map((marker) => `[${marker}] names no source`),
    ...[...absent.numbers, ...absent.quotations].map((what) => `${what} is in no source`),
  ];
  const isCarried = isClaim && verdict.status !== "unsupported";
  const carriers = isCarried ? carriersOf(cited, support) : [];
  if (carriers.length > 0 && !cited.some((marker) => carriers.includes(marker)))
    problems.push(
      cited.length === 0
        ? `no valid citation; [${carriers.join(", ")}] carries it`
        : `wrong source: [${cited.join(", ")}] does not carry this; [${carriers.join(", ")}] does`,
    );
  const markers = carriers.length > 0 ? carriers : cited;
  return {
    ...part,
    ...verdict,
    carriedBy: isClaim ? carriers : cited,
    isClaim,
    problems,
    citations: markers.flatMap((marker): Citation[] => {
      const item = evidence[marker - 1];
      if (item === undefined) return [];
      const nowhere = { value: support.value, start: 0, end: 0 };
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

interface Carrier {
  readonly value: number;
  readonly start: number;
  readonly end: number;
}

interface Support {
  /** By all sources together. */
  readonly value: number;
  /** Number of the source that carries it best. */
  readonly best?: number;
  /** For the sources that were read one by one. */
  readonly bySource: ReadonlyMap<number, Carrier>;
}

const NONE_ABSENT: Absent = { numbers: [], quotations: [] };
const NOTHING: Support = { value: 0, bySource: new Map() };

/** Reads sentences against all sources, then against those cited and the one that fits best. */
async function supportOf(
  parts: readonly CitedSentence[],
  {
    evidence,
    question,
    reader,
    signal,
  }: VerifyInput & { evidence: readonly Evidence[]; question: string },
): Promise<ReadonlyMap<CitedSentence, Support>> {
  const passages = evidence.map(asPassage);
  const read = (
    claims: readonly CitedSentence[],
    sources: readonly ReadablePassage[],
  ): Promise<ClaimSupport[]> =>
    reader.support({ claims: claims.map(({ text }) => text), evidence: sources, question, signal });
  const everywhere = await read(parts, passages);
  const supports = parts.map((part, index) => {
    const { value = 0, best } = everywhere[index] ?? {};
    const bySource = new Map<number, Carrier>();
    return { part, value, best: best && best.evidence + 1, bySource };
  });
  for (const [at, passage] of passages.entries()) {
    const marker = at + 1;
    const citing = supports.filter(
      ({ part, best }) => best === marker || part.markers.includes(marker),
    );
    if (citing.length === 0) continue;
    const own = await read(
      citing.map(({ part }) => part),
      [passage],
    );
    for (const [index, { bySource }] of citing.entries()) {
      const { value = 0, best } = own[index] ?? {};
      if (best !== undefined) bySource.set(marker, { value, start: best.start, end: best.end });
    }
  }
  return new Map(supports.map(({ part, ...support }) => [part, support]));
}

/** Share of the best support from which a cited source carries a sentence too. */
const CARRIES = 0.6;

/** The cited sources that support it about equally well, else the one that does best. */
function carriersOf(cited: readonly number[], { value, best, bySource }: Support): number[] {
  const carrying = cited.filter((marker) => (bySource.get(marker)?.value ?? 0) >= CARRIES * value);
  if (carrying.length > 0) return carrying;
  return best === undefined ? [...cited] : [best];
}

function languageMismatch(
  answer: string,
  evidence: readonly string[],
): Verification["languageMismatch"] {
  const own = languageOf(answer);
  const theirs = languageOf(evidence.map((text) => text.slice(0, 1_000)).join("\n"));
  return own && theirs && own !== theirs ? { answer: own, evidence: theirs } : undefined;
}
