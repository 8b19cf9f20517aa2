import { contentTerms } from "../text/analyse.js";

/** A part of a page; `start` is its offset in the page's text. */
export interface PagePassage {
  text: string;
  start: number;
}

/**
 * The parts of a page that have most to do with the question, in the order of the page: paragraphs are packed into passages, and each passage
 * counts the question's terms in it, a term that stands in few passages for more. The page itself serves as the background of rarity, so that
 * its own topic, which is everywhere on it, does not decide. Without any match it is the beginning of the page.
 */
export function bestPassages(
  text: string,
  question: string,
  { count, maxCharacters }: { count: number; maxCharacters: number },
): PagePassage[] {
  const passages = packParagraphs(text, maxCharacters);
  const wanted = new Set(contentTerms(question));
  const found = passages.map(
    (passage) => new Set(contentTerms(passage.text).filter((term) => wanted.has(term))),
  );
  const frequency = new Map<string, number>();
  for (const terms of found)
    for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const weight = (term: string): number =>
    Math.log(1 + passages.length / (frequency.get(term) ?? 1));
  const scored = passages.map((passage, index) => ({
    passage,
    score: sum([...(found[index] ?? [])].map(weight)),
  }));
  return scored
    .toSorted((a, b) => b.score - a.score || a.passage.start - b.passage.start)
    .slice(0, count)
    .filter(({ score }, rank) => score > 0 || rank === 0)
    .map(({ passage }) => passage)
    .sort((a, b) => a.start - b.start);
}

function packParagraphs(text: string, maxCharacters: number): PagePassage[] {
  const passages: PagePassage[] = [];
  let start = 0;
  let end = 0;
  const close = (): void => {
    const part = text.slice(start, end);
    const trimmed = part.trim();
    if (trimmed !== "") passages.push({ text: trimmed, start: start + part.indexOf(trimmed) });
    start = end;
  };
  for (const match of text.matchAll(/[^\n]*\n?/g)) {
    const lineEnd = match.index + match[0].length;
    if (lineEnd - start > maxCharacters) close();
    end = lineEnd;
    while (end - start > maxCharacters) {
      end = cutAt(text, start, maxCharacters);
      close();
      end = lineEnd;
    }
  }
  close();
  return passages;
}

/** The end of the last sentence that fits, else of the last word, else of the last character. */
function cutAt(text: string, start: number, maxCharacters: number): number {
  const part = text.slice(start, start + maxCharacters);
  const sentence = Math.max(
    part.lastIndexOf(". "),
    part.lastIndexOf("? "),
    part.lastIndexOf("! "),
    part.lastIndexOf("。"),
  );
  const space = part.lastIndexOf(" ");
  const length =
    sentence > maxCharacters / 2 ? sentence + 1 : space > maxCharacters / 2 ? space : maxCharacters;
  return start + length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
