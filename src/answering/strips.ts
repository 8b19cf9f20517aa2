/**
 * Decompose-then-recompose: passages are cut in strips of two or three sentences, each is scored
 * against the question, and what is above 0.5 is kept (Yan et al. 2024, Corrective Retrieval
 * Augmented Generation, section 4.4). Extractive, so that quotes stay quotes.
 */
import type { Reader } from "../reader/reader.js";
import { relevanceOf, type Evidence } from "../state/evidence.js";
import { unitsOf, type Unit } from "./passage-units.js";
import { readQuotables } from "./quotables.js";

/**
 * A piece of a passage: `text === evidence.text.slice(start, end)`, offsets in UTF-16 code units.
 */
export interface Strip {
  evidenceId: string;
  text: string;
  start: number;
  end: number;
  /** 0–1, how well it fits the question. */
  score: number;
}

const STRIP_THRESHOLD = 0.5;

const SENTENCES_PER_STRIP = 3;
const MAX_STRIP_LENGTH = 900;

/**
 * Cuts one passage in strips, in reading order; scores are 0 until somebody scores them. A heading
 * stays with what follows, code with its lead-in.
 */
export function decompose({ id, text }: Pick<Evidence, "id" | "text">): Strip[] {
  const groups: Unit[][] = [];
  for (const unit of unitsOf(text)) {
    const open = groups.at(-1) ?? [];
    const sentences = open.filter(({ kind }) => kind !== "heading").length;
    const isTooLong = unit.end - (open[0]?.start ?? 0) > MAX_STRIP_LENGTH;
    const isNewParagraph = unit.block !== open.at(-1)?.block;
    const isFull =
      sentences >= SENTENCES_PER_STRIP ||
      (sentences >= SENTENCES_PER_STRIP - 1 && isNewParagraph) ||
      (sentences > 0 && (isTooLong || unit.kind === "heading"));
    if (isFull || groups.length === 0) groups.push([unit]);
    else open.push(unit);
  }
  return groups.flatMap((group) =>
    cutLong(text, group[0]?.start ?? 0, group.at(-1)?.end ?? 0).map(({ start, end }) => ({
      evidenceId: id,
      text: text.slice(start, end),
      start,
      end,
      score: 0,
    })),
  );
}

/** Passages as they are, each one strip. */
export function wholePassages(evidence: readonly Evidence[]): Strip[] {
  return evidence
    .filter((item) => item.text.trim() !== "")
    .map((item) => ({
      evidenceId: item.id,
      text: item.text,
      start: 0,
      end: item.text.length,
      score: relevanceOf(item) ?? 0,
    }));
}

/**
 * Scores the strips of all passages, keeps those above 0.5, and at least the best one of each
 * passage that the judge of the run holds relevant. Order: the most relevant passage first; within
 * a passage the order of reading.
 *
 * The judge says what a passage is worth, the reader only which of its strips make it so: no word
 * scorer drops a passage that a model graded 1.0 for one that got 0.5. The reader's own grades are
 * probabilities, low even for good passages, and count relative to the best.
 */
export async function refine({
  question,
  evidence,
  reader,
  judgedBy,
  signal,
}: {
  question: string;
  evidence: readonly Evidence[];
  reader: Reader;
  /** Who gave the evidence its relevance. */
  judgedBy: "model" | "reader";
  signal?: AbortSignal;
}): Promise<Strip[]> {
  const strips = evidence.map((item) => decompose(item));
  const read = await readQuotables({ question, items: evidence, reader, signal });
  const passages = evidence.map((item, index) => {
    const quotables = read[index] ?? [];
    const own = (strips[index] ?? []).map(({ start, end }) => {
      const inside = quotables.filter((each) => each.start < end && start < each.end);
      return Math.max(0, ...inside.map(({ value }) => value));
    });
    const best = Math.max(0, ...own);
    // Where nothing can be quoted, no strip is better than another.
    const shares = own.map((value) => (best > 0 ? value / best : 1));
    return { worth: relevanceOf(item) ?? best, shares, index };
  });
  const most = Math.max(...passages.map(({ worth }) => worth), 1e-6);
  const unit = judgedBy === "reader" || most <= STRIP_THRESHOLD ? most : 1;
  const ranked = passages
    .toSorted((a, b) => b.worth - a.worth)
    .map(({ worth, shares, index }) =>
      shares.flatMap((share, at) => {
        const strip = strips[index]?.[at];
        return strip === undefined ? [] : [{ ...strip, score: clamp((worth / unit) * share) }];
      }),
    );
  return ranked.flat().filter(({ score }) => score > STRIP_THRESHOLD);
}

/**
 * A sentence may be endless (minified code): cut at a blank, so that no strip outgrows a budget.
 */
function cutLong(text: string, start: number, end: number): { start: number; end: number }[] {
  const pieces: { start: number; end: number }[] = [];
  let from = start;
  while (end - from > 2 * MAX_STRIP_LENGTH) {
    const window = text.slice(from, from + MAX_STRIP_LENGTH);
    const blank = Math.max(window.lastIndexOf("\n"), window.lastIndexOf(" "));
    // Never between the halves of a surrogate pair.
    const isHalf = (window.codePointAt(window.length - 1) ?? 0) >> 10 === 0xd800 >> 10;
    const whole = isHalf ? window.length - 1 : window.length;
    const to = from + (blank > MAX_STRIP_LENGTH / 2 ? blank : whole);
    pieces.push({ start: from, end: to });
    from = to;
  }
  return [...pieces, { start: from, end }].filter(
    (piece) => text.slice(piece.start, piece.end).trim() !== "",
  );
}

function clamp(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}
