/**
 * The terms of a passage, made ready to be compared with many lists of terms: each is a sum of its characters, and strings are compared only
 * where sums are the same. A search reads some ten thousand terms up to three times; to cut them apart and look each up would take several
 * times as long.
 */
export interface PassageTerms {
  /** As an index stores them: in reading order, those of title and headings first, a space between. */
  readonly text: string;
  /** One for each term. */
  readonly sums: readonly number[];
  /** Where each term begins in the text; one more, behind the last. */
  readonly starts: readonly number[];
}

const SPACE = 32;

export function readPassageTerms(text: string): PassageTerms {
  const sums: number[] = [];
  const starts = [0];
  if (text === "") return { text, sums, starts };
  let sum = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== SPACE) {
      sum = (Math.imul(sum, 31) + code) | 0;
      continue;
    }
    sums.push(sum);
    starts.push(at + 1);
    sum = 0;
  }
  sums.push(sum);
  starts.push(text.length + 1);
  return { text, sums, starts };
}

/** Calls `found` with the term's place in the list and its position in the passage, for each of the passage's terms that is in the list. */
export type TermScanner = (
  passage: PassageTerms,
  found: (place: number, position: number) => void,
) => void;

const FREE = -1;

/** Makes a scanner for these terms, each of which is there once. */
export function termScanner(wanted: readonly string[]): TermScanner {
  const size = 2 ** Math.ceil(Math.log2(wanted.length * 8 + 1));
  const last = size - 1;
  const places = new Int32Array(size).fill(FREE);
  const sums = new Int32Array(size);
  wanted.forEach((term, place) => {
    const sum = readPassageTerms(term).sums[0] ?? 0;
    let slot = sum & last;
    while (places[slot] !== FREE) slot = (slot + 1) & last;
    places[slot] = place;
    sums[slot] = sum;
  });
  return (passage, found) => {
    for (let position = 0; position < passage.sums.length; position++) {
      const sum = passage.sums[position] ?? 0;
      for (let slot = sum & last; places[slot] !== FREE; slot = (slot + 1) & last) {
        const place = places[slot] ?? FREE;
        if (sums[slot] !== sum || !isTerm(wanted[place] ?? "", passage, position)) continue;
        found(place, position);
        break;
      }
    }
  };
}

function isTerm(term: string, { text, starts }: PassageTerms, position: number): boolean {
  const start = starts[position] ?? 0;
  return term.length === (starts[position + 1] ?? 0) - 1 - start && text.startsWith(term, start);
}
