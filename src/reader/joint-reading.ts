/** Reads whole passages with the joint reader, sentence by sentence. */
import { quotationsIn } from "../text/literals.js";
import { sentences } from "../text/sentences.js";
import type { JointPair, JointScores } from "./joint-layout.js";
import type { ReadablePassage } from "./reader.js";

/** What the joint reader makes of one passage: log-odds. */
export interface JointReading {
  readonly passage: number;
  /** In reading order; offsets into the passage's text. */
  readonly sentences: readonly {
    readonly start: number;
    readonly end: number;
    readonly score: number;
  }[];
  readonly support: number;
}

/** More than the joint reader sees of one passage. */
const MOST_CHARACTERS = 12_000;
/** Log-odds of what was not read. */
export const UNREAD = -8;

export async function readPassagesTogether(
  query: string,
  passages: readonly ReadablePassage[],
  read: (pairs: readonly JointPair[]) => Promise<JointScores[]>,
): Promise<JointReading[]> {
  const cut = passages.map(({ text, blocks }) => sentences(text.slice(0, MOST_CHARACTERS), blocks));
  const scores = await read(
    passages.map(({ title, headings = [] }, index) => ({
      query,
      above: [...new Set([title, ...headings])].filter((part) => part !== "").join(". "),
      sentences: (cut[index] ?? []).map(({ text }) => text),
    })),
  );
  return cut.map((spans, index) => ({
    passage: Math.max(UNREAD, scores[index]?.passage ?? UNREAD),
    support: Math.max(UNREAD, scores[index]?.support ?? UNREAD),
    sentences: spans.map(({ start, end }, at) => ({
      start,
      end,
      score: scores[index]?.sentences[at] ?? UNREAD,
    })),
  }));
}

/** Blanks out quoted questions, as in a command: an example asks and answers nothing. */
export function withoutExamples(passage: ReadablePassage): ReadablePassage {
  const text = quotationsIn(passage.text)
    .filter((quotation) => quotation.text.endsWith("?"))
    .reduce(
      (rest, { start, end }) => rest.slice(0, start) + " ".repeat(end - start) + rest.slice(end),
      passage.text,
    );
  return { ...passage, text };
}

/** Returns the best score of the sentences within a place, or that it lies in. */
export function scoreIn(
  reading: JointReading | undefined,
  { start, end }: { readonly start: number; readonly end: number },
): number {
  const inside = reading?.sentences.filter((each) => each.start < end && start < each.end) ?? [];
  return Math.max(UNREAD, ...inside.map(({ score }) => score));
}
