/** Citation markers in an answer: which sentence they stand behind, and what they name. */
import { unitsOf } from "./passage-units.js";

/** `[1]`, `[1, 2]`, `[1][2]`, `[1-3]`. */
export const MARKER_GROUP = /\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]/gu;
const MAX_RANGE = 20;

/** A sentence of an answer with its markers. Offsets in UTF-16 code units of the answer; `end` is past the last marker. */
export interface CitedSentence {
  /** Without markers, white space collapsed. */
  text: string;
  start: number;
  end: number;
  /** Numbers named behind it, in order, each once. A sentence without any takes those of the next one in its paragraph that has some. */
  markers: number[];
  /** A heading or a code block is no claim of its own. */
  kind: "sentence" | "heading" | "code";
}

/** The numbers in one marker group, ranges written out: `1-3, 5` gives 1, 2, 3, 5. */
export function numbersOf(group: string): number[] {
  return group.split(/[,;]/u).flatMap((part) => {
    const [from = 0, to = from] = part
      .split(/[–-]/u)
      .map((digits) => Number.parseInt(digits.trim(), 10));
    if (to < from || to - from > MAX_RANGE) return [from, to];
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

/** Cuts an answer in sentences. A marker belongs to the sentence that it stands in or that it follows, also past the full stop. */
export function citedSentences(answer: string): CitedSentence[] {
  const groups = [...answer.matchAll(MARKER_GROUP)]
    .filter((match) => !inCode(answer, match.index))
    .map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      numbers: numbersOf(match[1] ?? ""),
    }));
  const masked = masking(answer, groups);
  const parts = unitsOf(masked)
    .flatMap((unit) => (/[\p{L}\p{N}]/u.test(unit.text) ? [unit] : []))
    .map((unit): CitedSentence => ({
      text: unit.text
        .replace(/…\s+\.$/u, "…")
        .replace(/\s+/gu, " ")
        .replace(/\s+([.,;:!?])/gu, "$1"),
      start: unit.start,
      end: unit.end,
      markers: [],
      kind: unit.kind === "heading" || unit.kind === "code" ? unit.kind : "sentence",
    }));
  for (const group of groups) {
    const owner = parts.findLast((part) => part.start <= group.start);
    if (owner === undefined) continue;
    owner.markers.push(...group.numbers.filter((number) => !owner.markers.includes(number)));
    owner.end = Math.max(owner.end, group.end);
  }
  for (let index = parts.length - 2; index >= 0; index -= 1) {
    const part = parts[index];
    const next = parts[index + 1];
    if (
      part === undefined ||
      next === undefined ||
      part.markers.length > 0 ||
      part.kind !== "sentence" ||
      next.kind !== "sentence"
    )
      continue;
    if (!answer.slice(part.end, next.start).includes("\n")) part.markers.push(...next.markers);
  }
  return parts;
}

/** `items[3]` between backticks, or in a block of code, is no marker. */
export function inCode(text: string, at: number): boolean {
  const before = text.slice(0, at);
  const fences = before.match(/^\s*(?:```|~~~)/gmu)?.length ?? 0;
  return (
    fences % 2 === 1 || (before.slice(before.lastIndexOf("\n") + 1).split("`").length - 1) % 2 === 1
  );
}

/**
 * Blanks of the same length in place of markers: sentence boundaries are found as if they were not there, and offsets stay true. A marker behind
 * an ellipsis ends the sentence, which the segmenter cannot know.
 */
function masking(answer: string, groups: readonly { start: number; end: number }[]): string {
  let masked = "";
  let at = 0;
  for (const { start, end } of groups) {
    const before = answer.slice(at, start);
    masked += before + (/…\s*$/u.test(before) ? ".".padEnd(end - start) : " ".repeat(end - start));
    at = end;
  }
  return masked + answer.slice(at);
}

/** The answer without markers, for models of text that do not know them. */
export function withoutMarkers(text: string): string {
  return text
    .replace(MARKER_GROUP, "")
    .replace(/\s+([.,;:!?])/gu, "$1")
    .replace(/[ \t]{2,}/gu, " ")
    .trim();
}

/** `text` with markers behind it, before a closing full stop or not as it was: `markSentence("So it is.", [1, 2])` gives `So it is. [1] [2]`. */
export function markSentence(text: string, markers: readonly number[]): string {
  const marks = markers.map((marker) => `[${String(marker)}]`).join(" ");
  return marks === "" ? text : `${text} ${marks}`;
}
