/** Sentences that may be the answer, with what stands around them. */
import type { Token } from "../../text/analyse.js";
import { analyse } from "../../text/analyse.js";
import type { Evidence } from "../../state/evidence.js";
import { relevanceOf } from "../../state/evidence.js";
import type { ContextWindow } from "../context-window.js";
import type { Unit, UnitKind } from "../passage-units.js";
import { unitsOf } from "../passage-units.js";
import { plainText } from "../plain-text.js";
import { cellsOf, rowSentence } from "../table-row.js";

export interface Candidate {
  marker: number;
  kind: UnitKind;
  /** Offsets in the evidence's text. */
  start: number;
  end: number;
  /** As it would be quoted, without markup. */
  text: string;
  /** Of `text`. */
  tokens: readonly Token[];
  terms: ReadonlySet<string>;
  /** Neighbouring content terms joined by a blank. */
  pairs: ReadonlySet<string>;
  /** Number of the paragraph, list item, table or code block to which it belongs. */
  block: number;
  /** Position among the candidates of its source, from 0. */
  position: number;
  previous: Candidate | undefined;
  next: Candidate | undefined;
  /** Terms of the title, the heading path, the heading above it and, in a table, the heads of the columns. */
  titleTerms: ReadonlySet<string>;
  /** What stands round it in its section of the passage, in the window or not. */
  around: () => Around;
  /** What it stands first under: its own head (a few words before it, the first cell of a row), the nearest heading. */
  heads: Head[];
  /** All terms of the passage and its title. */
  passageTerms: ReadonlySet<string>;
  /** Relevance that the judge gave the passage, 0–1; 0.5 when ungraded. */
  relevance: number;
}

/** A heading, or what serves as one. */
export interface Head {
  text: string;
  terms: ReadonlySet<string>;
}

export interface Around {
  before: Candidate[];
  after: Candidate[];
}

/** Table and prose alike: everything in the window that can be quoted, source by source in reading order. */
export function candidatesOf(window: ContextWindow, evidence: readonly Evidence[]): Candidate[] {
  const known = new Map(evidence.map((item) => [item.id, item]));
  return window.sources.flatMap((source) => {
    const item = known.get(source.evidenceId);
    if (item === undefined) return [];
    // Strips that are not spans of the passage (a model's key points) cannot be quoted; then the whole passage stands in.
    const spans = source.strips.filter(
      (strip) => item.text.slice(strip.start, strip.end) === strip.text,
    );
    const inWindow = (unit: Unit): boolean =>
      spans.length === 0 || spans.some((strip) => unit.start < strip.end && strip.start < unit.end);
    return candidatesOfPassage(source.marker, item, inWindow);
  });
}

function candidatesOfPassage(
  marker: number,
  item: Evidence,
  inWindow: (unit: Unit) => boolean,
): Candidate[] {
  const placed = placedUnits(item);
  const common = {
    marker,
    title: [item.title, item.source.kind === "file" ? (item.source.heading ?? "") : ""].join(" "),
    passageTerms: new Set(contentTermsOf(`${item.title} ${item.text}`)),
    relevance: relevanceOf(item) ?? 0.5,
  };
  const candidates: Candidate[] = [];
  for (const [index, unit] of placed.entries()) {
    if (!inWindow(unit)) continue;
    const candidate = readCandidate(unit, common);
    if (candidate === undefined) continue;
    const previous = candidates[candidates.length - 1];
    candidate.position = candidates.length;
    candidate.previous = previous;
    if (previous === undefined || previous.kind === "heading")
      candidate.heads.push(...headsOf(unit.head));
    candidate.around = () => around(placed, index, (other) => readCandidate(other, common));
    if (previous !== undefined) previous.next = candidate;
    candidates.push(candidate);
  }
  return candidates;
}

/** A unit with what stands above it. */
interface PlacedUnit extends Unit {
  /** The nearest heading in the passage. */
  heading: string;
  /** The same, or where the passage has none, the last of its heading path. */
  head: string;
  /** Heads of the columns, for a row. */
  columns: readonly string[];
}

function placedUnits(item: Evidence): PlacedUnit[] {
  let heading = "";
  let head = item.source.kind === "file" ? (item.source.heading?.split(" > ").at(-1) ?? "") : "";
  let columns: { block: number; cells: string[] } | undefined;
  return withoutBareHeads(item.text).map((unit) => {
    if (unit.kind === "heading") head = heading = plainText(unit.text);
    if (unit.kind === "columns")
      columns = { block: unit.block, cells: cellsOf(unit.text).map(plainText) };
    return { ...unit, heading, head, columns: columns?.block === unit.block ? columns.cells : [] };
  });
}

/** "No." or "Scores.", where the markup that made it a head is gone: up to three words before the sentence that they belong to. */
const BARE_HEAD = /^(?!(?:it|he|she|they|this|that|we|you|i)\b)[^\s`]+(?:\s[^\s`]+){0,2}[.!]$/iu;

/** A few words that say nothing by themselves are quoted with the sentence behind them. */
function withoutBareHeads(text: string): Unit[] {
  const units = unitsOf(text);
  const isBare = (index: number): boolean => {
    const [before, unit, next] = [units[index - 1], units[index], units[index + 1]];
    return (
      unit !== undefined &&
      before?.block !== unit.block &&
      next?.block === unit.block &&
      isProse(unit) &&
      BARE_HEAD.test(unit.text)
    );
  };
  return units.flatMap((unit, index) => {
    if (isBare(index)) return [];
    const head = isBare(index - 1) ? units[index - 1] : undefined;
    return head === undefined
      ? [unit]
      : [{ ...unit, start: head.start, text: text.slice(head.start, unit.end) }];
  });
}

function isProse({ kind }: Unit): boolean {
  return kind === "sentence" || kind === "item";
}

type Common = Pick<Candidate, "marker" | "passageTerms" | "relevance"> & { title: string };

/** Undefined for what has no words. */
function readCandidate(
  unit: PlacedUnit,
  { marker, title, passageTerms, relevance }: Common,
): Candidate | undefined {
  const cells = unit.kind === "row" ? cellsOf(unit.text).map(plainText) : [];
  const text =
    unit.kind === "code"
      ? unit.text
      : unit.kind === "row"
        ? rowSentence(unit.columns, cells)
        : plainText(joinedToHead(unit.text));
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  const tokens = analyse(text);
  const sequence = tokens.filter((token) => !token.stop).map((token) => token.term);
  const own =
    unit.kind === "row" ? (cells[0] ?? "") : unit.kind === "code" ? "" : ownHead(unit.text);
  return {
    marker,
    kind: unit.kind,
    block: unit.block,
    start: unit.start,
    end: unit.end,
    text,
    tokens,
    terms: new Set(sequence),
    pairs: new Set(sequence.slice(1).map((term, index) => `${sequence[index] ?? ""} ${term}`)),
    position: 0,
    previous: undefined,
    next: undefined,
    around: () => ({ before: [], after: [] }),
    titleTerms: new Set(contentTermsOf(`${title} ${unit.heading} ${unit.columns.join(" ")}`)),
    heads: headsOf(own),
    passageTerms,
    relevance,
  };
}

/** A head at the beginning of a paragraph or an item, in bold or of a few words: "**Scores.** They …", "Strip: two or three …". */
const OWN_HEAD =
  /^\s*(?:(\*\*|__)(?=\S)([^*_\n]{1,60}?)[.:?!]?\1[.:?!]?(?=\s)|((?:[^\s.:?!]+\s){0,3}[^\s.:?!]+)[.:](?=\s))/u;

function ownHead(text: string): string {
  const [, , bold, plain] = OWN_HEAD.exec(text) ?? [];
  return bold ?? plain ?? "";
}

/** "**Scores.** They …" is one statement: "Scores: They …". */
function joinedToHead(text: string): string {
  return text.replace(OWN_HEAD, (whole: string, marks: string | undefined, head: string) =>
    marks === undefined || /\?\W*$/u.test(whole) ? whole : `${marks}${head}${marks}:`,
  );
}

function headsOf(text: string): Head[] {
  const terms = new Set(contentTermsOf(text));
  return terms.size === 0 ? [] : [{ text, terms }];
}

/** What stands in the same section before and after a unit, in reading order, whether or not the window shows it. */
function around(
  placed: readonly PlacedUnit[],
  index: number,
  read: (unit: PlacedUnit) => Candidate | undefined,
): Around {
  const nextHeading = placed.findIndex((unit, at) => at > index && unit.kind === "heading");
  const lastHeading = placed.findLastIndex((unit, at) => at <= index && unit.kind === "heading");
  const readAll = (units: readonly PlacedUnit[]): Candidate[] =>
    units.flatMap((unit) => read(unit) ?? []);
  return {
    before: readAll(placed.slice(lastHeading + 1, index)),
    after: readAll(placed.slice(index + 1, nextHeading < 0 ? undefined : nextHeading)),
  };
}

function contentTermsOf(text: string): string[] {
  return analyse(text)
    .filter((token) => !token.stop)
    .map((token) => token.term);
}
