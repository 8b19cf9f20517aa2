import { contentTerms } from "../text/analyse.js";

/**
 * Returns the parts of a page that have most to do with the question, in the order of the page.
 * Paragraphs are packed into passages, and each passage counts the question's terms in it, a term
 * that stands in few passages for more: the page's own topic, which is everywhere on it, does not
 * decide. Without any match it is the beginning of the page.
 */
export function bestPassages(
  text: string,
  question: string,
  { count, maxCharacters }: { count: number; maxCharacters: number },
): string[] {
  const wanted = new Set(contentTerms(question));
  const passages = packed(text, maxCharacters).map((passage) => ({
    passage,
    terms: [...new Set(contentTerms(passage))].filter((term) => wanted.has(term)),
  }));
  const frequency = new Map<string, number>();
  for (const term of passages.flatMap(({ terms }) => terms))
    frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const weight = (sum: number, term: string): number =>
    sum + Math.log(1 + passages.length / (frequency.get(term) ?? 1));
  return passages
    .map(({ passage, terms }, place) => ({ passage, place, score: terms.reduce(weight, 0) }))
    .toSorted((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, count)
    .filter(({ score }, rank) => score > 0 || rank === 0)
    .toSorted((a, b) => a.place - b.place)
    .map(({ passage }) => passage);
}

/** Lines joined up to the limit; longer ones are cut. */
function packed(text: string, maxCharacters: number): string[] {
  const passages: string[] = [];
  let open = "";
  const close = (): void => {
    if (open.trim() !== "") passages.push(open.trim());
    open = "";
  };
  for (let line of text.split("\n")) {
    if (open.length + line.length + 1 > maxCharacters) close();
    while (line.length > maxCharacters) {
      const cut = cutAt(line.slice(0, maxCharacters));
      passages.push(line.slice(0, cut).trim());
      line = line.slice(cut);
    }
    open += `${line}\n`;
  }
  close();
  return passages.filter((passage) => passage !== "");
}

/** The end of the last sentence, else of the last word, in the second half; else the end. */
function cutAt(part: string): number {
  const stops = [". ", "? ", "! ", "。"].map((stop) => part.lastIndexOf(stop) + 1);
  const ends = [Math.max(...stops), part.lastIndexOf(" ")];
  return ends.find((end) => end > part.length / 2) ?? part.length;
}
