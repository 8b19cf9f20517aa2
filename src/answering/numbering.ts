/** Numbers sources as readers see them: from 1, in the order in which the answer names them. */
import { citationMarkers, LOOK_AHEAD, markerEdits, normalizeMarkers } from "./citations.js";
import { applyEdits, foreignLinks, IN_URL, quietPlaces, URL_START } from "./links.js";

interface Numbering {
  /** The markers seen so far that name a source, in the order of their shown numbers. */
  readonly named: readonly number[];
  /** Returns the number shown for a source, given on first use; undefined for no source. */
  shown: (marker: number) => number | undefined;
}

/** @param known the markers that name a source */
export function createNumbering(known: Iterable<number>): Numbering {
  const sources = new Set(known);
  const given = new Map<number, number>();
  return {
    get named() {
      return [...given.keys()];
    },
    shown(marker) {
      if (!sources.has(marker)) return undefined;
      const number = given.get(marker) ?? given.size + 1;
      given.set(marker, number);
      return number;
    },
  };
}

interface Numbered {
  marker: number;
}

/** Numbers an answer with its citations and sources; sources that it does not name come last. */
export function numbered<C extends Numbered, S extends Numbered>(answer: {
  text: string;
  citations: readonly C[];
  sources: readonly S[];
}): { text: string; citations: C[]; sources: S[] } {
  const numbering = createNumbering(answer.sources.map(({ marker }) => marker));
  // The guard tells of a number without a source, and takes it away.
  const shown = (marker: number): number => numbering.shown(marker) ?? marker;
  const text = normalizeMarkers(answer.text, shown);
  const again = <T extends Numbered>(items: readonly T[]): T[] =>
    items.map((item) => ({ ...item, marker: shown(item.marker) }));
  const citations = again(answer.citations);
  return { text, citations, sources: again(answer.sources).sort((a, b) => a.marker - b.marker) };
}

/** Characters before a marker or link that may decide what it is. */
const LOOK_BACK = 200;
/** A stream forgets what was sent before once it is longer than this. */
const MOST_SENT = 500;
/**
 * A text that is cut beside one of these, or before an indented fence, would be read differently.
 */
const SIGNS = /[`$~\\\s]/u;

/** At the end of a text, what may still grow into a marker, a link or an address. */
const UNFINISHED = new RegExp(
  "(?:!?[[［【][^\\]］】\\n]{0,300}(?:[\\]］】](?:\\([^)\\n]{0,1500}\\)?)?)?|[(（][^)）\\n]{0,60}|<(?:[a-z][^\\s<>/]{0,60}[\\s/]{0,20}|source\\s[^>\\n]{0,20})?" +
    `|(?:${URL_START}|[^\\s@]{1,64}@)${IN_URL}{0,1500}|` +
    "(?<![a-z])(?:h|ht|htt|https?:?|f|ft|ftp:?|w|ww|www)|!|[/\\\\]{1,9}[\\p{L}\\p{N}-]{0,63}\\.?)$" +
    `|[[［【][^\\]］】\\n]{0,300}[\\]］】][^]{0,${LOOK_AHEAD - 1}}$`,
  "iu",
);

/** Every marker and link has one of these, so that most pieces need no further look. */
const BEGINS = /[[【［(（<@/\\]|www\.|mailto:/iu;

/**
 * Numbers a text that comes in pieces, and turns foreign links into text. What may still become a
 * marker or a link is held back until that is decided.
 */
export function createNumberedStream({ shown }: Numbering, sources: readonly string[] = []) {
  let text = "";
  let sent = 0;
  const release = (upTo: number): string => {
    const plain = text.slice(sent, upTo);
    if (!BEGINS.test(plain)) {
      sent = upTo;
      forget();
      return plain;
    }
    const links = foreignLinks(text, sources);
    const open = links.find(({ start, end }) => start >= sent && start < upTo && upTo < end);
    const to = open?.start ?? upTo;
    const inReach = citationMarkers(text).filter(({ start, end }) => start >= sent && end <= to);
    const out = applyEdits(text, [...markerEdits(inReach, shown), ...links], sent, to);
    sent = to;
    forget();
    return out;
  };
  // In place of what is forgotten stand the signs of a code block or formula that is still open.
  const forget = (): void => {
    if (sent < MOST_SENT) return;
    for (let at = sent - LOOK_BACK; at > sent - 2 * LOOK_BACK; at -= 1) {
      if (SIGNS.test(text.slice(at - 1, at + 1))) continue;
      const opened = `${quietPlaces(text)(at)}x`;
      text = opened + text.slice(at);
      sent += opened.length - at;
      return;
    }
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
