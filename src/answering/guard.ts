/**
 * The last look at an answer: supported sentences stay, uncertain ones are marked, unsupported ones
 * withdrawn, the latter two named in warnings. No sentence is ever replaced. Pure: the node decides
 * whether there is budget for another round.
 */
import { sourceReference, type Citation, type SourceReference } from "../state/answer.js";
import { addressOf, type Evidence } from "../state/evidence.js";
import { escapePattern, hasWords, oneLine } from "../text/words.js";
import { citationMarkers, markerEdits, markSentence, normalizeMarkers } from "./citations.js";
import { applyEdits, foreignLinks } from "./links.js";
import { numbered } from "./numbering.js";
import type { CheckedSentence, Verification } from "./verify-answer.js";

/** From this share of withdrawn claims on, the run goes another round. */
const TOO_MUCH_WITHDRAWN = 1 / 3;

/**
 * `standard`: only what cannot stay is withdrawn; `strict`: what no source supports too, and a
 * model checks the marked sentences; `mark`: nothing is withdrawn; `off`: the answer stays as it
 * is, and only its citations are resolved.
 */
export type GuardMode = "strict" | "standard" | "mark" | "off";

/** For moderation and house rules: returns why a sentence must not be said, if so. */
export type PolicyFilter = (sentence: string) => string | undefined;

export interface GuardResult {
  verdict: "pass" | "revised" | "retry" | "abstain";
  /** What may be shown, empty if nothing; for `retry` the best that could be saved. */
  text: string;
  citations: Citation[];
  /** The sources that `text` cites, numbered from 1 in its order. */
  sources: SourceReference[];
  /** Sentences of the draft that are missing from `text`. */
  withdrawn: string[];
  /** Sentences of `text`, word for word, whose support is uncertain. */
  marked: string[];
  warnings: string[];
  /** How many sentences the policy filter withheld, without naming them anywhere. */
  withheld: number;
}

export function guardAnswer({
  answer,
  evidence,
  verification,
  mode,
  mayRetry,
  policy,
}: {
  answer: string;
  /** `evidence[n - 1]` is the source that `[n]` names. */
  evidence: readonly Evidence[];
  verification: Verification;
  mode: GuardMode;
  /** True when another round would be possible. */
  mayRetry: boolean;
  policy?: PolicyFilter;
}): GuardResult {
  const { sentences, languageMismatch } = verification;
  const result = { withdrawn: [] as string[], marked: [] as string[], warnings: [] as string[] };
  if (languageMismatch !== undefined && mode !== "off")
    result.warnings.push(
      `the answer (${languageMismatch.answer}) and the evidence ` +
        `(${languageMismatch.evidence}) are in different languages: only numbers were ` +
        "compared",
    );
  const kept = new Map<CheckedSentence, string>();
  const inProse = new Set(
    sentences.flatMap(({ kind, carriedBy }) => (kind === "code" ? [] : carriedBy)),
  );
  let withheld = 0;
  for (const sentence of sentences) {
    const { text, status, problems } = sentence;
    const objection = policy?.(text);
    if (objection !== undefined) {
      withheld += 1;
      // A warning must not repeat it.
      result.warnings.push(`a sentence was withheld by the policy filter: ${objection}`);
      continue;
    }
    const why = problems.join("; ");
    if (isWithdrawn(sentence, mode)) {
      result.withdrawn.push(text);
      result.warnings.push(`withdrawn: "${text}" (${why || "no source supports it"})`);
      continue;
    }
    kept.set(sentence, recited(sentence, answer, { mode, inProse }));
    if (mode === "off") continue;
    if (sentence.isClaim && status !== "supported") {
      result.marked.push(text);
      result.warnings.push(
        `uncertain: "${text}" (${why || "the sources support it only in part"})`,
      );
    } else if (why !== "") result.warnings.push(`"${text}": ${why}`);
  }
  const citations = [...kept.keys()].flatMap((sentence) => sentence.citations);
  const edit = withoutForeignLinks(citations, evidence);
  const text = edit(recompose(sentences, answer, kept));
  const claims = sentences.filter(({ isClaim }) => isClaim).length;
  const isEmpty = text === "" || (claims > 0 && ![...kept.keys()].some(({ isClaim }) => isClaim));
  const lost = result.withdrawn.length;
  const isTooMuch = lost > 0 && lost >= TOO_MUCH_WITHDRAWN * claims;
  let verdict: GuardResult["verdict"] =
    text === normalizeMarkers(answer).trim() ? "pass" : "revised";
  if (isEmpty) verdict = "abstain";
  if (mayRetry && withheld === 0 && isTooMuch) verdict = "retry";
  const byMarker = new Map(citations.map((each) => [each.marker, each]));
  const sources = [...byMarker].map(([marker, each]) =>
    sourceReference(marker, { ...each, id: each.evidence_id }),
  );
  const published = isEmpty
    ? { text: "", citations: [], sources: [] }
    : numbered({ text, citations, sources });
  // Word for word as in the text, where they are looked for.
  return { ...result, marked: result.marked.map(edit), ...published, verdict, withheld };
}

/** True for what the guard takes away: what cannot stay, and if strict, what nothing supports. */
export function isWithdrawn(
  { isUnfounded, status, markers }: Pick<CheckedSentence, "isUnfounded" | "status" | "markers">,
  mode: GuardMode,
): boolean {
  if (mode === "mark" || mode === "off") return false;
  if (mode === "strict") return isUnfounded || status === "unsupported";
  return isUnfounded && markers.length === 0;
}

/**
 * Writes a sentence with the markers of the sources that support it, each in its place. Other
 * markers are dropped; if none is left, the supporting ones are added at its end, in a row of a
 * table inside the last cell; to code only those that no sentence has.
 */
function recited(
  sentence: CheckedSentence,
  answer: string,
  { mode, inProse }: { mode: GuardMode; inProse: ReadonlySet<number> },
): string {
  const { start, end, carriedBy, isClaim, markers, kind } = sentence;
  const written = answer.slice(start, end);
  const places = citationMarkers(written);
  const stay = (marker: number): boolean => carriedBy.includes(marker);
  const edits = markerEdits(places, (marker) => (stay(marker) ? marker : undefined)).map((edit) =>
    edit.text ? edit : { ...edit, start: written.slice(0, edit.start).trimEnd().length },
  );
  const text = applyEdits(written, edits);
  const isNear =
    kind === "code" && markers.length === 0 && carriedBy.every((each) => inProse.has(each));
  const isCited = markers.some(stay) || isNear || !isClaim || mode === "off";
  if (isCited || carriedBy.length === 0) return text;
  // A block of code stays as it is, line by line; its citation goes below it, with the same indent.
  if (kind === "code") {
    const indent = answer.slice(answer.lastIndexOf("\n", start - 1) + 1, start);
    return `${text.trimEnd()}\n${indent}${markSentence("", carriedBy).trim()}`;
  }
  if (text.endsWith("|")) return `${markSentence(text.slice(0, -1).trimEnd(), carriedBy)} |`;
  return markSentence(text, carriedBy);
}

/**
 * Joins the kept sentences by what was between them: white space, list bullets, table borders.
 */
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
    // Of the two gaps around a withdrawn sentence, one with a line break is kept.
    gap = gap.includes("\n") && !between.includes("\n") ? gap : between;
    at = sentence.end;
    const keptText = kept.get(sentence);
    if (keptText === undefined) continue;
    text += gap + keptText;
    gap = "";
  }
  const tail = answer.slice(at);
  return (hasWords(tail) ? text : text + tail).trim();
}

/** Lets links and images of a text lead only where the cited evidence leads. */
function withoutForeignLinks(
  citations: readonly Citation[],
  evidence: readonly Evidence[],
): (text: string) => string {
  const cited = new Set(citations.map(({ evidence_id: id }) => id));
  const sources = evidence
    .filter(({ id }) => cited.has(id))
    .flatMap(({ text: content, source }) => [content, addressOf(source)]);
  return (text) => applyEdits(text, foreignLinks(text, sources));
}

/** Creates a filter from words and phrases, matched whole and in any case. */
export function wordListPolicy(words: readonly string[]): PolicyFilter {
  const blocked = words.flatMap((each) => {
    const word = each.trim();
    if (word === "") return [];
    const parts = oneLine(word).split(" ").map(escapePattern);
    // The borders are written out because \b knows only ASCII.
    const pattern = `(?<![\\p{L}\\p{N}_])${parts.join("\\s+")}(?![\\p{L}\\p{N}_])`;
    return [{ word, pattern: new RegExp(pattern, "iu") }];
  });
  return (sentence) => {
    const hit = blocked.find(({ pattern }) => pattern.test(sentence));
    return hit && `"${hit.word}" is on the list of blocked words`;
  };
}
