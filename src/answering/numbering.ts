/**
 * The numbers that a reader sees: sources count from 1 in the order in which the answer names them,
 * whatever number each had in the context window.
 */
import { citationMarkers, LOOK_AHEAD, markerEdits, normalizeMarkers } from "./citations.js";
import { applyEdits, foreignLinks, quietPlaces } from "./links.js";

interface Numbering {
  /** The markers that name a source and were met so far, in the order of their shown numbers. */
  readonly named: readonly number[];
  /** The number shown for a source, given at the first asking. One that names no source stays. */
  shown: (marker: number) => number;
}

/** @param known the numbers that name a source */
export function createNumbering(known: Iterable<number>): Numbering {
  const sources = new Set(known);
  const given = new Map<number, number>();
  return {
    get named() {
      return [...given.keys()];
    },
    shown(marker) {
      if (!sources.has(marker)) return marker;
      const number = given.get(marker) ?? given.size + 1;
      given.set(marker, number);
      return number;
    },
  };
}

interface Numbered {
  marker: number;
}

/** An answer with its citations and sources, numbered as they are named; the unnamed come last. */
export function numbered<C extends Numbered, S extends Numbered>(answer: {
  text: string;
  citations: readonly C[];
  sources: readonly S[];
}): { text: string; citations: C[]; sources: S[] } {
  const { shown } = createNumbering(answer.sources.map(({ marker }) => marker));
  const text = normalizeMarkers(answer.text, shown);
  const again = <T extends Numbered>(items: readonly T[]): T[] =>
    items.map((item) => ({ ...item, marker: shown(item.marker) }));
  const citations = again(answer.citations);
  return { text, citations, sources: again(answer.sources).sort((a, b) => a.marker - b.marker) };
}

/** Characters before a marker or a link that may tell what it is. */
const LOOK_BACK = 1_000;

/** What may still grow into a marker, a link or an address, at the end of what has come. */
const UNFINISHED = new RegExp(
  "(?:!?[[［【][^\\]］】\\n]{0,300}(?:[\\]］】](?:\\([^)\\n]{0,1500}\\)?)?)?|[(（][^)）\\n]{0,60}|<[^>\\n]{0,1500}>?" +
    "|(?:https?:\\/\\/|www\\.|[^\\s@]{1,64}@)[^\\s]{0,1500}|\\b(?:h|ht|htt|https?|https?:\\/?|w|ww|www)|[!\\\\])$" +
    `|[[［【][^\\]］】\\n]{0,300}[\\]］】][^]{0,${LOOK_AHEAD - 1}}$`,
  "iu",
);

/** No marker and no link does without one of these: most pieces need not be looked at further. */
const BEGINS = /[[【［(（<@]|:\/\/|www\.|mailto:/iu;

/**
 * Numbers a text that comes in pieces, and turns links that no source holds into text: what may
 * still become a marker or a link is held back until it is one, or is none.
 */
export function createNumberedStream({ shown }: Numbering, sources: readonly string[] = []) {
  let text = "";
  let sent = 0;
  const release = (upTo: number): string => {
    const plain = text.slice(sent, upTo);
    if (!BEGINS.test(plain)) {
      sent = upTo;
      return plain;
    }
    const inReach = citationMarkers(text).filter(({ start, end }) => start >= sent && end <= upTo);
    const edits = [...markerEdits(inReach, shown), ...foreignLinks(text, sources)];
    const out = applyEdits(text, edits, sent, upTo);
    sent = upTo;
    forget();
    return out;
  };
  // What was sent long ago decides nothing any more, unless a code block or a formula is still
  // open.
  const forget = (): void => {
    const from = sent - LOOK_BACK;
    if (from < LOOK_BACK || quietPlaces(text)(from)) return;
    text = text.slice(from);
    sent = LOOK_BACK;
  };
  return {
    push: (piece: string): string => {
      text += piece;
      const open = UNFINISHED.exec(text.slice(sent))?.index;
      return release(open === undefined ? text.length : sent + open);
    },
    end: (): string => release(text.length),
  };
}
