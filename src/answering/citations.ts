/**
 * Citation markers in an answer, in any style that models use: where they are, what they name,
 * and which sentence they support. Brackets that cite nothing are left alone.
 */
import type { Range } from "../text/passage-blocks.js";
import { hasWords, oneLine, wordSet, wordsOf } from "../text/words.js";
import { applyEdits, quietPlaces, type Edit } from "./links.js";
import { unitsOf, type Unit } from "../text/sentences.js";

interface Marker extends Range {
  /** The sources that it names, ranges expanded. */
  readonly numbers: readonly number[];
}

/** One sentence of an answer; it ends behind its last marker. */
export interface CitedSentence extends Range {
  /** Without markers, on one line. */
  readonly text: string;
  /** In it or behind it, else those of the next cited sentence of its paragraph; each once. */
  readonly markers: readonly number[];
  readonly kind: "sentence" | "heading" | "columns" | "code";
}

/** Numbers and ranges between brackets. */
export const NUMBERS = "\\d{1,3}(?:\\s{0,2}(?:[,;–-]|&|and|und|et)\\s{0,2}\\d{1,3}){0,20}";
const SOURCE_NAME =
  "(?:sources?|documents?|docs?|passages?|references?|refs?|citations?|results?|excerpts?|" +
  "quellen?|dokumente?|documento?s?|fuentes?|来源|资料|文档)";
const NAMED =
  `${SOURCE_NAME}\\.?\\s{0,2}(?:(?:no\\.?|id)\\s{0,2})?` + `[:#=]?\\s{0,2}["'“]?${NUMBERS}["'”]?`;
/**
 * In brackets: `1`, `1, 2`, `^1`, `^1^`, `1, p. 3`, `1†source`, `Source 1, Source 2`,
 * `source id="1"`.
 */
const MARKER = new RegExp(
  `[[［【](\\^?${NUMBERS})(?:\\^|†[^\\]］】\\n]{0,60}|,\\spp?\\.\\s?[\\d–-]{1,9})?[\\]］】]|` +
    `[[(【（［<](?:see\\s|siehe\\s|cf\\.\\s)?` +
    `(${NAMED}(?:\\s{0,2}(?:[,;&]|and|und|et)\\s{0,2}${NAMED}){0,20})\\s?/?[\\])】）］>]`,
  "giu",
);
const MAX_RANGE = 20;

/** Characters behind a marker that decide whether it is one. */
const LOOK_AHEAD = 4;

/**
 * Finds the citation markers of a text. Each is judged by the text before it and by `LOOK_AHEAD`
 * characters behind it, so that a streamed text is read like a whole one.
 * @example citationMarkers("Tall. [1, 2] `a[3]`") // [{ start: 6, end: 12, numbers: [1, 2] }]
 */
export function citationMarkers(text: string): Marker[] {
  const quietAt = quietPlaces(text);
  const found: Marker[] = [];
  /** Numbers of the markers side by side. */
  let beside = new Set<number>();
  for (const { 0: whole, 1: bare, 2: named, index: start } of text.matchAll(MARKER)) {
    const end = start + whole.length;
    const numbers = numbersOf(bare ?? named ?? "");
    const isEscaped = ["\\", "!"].includes(text.charAt(start - 1));
    if (numbers.includes(0) || isEscaped || quietAt(start) !== "") continue;
    const isCode = found.at(-1)?.end !== start && isSubscript(text, start, end);
    // Of a footnote, `[^1]: guide.md`, the colon belongs to the marker.
    const isNote = whole.startsWith("[^") && text[end] === ":";
    const isLink = !isNote && isLinkOrDefinition(text, start, end);
    if (bare !== undefined && (isLink || isCode)) continue;
    const last = found.at(-1);
    const before = last && ["", " "].includes(text.slice(last.end, start)) ? last : undefined;
    if (before === undefined) beside = new Set();
    const others = numbers.filter((number) => !beside.has(number));
    for (const number of others) beside.add(number);
    // Of "[1] [1]" the second goes, with the blank before it.
    const from = before !== undefined && others.length === 0 ? before.end : start;
    found.push({ start: from, end: isNote ? end + 1 : end, numbers: others });
  }
  return found;
}

/** Rewrites markers as `[1]` or `[1, 2]` in readers' numbers; one without a number is left out. */
export function markerEdits(
  markers: readonly Marker[],
  numberOf: (marker: number) => number | undefined,
): Edit[] {
  return markers.map(({ start, end, numbers }) => {
    const known = new Set(numbers.flatMap((number) => numberOf(number) ?? []));
    return { start, end, text: known.size === 0 ? "" : `[${[...known].join(", ")}]` };
  });
}

/** Brings every marker to one style; all else stays as it is. */
export function normalizeMarkers(
  text: string,
  numberOf: (marker: number) => number | undefined = (marker) => marker,
): string {
  return applyEdits(text, markerEdits(citationMarkers(text), numberOf));
}

/** Expands ranges, `1-3` to 1, 2 and 3, unless they are absurd. */
function numbersOf(group: string): number[] {
  return [...group.matchAll(/(\d+)(?:\s*[–-]\s*(\d+))?/gu)].flatMap(([, first, last = first]) => {
    const [from, to] = [Number(first), Number(last)];
    if (to < from || to - from > MAX_RANGE) return [from, to];
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

/** `[1](https://…)`, `[1]: https://…`, `[[1]](…)`. */
function isLinkOrDefinition(text: string, start: number, end: number): boolean {
  const near = text.slice(Math.max(0, start - 4), start);
  const indent = near.slice(near.lastIndexOf("\n") + 1);
  const isDefinition = indent.length <= 3 && indent.trim() === "" && text[end] === ":";
  return isDefinition || text[end] === "(" || text.startsWith("](", end);
}

/** Usual names of arrays: a lone marker behind one is an index. */
const INDEXED = wordSet(
  "argv args arg arr array list items data row rows col cols vec vector map dict tuple matrix " +
    "keys values buf buffer tokens params nums sys str",
);
const OF_NAME = String.raw`[\p{L}\p{N}_$.]`;
/** Words and numbers of prose. */
const PROSE = String.raw`\p{Lu}\p{L}+$|[\p{Ll}\p{Lo}\p{M}]{2,}$|${OF_NAME}*(?:\.|(?<!\p{L})\d)$`;
/** `f()`, `]`, and names in code: of one letter, in camelCase, or with a sign or a digit. */
const BEFORE_INDEX = new RegExp(
  String.raw`(?:\p{L}\([^()\s]*\)|[\]}$]|(?<!${OF_NAME})(?!${PROSE})${OF_NAME}+)$`,
  "u",
);
const AFTER_INDEX = /^(?:\[(?!\d|\^)|\.[\p{L}_]|\s?[=+*/]=?\s|\()/u;

/**
 * `a[1]`, `argv[2]`, `f()[1]`, `x_i[3]`, `items[3].id`; not `tall[1].`, `1889[1]`,
 * `it.[1]`.
 */
function isSubscript(text: string, start: number, end: number): boolean {
  if (text[start] === "【") return false;
  const before = text.slice(Math.max(0, start - 60), start);
  const word = wordsOf(before).at(-1) ?? "";
  return (
    (before.endsWith(word) && INDEXED.has(word.toLowerCase())) ||
    AFTER_INDEX.test(text.slice(end, end + LOOK_AHEAD)) ||
    BEFORE_INDEX.test(before)
  );
}

/**
 * Splits an answer into sentences. A marker belongs to the one that it is in or follows, at the
 * start of a line to the one behind it.
 */
export function citedSentences(answer: string): CitedSentence[] {
  const markers = citationMarkers(answer);
  // Blanks of the same length keep sentence ends and offsets. A marker behind an ellipsis ends the
  // sentence, and one at the start of a line the paragraph: "[1] guide.md".
  const blanks = markers.map(({ start, end }) => {
    const before = answer.slice(Math.max(0, start - 3), start);
    const sign = before.trimEnd().endsWith("…") ? "." : before.endsWith("\n") ? "\n" : "";
    return { start, end, text: sign.padEnd(end - start) };
  });
  const parts = unitsOf({ text: applyEdits(answer, blanks) })
    .filter(({ text }) => hasWords(text))
    .map((unit, index, units) => ({
      text: unit.text.endsWith("….") ? tidied(unit.text).slice(0, -1) : tidied(unit.text),
      start: unit.start,
      end: unit.end,
      markers: [] as number[],
      kind: kindOf(unit, answer.slice(unit.end, units[index + 1]?.start ?? unit.end)),
    }));
  for (const { start, end, numbers } of markers) {
    const next = parts.find((part) => part.start >= end);
    const lead = answer.slice(answer.lastIndexOf("\n", start - 1) + 1, start);
    const gap = answer.slice(end, next?.start);
    const isFirst = !hasWords(lead) && gap.trim() === "" && !gap.includes("\n");
    const owner =
      (isFirst ? next : undefined) ?? parts.findLast((part) => part.start <= start) ?? parts[0];
    if (owner === undefined) continue;
    owner.markers.push(...numbers.filter((number) => !owner.markers.includes(number)));
    owner.start = Math.min(owner.start, start);
    owner.end = Math.max(owner.end, end);
  }
  for (const [index, part] of [...parts.entries()].reverse()) {
    const next = parts[index + 1];
    if (next === undefined || part.markers.length > 0) continue;
    if (part.kind !== "sentence" || next.kind !== "sentence") continue;
    if (!answer.slice(part.end, next.start).includes("\n")) part.markers.push(...next.markers);
  }
  return parts;
}

/** @param gap what comes before the next unit: a title in bold has a line of its own */
function kindOf({ text, kind }: Unit, gap: string): CitedSentence["kind"] {
  const isLineBreak = gap.trim() === "" && gap.includes("\n");
  if (/^(\*\*|__)[^*_.!?]+\1$/u.test(text) && isLineBreak) return "heading";
  return kind === "item" || kind === "row" ? "sentence" : kind;
}

export function withoutMarkers(text: string): string {
  const edits = citationMarkers(text).map(({ start, end }) => ({ start, end, text: "" }));
  return tidied(applyEdits(text, edits));
}

function tidied(text: string): string {
  return oneLine(text).replace(/ (?=[.,;:!?])/gu, "");
}

/** @example markSentence("So it is.", [1, 2]) // "So it is. [1] [2]" */
export function markSentence(text: string, markers: readonly number[]): string {
  return [text, ...markers.map((marker) => `[${marker}]`)].join(" ");
}
