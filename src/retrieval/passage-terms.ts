/**
 * The terms of a passage, made ready to be compared with many lists of terms: each is a sum of its characters, and strings are compared only
 * where sums are the same. A search reads some ten thousand terms up to three times; to cut them apart and look each up would take several
 * times as long.
 */
export interface PassageTerms {
  /** As an index stores them: in reading order, those of title and headings first, a space between. */
  readonly text: string;
  /** One for each term. */
  readonly sums: Int32Array;
  /** Where each term begins in the text; one more, behind the last. */
  readonly starts: Int32Array;
}

const SPACE = 32;
/** Grows with the longest passage. */
let scratch = { sums: new Int32Array(1_024), starts: new Int32Array(1_025) };

export function readPassageTerms(text: string): PassageTerms {
  const { length } = text;
  // Half of the characters are spaces at most.
  const most = (length >> 1) + 1;
  if (scratch.sums.length < most) scratch = { sums: new Int32Array(most), starts: new Int32Array(most + 1) };
  const { sums, starts } = scratch;
  let [count, sum, start] = [0, 0, 0];
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code !== SPACE) {
      sum = (Math.imul(sum, 31) + code) | 0;
      continue;
    }
    sums[count] = sum;
    starts[count++] = start;
    start = at + 1;
    sum = 0;
  }
  if (length > 0) {
    sums[count] = sum;
    starts[count++] = start;
  }
  starts[count] = length + 1;
  return { text, sums: sums.slice(0, count), starts: starts.slice(0, count + 1) };
}

/** Calls `found` with the term's place in the list and its position in the passage, for each of the passage's terms that is in the list. */
export type TermScanner = (passage: PassageTerms, found: (place: number, position: number) => void) => void;

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
