/**
 * The last look at an answer: what the evidence does not carry is repaired once or removed, and named. Pure; no model. The node decides
 * whether there is budget for another round and passes it as `mayRetry`.
 */
import type { Citation, SourceReference } from "../state/answer.js";
import type { Evidence } from "../state/evidence.js";
import { renderSource } from "../state/evidence.js";
import { abstention } from "./abstention.js";
import { markSentence } from "./citations.js";
import { plainText } from "./plain-text.js";
import type { PolicyFilter } from "./policy.js";
import type { CheckedSentence, Verification } from "./verify-answer.js";
import { verifyAnswer } from "./verify-answer.js";

/** More than this share of unsupported claims sends the run round once more. */
export const TOO_MUCH_UNSUPPORTED = 0.5;

/** A quotation longer than this, in characters, is no repair of a sentence. */
const MAX_REPAIR = 400;

export type GuardVerdict = "pass" | "revised" | "retry" | "abstain";

export interface GuardResult {
  /** The answer as it may be shown. For `retry` the best that could be saved, should no further round come to anything. */
  text: string;
  citations: Citation[];
  /** Sources that `text` cites, by number. */
  sources: SourceReference[];
  verdict: GuardVerdict;
  /** Sentences of the draft that are not in `text` any more, as they were. */
  withdrawn: string[];
  /** What was found wrong, a line each, for `warnings`. */
  warnings: string[];
  verification: Verification;
  /** How many sentences the policy filter withheld. They are named nowhere, not even as withdrawn. */
  withheld: number;
  /** True when the policy filter left nothing. */
  blockedByPolicy: boolean;
}

export interface GuardInput {
  answer: string;
  /** `evidence[n - 1]` is the source that `[n]` names. */
  evidence: readonly Evidence[];
  question: string;
  /** Whether another round would be possible. */
  mayRetry: boolean;
  policy?: PolicyFilter;
  /** Claims, as in `verification.sentences[].text`, that a second opinion found unsupported. */
  doubted?: readonly string[];
  /** An earlier check of the same answer against the same evidence, to save doing it again. */
  verification?: Verification;
}

type Fate = { keep: string; citations: Citation[]; replaces?: string } | { withdraw: string };

/** Checks, mends and judges an answer. An empty answer is an abstention. */
export function guardAnswer(input: GuardInput): GuardResult {
  const { answer, evidence, question, mayRetry, policy, doubted = [] } = input;
  const verification = input.verification ?? verifyAnswer({ answer, evidence, question });
  const warnings: string[] = [];
  const withdrawn: string[] = [];
  const kept = new Map<CheckedSentence, string>();
  const citations: Citation[] = [];
  let blocked = 0;
  if (verification.languageMismatch !== undefined) {
    const { answer: own, evidence: theirs } = verification.languageMismatch;
    warnings.push(`the answer is in ${own}, the evidence in ${theirs}: only numbers were compared`);
  }
  for (const sentence of verification.sentences) {
    const objection = policy?.(sentence.text);
    if (objection !== undefined) {
      blocked += 1;
      // What must not be said is not said in a warning either.
      warnings.push(`a sentence was withheld by the policy filter: ${objection}`);
      continue;
    }
    const fate = fateOf(sentence, answer, doubted);
    if ("withdraw" in fate) {
      withdrawn.push(sentence.text);
      warnings.push(`withdrawn: "${sentence.text}" (${fate.withdraw})`);
      continue;
    }
    if (fate.replaces !== undefined) {
      withdrawn.push(sentence.text);
      warnings.push(`replaced by the words of the source: "${sentence.text}" (${fate.replaces})`);
    } else if (sentence.problems.length > 0)
      warnings.push(`"${sentence.text}": ${sentence.problems.join("; ")}`);
    kept.set(sentence, fate.keep);
    citations.push(...fate.citations);
  }
  const text = recompose(verification.sentences, answer, kept);
  const changed = text !== answer.trim();
  const saysSomething = [...kept.keys()].some((sentence) => sentence.isClaim);
  const hadClaims = verification.sentences.some((sentence) => sentence.isClaim);
  const tooMuch = share(withdrawn.length, verification.sentences) > TOO_MUCH_UNSUPPORTED;
  const verdict: GuardVerdict =
    mayRetry && blocked === 0 && tooMuch
      ? "retry"
      : !saysSomething && (hadClaims || text === "")
        ? "abstain"
        : changed
          ? "revised"
          : "pass";
  const shown = saysSomething || !hadClaims ? text : "";
  return {
    text: shown === "" ? abstention({ question, evidence }) : shown,
    citations: shown === "" ? [] : citations,
    sources: shown === "" ? [] : sourcesOf(citations),
    verdict,
    withdrawn,
    warnings,
    verification,
    withheld: blocked,
    blockedByPolicy: blocked > 0 && shown === "",
  };
}

function share(count: number, sentences: readonly CheckedSentence[]): number {
  const claims = sentences.filter((sentence) => sentence.isClaim).length;
  return claims === 0 ? 0 : count / claims;
}

function fateOf(sentence: CheckedSentence, answer: string, doubted: readonly string[]): Fate {
  const original = answer.slice(sentence.start, sentence.end);
  if (!sentence.isClaim) return { keep: original, citations: sentence.citations };
  if (doubted.includes(sentence.text))
    return { withdraw: "a second opinion found no support for it" };
  if (sentence.status === "supported" || sentence.status === "partial") {
    const same =
      sentence.markers.length === sentence.cited.length &&
      sentence.markers.every((marker) => sentence.cited.includes(marker));
    return {
      keep: same ? original : markSentence(withoutMarks(original), sentence.markers),
      citations: sentence.citations,
    };
  }
  const repaired = sentence.status === "contradicted" ? repairByQuote(sentence, answer) : undefined;
  return repaired ?? { withdraw: sentence.problems.join("; ") || "no source carries it" };
}

/** A contradicted sentence gives way to the words of the source that contradicts it. */
function repairByQuote(sentence: CheckedSentence, answer: string): Fate | undefined {
  const [citation] = sentence.citations;
  if (citation === undefined) return undefined;
  const quote = plainText(citation.quote);
  if (quote === "" || quote.length > MAX_REPAIR || answer.includes(quote)) return undefined;
  return {
    keep: markSentence(quote, [citation.marker]),
    citations: [{ ...citation, claim: quote, status: "supported", score: 1, problems: undefined }],
    replaces: sentence.problems.join("; "),
  };
}

function withoutMarks(text: string): string {
  return text.replace(/\s*\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]/gu, "").trim();
}

/** What is kept, with whatever stood between the sentences: white space, list bullets, table borders. */
function recompose(
  sentences: readonly CheckedSentence[],
  answer: string,
  kept: ReadonlyMap<CheckedSentence, string>,
): string {
  let text = "";
  let gap = "";
  let at = 0;
  for (const sentence of sentences) {
    const between = answer.slice(at, sentence.start);
    // Of the gaps round a withdrawn sentence the one with the line break is kept.
    gap = gap.includes("\n") && !between.includes("\n") ? gap : between;
    at = sentence.end;
    const own = kept.get(sentence);
    if (own === undefined) continue;
    text += gap + own;
    gap = "";
  }
  return text.trim();
}

function sourcesOf(citations: readonly Citation[]): SourceReference[] {
  const byMarker = new Map<number, SourceReference>();
  for (const { marker, evidence_id, title, source } of citations) {
    byMarker.set(marker, { marker, evidence_id, title, source, label: renderSource(source) });
  }
  return [...byMarker.values()].sort((a, b) => a.marker - b.marker);
}
