/** Numbers sources as readers see them: from 1, in the order in which the answer names them. */
import { citationMarkers, citedSentences, markerEdits, normalizeMarkers } from "./citations.js";
import { applyEdits, blocksIn, foreignLinks, isLive, quietPlaces } from "./links.js";

/** @param known the markers that name a source */
export function createNumbering(known: Iterable<number>) {
  const sources = new Set(known);
  const given = new Map<number, number>();
  return {
    /** The markers seen so far that name a source, in the order of their numbers. */
    get named() {
      return [...given.keys()];
    },
    /** Returns the reader's number of a source, assigned on first use; undefined for no source. */
    numberOf: (marker: number): number | undefined => {
      if (!sources.has(marker)) return undefined;
      const number = given.get(marker) ?? given.size + 1;
      given.set(marker, number);
      return number;
    },
  };
}

interface Numbered {
  readonly marker: number;
}

/** Numbers a finished answer with its citations and sources. */
export function numbered<C extends Numbered, S extends Numbered>(answer: {
  text: string;
  citations: readonly C[];
  sources: readonly S[];
}): { text: string; citations: C[]; sources: S[] } {
  const numbering = createNumbering(answer.sources.map(({ marker }) => marker));
  const numberOf = (marker: number): number => numbering.numberOf(marker) ?? marker;
  const text = normalizeMarkers(answer.text, numberOf);
  const again = <T extends Numbered>(items: readonly T[]): T[] =>
    items.map((item) => ({ ...item, marker: numberOf(item.marker) }));
  const sources = again(answer.sources).sort((a, b) => a.marker - b.marker);
  return { text, citations: again(answer.citations), sources };
}

/** No sentence ends without one of these. */
const MAY_END = /[\s。！？]/u;
/** What may still become a citation. */
const UNFINISHED = /\[[^\]\n]{0,300}$/u;
/** Without any of these, a sentence makes no link, no image, no tag and no table. */
const MAY_BE_LIVE = /\][(:[]|[<@&\\|]|:[/\\]|\/\/|\.[\p{L}\p{N}]|--/u;
/** Of one block, which is read again with a sentence that may be live. */
const MAX_BLOCK = 32_000;

/**
 * Numbers a text that comes in pieces, and turns foreign links into text. Releases whole sentences,
 * since only these can be read like those of a finished text.
 */
export function createNumberedStream(
  { numberOf }: ReturnType<typeof createNumbering>,
  sources: readonly string[] = [],
) {
  const withoutLinks = createLinkFilter(sources);
  let text = "";
  let sent = 0;
  const release = (end: number): string => {
    const all = citationMarkers(text);
    const markers = all.flatMap((each) =>
      each.end > sent && each.end <= end ? { ...each, start: Math.max(sent, each.start) } : [],
    );
    const out = applyEdits(text, markerEdits(markers, numberOf), sent, end);
    sent = end;
    // Outside of code and formulas the text before no longer counts; a full stop replaces it, but
    // for the markers at its end, since one of these may follow again.
    if (quietPlaces(text)(sent) === "") {
      let before = text.slice(0, sent).trimEnd().length;
      for (const each of all.toReversed())
        if (each.end <= before && text.slice(each.end, before).trim() === "") before = each.start;
      text = `.${text.slice(before)}`;
      sent += 1 - before;
    }
    return withoutLinks(out);
  };
  return {
    push: (piece: string): string => {
      text += piece;
      const coming = text.slice(sent);
      const whole = coming.slice(0, UNFINISHED.exec(coming)?.index);
      const end = (MAY_END.test(piece) && citedSentences(whole).at(-1)?.start) || 0;
      return end > 0 ? release(sent + end) : "";
    },
    end: (): string => release(text.length),
  };
}

/**
 * Turns foreign links of one sentence after the other into text. A sentence that would make
 * something live together with those before it is left to the finished answer.
 */
function createLinkFilter(sources: readonly string[]): (sentence: string) => string {
  /** What the client has of the block that is being written. */
  let block = "";
  return (sentence) => {
    let out = sentence;
    if (MAY_BE_LIVE.test(sentence)) {
      const whole = block + sentence;
      if (whole.length > MAX_BLOCK) return "";
      out = applyEdits(whole, foreignLinks(whole, sources), block.length);
      if (isLive(block + out, sources)) return "";
    }
    block += out;
    if (/\n\s*\n/u.test(out)) block = block.slice(blocksIn(block).at(-1)?.start);
    return out;
  };
}
