/** Reads whole passages with the joint reader, in windows that it can see, and sums them up. */
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

/** Characters of one window, about 240 tokens, and windows of one passage at most. */
const WINDOW = 1_300;
const MOST_WINDOWS = 6;
/** Log-odds of what was not read. */
export const UNREAD = -8;

interface Window {
  readonly pair: JointPair;
  readonly places: readonly { readonly start: number; readonly end: number }[];
}

function windowsOf(query: string, { title, headings = [], text }: ReadablePassage): Window[] {
  const above = [...new Set([title, ...headings])].filter((part) => part !== "").join(". ");
  const windows: { spans: { text: string; start: number; end: number }[]; size: number }[] = [];
  for (const span of sentences(text)) {
    const open = windows.at(-1);
    const size = span.end - span.start;
    if (open !== undefined && open.size + size <= WINDOW) {
      open.spans.push(span);
      open.size += size;
    } else if (windows.length < MOST_WINDOWS) windows.push({ spans: [span], size });
    else break;
  }
  if (windows.length === 0) windows.push({ spans: [], size: 0 });
  return windows.map(({ spans }) => ({
    pair: { query, above, sentences: spans.map((span) => span.text) },
    places: spans.map(({ start, end }) => ({ start, end })),
  }));
}

export async function readPassagesTogether(
  query: string,
  passages: readonly ReadablePassage[],
  read: (pairs: readonly JointPair[]) => Promise<JointScores[]>,
): Promise<JointReading[]> {
  const windows = passages.map((passage) => windowsOf(query, passage));
  const scores = await read(windows.flat().map(({ pair }) => pair));
  let next = 0;
  return windows.map((parts) => {
    const read = parts.map(({ places }) => ({ places, scores: scores[next++] }));
    return {
      passage: Math.max(UNREAD, ...read.flatMap((part) => part.scores?.passage ?? [])),
      support: Math.max(UNREAD, ...read.flatMap((part) => part.scores?.support ?? [])),
      sentences: read.flatMap((part) =>
        part.places.map((place, at) => ({
          ...place,
          score: part.scores?.sentences[at] ?? UNREAD,
        })),
      ),
    };
  });
}

/** Blanks out questions in quotation marks, as in a command: an example asks and answers nothing. */
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
