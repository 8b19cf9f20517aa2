/**
 * Decompose-then-recompose: passages are cut into strips of two or three sentences, scored against
 * the question, and kept if they come near the best (Yan et al. 2024, Corrective Retrieval
 * Augmented Generation, section 4.4). Extractive, so that quotes stay quotes.
 */
import { relevanceOf, type Evidence } from "../state/evidence.js";
import type { Range, Span } from "../text/passage-blocks.js";
import { wordsOf } from "../text/words.js";
import { unitsOf, type Unit } from "../text/sentences.js";
import type { Readings } from "./readable-units.js";

/** Part of a passage: `text === evidence.text.slice(start, end)`. */
export interface Strip extends Span {
  evidenceId: string;
  /** 0–1, how well it fits the question. */
  score: number;
}

/**
 * Share of a passage's best strip above which another is kept. Of 47 questions about 30 documents
 * 0.6 takes the answer from one, 0.4 from none, for a hundredth more tokens.
 */
const STRIP_THRESHOLD = 0.4;
const SENTENCES_PER_STRIP = 3;
const MAX_STRIP_LENGTH = 900;

/**
 * Cuts a passage into unscored strips, in reading order. A heading stays with what follows, code
 * with its lead-in.
 */
export function decompose(item: Pick<Evidence, "id" | "text" | "blocks">): Strip[] {
  const { id, text } = item;
  const groups: Unit[][] = [];
  for (const unit of unitsOf(item)) {
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
  return groups.map((group) => {
    const [start, end] = [group[0]?.start ?? 0, group.at(-1)?.end ?? 0];
    return { evidenceId: id, text: text.slice(start, end), start, end, score: 0 };
  });
}

/** Makes each passage one strip. */
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
 * Keeps the best strips of each passage; the most relevant passage first, within a passage in
 * reading order. Strips compete within their passage only: whether a passage is worth showing was
 * the judge's decision. Scores are the passage's relevance, times the strip's share of the
 * passage's best.
 */
export function refine(evidence: readonly Evidence[], readings: Readings): Strip[] {
  return readStrips(evidence, readings)
    .map(({ item, best, strips }) => ({ worth: relevanceOf(item) ?? best, strips }))
    .sort((a, b) => b.worth - a.worth)
    .flatMap(({ worth, strips }) =>
      strips.map((strip) => ({ ...strip, score: worth * strip.score })),
    );
}

/**
 * Returns what the writer would be shown of each passage, by id: a judge need see no more, since no
 * answer could be given from the rest.
 */
export function excerpts(evidence: readonly Evidence[], readings: Readings): Map<string, string> {
  const passages = readStrips(evidence, readings);
  return new Map(passages.map(({ item, strips }) => [item.id, recomposed(item.text, strips)]));
}

/** Joins strips, with a mark for each gap, so that nobody quotes across it. */
export function recomposed(passage: string, strips: readonly Strip[]): string {
  return strips
    .map(({ text, start }, index) => {
      const previous = strips[index - 1];
      if (previous === undefined) return text;
      const between = passage.slice(previous.end, start);
      // The marks and numbers of items are none.
      const isGap = wordsOf(between).some((word) => Number.isNaN(Number(word)));
      return isGap ? `\n[…]\n${text}` : `${between || " "}${text}`;
    })
    .join("");
}

/** Selects the strips of each passage that come near its best; scores are shares of the best. */
function readStrips(evidence: readonly Evidence[], readings: Readings) {
  return evidence.map((item) => {
    const units = readings.get(item.id) ?? [];
    const best = Math.max(0, ...units.map(({ value }) => value));
    // Without any unit that was read no strip is better than another.
    const shareOf = ({ start, end }: Range): number => {
      const inside = units.filter((each) => each.start < end && start < each.end);
      return best > 0 ? Math.max(0, ...inside.map(({ value }) => value)) / best : 1;
    };
    const strips = decompose(item)
      .filter((strip) => shareOf(strip) > STRIP_THRESHOLD)
      .map((strip) => ({ ...strip, score: shareOf(strip) }));
    return { item, best, strips };
  });
}
