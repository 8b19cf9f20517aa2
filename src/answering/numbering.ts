/**
 * The numbers that a reader sees: sources count from 1 in the order in which the answer names them, whatever number each had in the context window.
 */
import { inCode, MARKER_GROUP, numbersOf } from "./citations.js";

export interface Numbering {
  /** The markers that name a source and were met so far, in the order of their shown numbers. */
  readonly named: readonly number[];
  /** The number that is shown for a source; it is given at the first asking. A number that names no source stays as it is. */
  shown(marker: number): number;
  /** A text with the numbers that are shown. A marker must not be cut between two calls; `before` is what precedes the text in the answer. */
  renumber(text: string, before?: string): string;
}

/** @param known the numbers that name a source */
export function createNumbering(known: Iterable<number>): Numbering {
  const sources = new Set(known);
  const given = new Map<number, number>();
  const shown = (marker: number): number => {
    if (!sources.has(marker)) return marker;
    const number = given.get(marker) ?? given.size + 1;
    given.set(marker, number);
    return number;
  };
  return {
    get named() {
      return [...given.keys()];
    },
    shown,
    renumber: (text, before = "") =>
      text.replace(MARKER_GROUP, (whole: string, group: string, at: number) => {
        if (inCode(before + text, before.length + at)) return whole;
        const numbers = numbersOf(group).map(shown);
        return `[${[...new Set(numbers)].join(", ")}]`;
      }),
  };
}

interface Numbered {
  marker: number;
}

/** An answer with its citations and sources, numbered as they are named; sources that it does not name come last, in the order they had. */
export function numbered<C extends Numbered, S extends Numbered>(answer: {
  text: string;
  citations: readonly C[];
  sources: readonly S[];
}): { text: string; citations: C[]; sources: S[] } {
  const numbering = createNumbering(answer.sources.map(({ marker }) => marker));
  const text = numbering.renumber(answer.text);
  const again = <T extends Numbered>(items: readonly T[]): T[] =>
    items.map((item) => ({ ...item, marker: numbering.shown(item.marker) }));
  const citations = again(answer.citations);
  return { text, citations, sources: again(answer.sources).sort((a, b) => a.marker - b.marker) };
}

/** Numbers a text that comes in pieces: what may still become a marker is held back until it is one, or is none. */
export function createNumberedStream(numbering: Numbering): {
  push(piece: string): string;
  end(): string;
} {
  let before = "";
  let held = "";
  const release = (text: string): string => {
    const out = numbering.renumber(text, before);
    before += text;
    return out;
  };
  return {
    push(piece) {
      const text = held + piece;
      const open = /\[[\d\s,;–-]{0,40}$/u.exec(text)?.index ?? text.length;
      held = text.slice(open);
      return release(text.slice(0, open));
    },
    end() {
      const rest = held;
      held = "";
      return release(rest);
    },
  };
}
