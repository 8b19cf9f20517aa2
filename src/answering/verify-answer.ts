/**
 * Checks an answer against its evidence without a model: every sentence is tied to the span that carries it, found here and not claimed by
 * whoever wrote the answer.
 */
import type { ClaimCheck } from "../grading/claims/claim-check.js";
import { checkPrepared } from "../grading/claims/claim-check.js";
import type { PreparedText } from "../grading/claims/prepared-text.js";
import { prepareText } from "../grading/claims/prepared-text.js";
import type { Citation, ClaimStatus } from "../state/answer.js";
import { headedTitle, type Evidence } from "../state/evidence.js";
import { contentTerms } from "../text/analyse.js";
import type { CitedSentence } from "./citations.js";
import { citedSentences } from "./citations.js";
import { languageMismatch } from "./language.js";
import { isNoClaim } from "./no-claim.js";
import { quoteProblems } from "./quotes.js";

/** Longer blocks of code are cited by the sentence that announces them. */
const MAX_VERBATIM_WORDS = 400;

/** One sentence of the answer and what the evidence says of it. */
export interface CheckedSentence {
  /** Without markers. */
  text: string;
  /** Offsets in the answer, markers included. */
  start: number;
  end: number;
  /** The numbers that it cites, those that name no source included. */
  cited: number[];
  /** The numbers that it should cite: what it cites as far as that carries it, else the source that does. Empty when none does. */
  markers: number[];
  /** False for headings, lead-ins and remarks about the evidence itself, which need no support. */
  isClaim: boolean;
  status: ClaimStatus;
  /** 0–1, probability that the evidence supports it. */
  score: number;
  /** What is wrong, in words. */
  problems: string[];
  citations: Citation[];
}

export interface Verification {
  sentences: CheckedSentence[];
  /** Of all sentences, in order; one for each source of each sentence. */
  citations: Citation[];
  /** Set when answer and evidence are in different languages, so that only numbers could be compared. */
  languageMismatch?: { answer: string; evidence: string };
  /** Share of the claims that are unsupported or contradicted, 0–1; 0 without claims. */
  unsupportedShare: number;
}

/** `evidence[n - 1]` is the source that `[n]` names. */
export function verifyAnswer(input: {
  answer: string;
  evidence: readonly Evidence[];
  question: string;
}): Verification {
  const { answer, evidence, question } = input;
  const prepared = evidence.map((item) => ({
    ...prepareText(item.text),
    about: new Set(contentTerms(headedTitle(item))),
  }));
  const mismatch = languageMismatch(
    answer,
    evidence.map((item) => item.text),
  );
  const parts = citedSentences(answer);
  const sentences = parts.map((part) =>
    checkSentence(part, { evidence, prepared, question, acrossLanguages: mismatch !== undefined }),
  );
  const claims = sentences.filter((sentence) => sentence.isClaim);
  const bad = claims.filter(
    (sentence) => sentence.status === "unsupported" || sentence.status === "contradicted",
  );
  return {
    sentences,
    citations: sentences.flatMap((sentence) => sentence.citations),
    ...(mismatch === undefined ? {} : { languageMismatch: mismatch }),
    unsupportedShare: claims.length === 0 ? 0 : bad.length / claims.length,
  };
}

/** A lead-in or a block of code claims nothing, but where it is quoted word by word its number leads to where it stands. */
function verbatim(
  part: CitedSentence,
  marker: number,
  item: Evidence | undefined,
): Citation | undefined {
  const words = part.text.split(" ");
  if (item === undefined || words.length > MAX_VERBATIM_WORDS) return undefined;
  const pattern = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const found = new RegExp(pattern, "u").exec(item.text);
  if (found === null) return undefined;
  const { id: evidence_id, source, title } = item;
  const [quote] = found;
  const span = { quote, start: found.index, end: found.index + quote.length };
  return {
    marker,
    evidence_id,
    source,
    title,
    ...span,
    claim: part.text,
    status: "supported",
    score: 1,
  };
}

interface Sources {
  evidence: readonly Evidence[];
  prepared: readonly PreparedText[];
  question: string;
  acrossLanguages: boolean;
}

function checkSentence(part: CitedSentence, sources: Sources): CheckedSentence {
  const { evidence, prepared, question, acrossLanguages } = sources;
  const base = { text: part.text, start: part.start, end: part.end, cited: part.markers };
  if (part.kind !== "sentence" || isNoClaim(part.text)) {
    const citations = part.markers.flatMap(
      (marker) => verbatim(part, marker, evidence[marker - 1]) ?? [],
    );
    return {
      ...base,
      markers: [],
      isClaim: false,
      status: "supported",
      score: 1,
      problems: [],
      citations,
    };
  }
  const valid = part.markers.filter((marker) => evidence[marker - 1] !== undefined);
  const dangling = part.markers.filter((marker) => evidence[marker - 1] === undefined);
  const problems = dangling.map((marker) => `[${String(marker)}] names no source`);

  // One source is looked at for several reasons: alone, as one of those cited, as the only one there is.
  const checked = new Map<string, ClaimCheck>();
  const check = (markers: readonly number[]): ClaimCheck => {
    const key = markers.join();
    const known = checked.get(key);
    if (known !== undefined) return known;
    const result = checkPrepared({
      claim: part.text,
      question,
      acrossLanguages,
      evidence: markers.flatMap((marker) => prepared[marker - 1] ?? []),
    });
    checked.set(key, result);
    return result;
  };
  const everywhere = evidence.map((_, index) => index + 1);
  const byCited = valid.length > 0 ? check(valid) : undefined;
  let verdict = byCited;
  let searched = valid;
  if (byCited === undefined || byCited.status !== "supported") {
    const byAll = check(everywhere);
    const rank = (status: ClaimStatus): number =>
      ["unsupported", "contradicted", "partial", "supported"].indexOf(status);
    if (
      byCited === undefined ||
      (byAll.status !== byCited.status &&
        rank(byAll.status) > 1 &&
        rank(byAll.status) > rank(byCited.status))
    ) {
      verdict = byAll;
      searched = everywhere;
    }
  }
  if (verdict === undefined) verdict = { status: "unsupported", score: 0, problems: [] };
  const carries = verdict.status === "supported" || verdict.status === "partial";
  const found = verdict.span === undefined ? undefined : searched[verdict.span.evidence];
  problems.push(
    ...verdict.problems,
    ...quoteProblems({ sentence: part.text, cited: valid, evidence, prepared }),
  );
  const markers = carries ? supporting(valid, found, check) : [];
  if (carries && found !== undefined && searched === everywhere && !valid.includes(found)) {
    problems.push(
      valid.length === 0
        ? `no valid citation; [${String(found)}] carries it`
        : `wrong source: ${valid.map((marker) => `[${String(marker)}]`).join(", ")} does not carry this; [${String(found)}] does`,
    );
  }
  const status =
    problems.some(
      (problem) => problem.startsWith("fabricated quote") || problem.startsWith("stitched quote"),
    ) && carries
      ? "unsupported"
      : verdict.status;
  return {
    ...base,
    markers: status === "unsupported" || status === "contradicted" ? [] : markers,
    isClaim: true,
    status,
    score: verdict.score,
    problems,
    citations: citationsFor({ part, verdict, status, problems, found, markers, evidence, check }),
  };
}

/** The cited sources that carry the sentence, each alone or as part of several; else the one that was found. */
function supporting(
  valid: readonly number[],
  found: number | undefined,
  check: (markers: readonly number[]) => ClaimCheck,
): number[] {
  if (found === undefined) return [];
  if (!valid.includes(found)) return [found];
  const others = valid.filter(
    (marker) =>
      marker !== found &&
      check([marker]).status !== "unsupported" &&
      check([marker]).status !== "contradicted",
  );
  return valid.filter((marker) => marker === found || others.includes(marker));
}

function citationsFor(input: {
  part: CitedSentence;
  verdict: ClaimCheck;
  status: ClaimStatus;
  problems: string[];
  found: number | undefined;
  markers: readonly number[];
  evidence: readonly Evidence[];
  check: (markers: readonly number[]) => ClaimCheck;
}): Citation[] {
  const { part, verdict, status, problems, found, markers, evidence, check } = input;
  const shown = markers.length > 0 ? markers : found === undefined ? [] : [found];
  return shown.flatMap((marker): Citation[] => {
    const item = evidence[marker - 1];
    const own = marker === found ? verdict : check([marker]);
    if (item === undefined || own.span === undefined) return [];
    const { start, end } = own.span;
    return [
      {
        marker,
        evidence_id: item.id,
        source: item.source,
        title: item.title,
        quote: item.text.slice(start, end),
        start,
        end,
        claim: part.text,
        status: marker === found ? status : own.status,
        score: own.score,
        ...(problems.length > 0 && marker === found ? { problems } : {}),
      },
    ];
  });
}
