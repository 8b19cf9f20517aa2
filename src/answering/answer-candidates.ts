/** Sentences that may be the answer, with what stands around them. */
import type { Token } from "../text/analyse.js";
import { analyse } from "../text/analyse.js";
import type { Evidence } from "../state/evidence.js";
import { relevanceOf } from "../state/evidence.js";
import type { ContextWindow } from "./context-window.js";
import type { Unit, UnitKind } from "./passage-units.js";
import { unitsOf } from "./passage-units.js";
import { plainText } from "./plain-text.js";

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
  /** Position among the candidates of its source, from 0. */
  position: number;
  previous: Candidate | undefined;
  next: Candidate | undefined;
  /** Terms of the title, the heading path, the heading above it and, in a table, the heads of the columns. */
  titleTerms: ReadonlySet<string>;
  /** Terms of the nearest heading alone; empty where there is none. */
  headTerms: ReadonlySet<string>;
  /** The first thing under its heading. */
  leads: boolean;
  /** All terms of the passage and its title. */
  passageTerms: ReadonlySet<string>;
  /** Relevance that the judge gave the passage, 0–1; 0.5 when ungraded. */
  relevance: number;
}

/** Table and prose alike: everything in the window that can be quoted, source by source in reading order. */
export function candidatesOf(window: ContextWindow, evidence: readonly Evidence[]): Candidate[] {
  const known = new Map(evidence.map((item) => [item.id, item]));
  return window.sources.flatMap((source) => {
    const item = known.get(source.evidenceId);
    if (item === undefined) return [];
    // Strips that are not spans of the passage (a model's key points) cannot be quoted; then the whole passage stands in.
    const spans = source.strips.filter((strip) => item.text.slice(strip.start, strip.end) === strip.text);
    const units = unitsOf(item.text).filter(
      (unit) => spans.length === 0 || spans.some((strip) => unit.start < strip.end && strip.start < unit.end),
    );
    return candidatesOfPassage(source.marker, item, units);
  });
}

function candidatesOfPassage(marker: number, item: Evidence, units: readonly Unit[]): Candidate[] {
  const passageTerms = new Set(contentTermsOf(`${item.title} ${item.text}`));
  const title = [item.title, item.source.kind === "file" ? (item.source.heading ?? "") : ""].join(" ");
  const candidates: Candidate[] = [];
  let heading = "";
  let head = item.source.kind === "file" ? (item.source.heading?.split(" > ").at(-1) ?? "") : "";
  let columns: { block: number; text: string } | undefined;
  for (const unit of units) {
    if (unit.kind === "heading") head = heading = plainText(unit.text);
    if (unit.kind === "columns") columns = { block: unit.block, text: plainText(unit.text) };
    const above = columns?.block === unit.block ? `${heading} ${columns.text}` : heading;
    const text = unit.kind === "code" ? unit.text : plainText(unit.text);
    if (!/[\p{L}\p{N}]/u.test(text)) continue;
    const tokens = analyse(text);
    const sequence = tokens.filter((token) => !token.stop).map((token) => token.term);
    const previous = candidates[candidates.length - 1];
    const candidate: Candidate = {
      marker,
      kind: unit.kind,
      start: unit.start,
      end: unit.end,
      text,
      tokens,
      terms: new Set(sequence),
      pairs: new Set(sequence.slice(1).map((term, index) => `${sequence[index] ?? ""} ${term}`)),
      position: candidates.length,
      previous,
      next: undefined,
      titleTerms: new Set(contentTermsOf(`${title} ${above}`)),
      headTerms: new Set(contentTermsOf(head)),
      leads: head !== "" && (previous === undefined || previous.kind === "heading"),
      passageTerms,
      relevance: relevanceOf(item) ?? 0.5,
    };
    if (previous !== undefined) previous.next = candidate;
    candidates.push(candidate);
  }
  return candidates;
}

function contentTermsOf(text: string): string[] {
  return analyse(text)
    .filter((token) => !token.stop)
    .map((token) => token.term);
}
