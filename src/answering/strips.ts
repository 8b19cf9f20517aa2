/**
 * Decompose-then-recompose: passages are cut in strips of two or three sentences, each is scored against the question, and what is above
 * 0.5 is kept (Yan et al. 2024, Corrective Retrieval Augmented Generation, section 4.4). Extractive, so that quotes stay quotes.
 */
import type { Evidence } from "../state/evidence.js";
import { headedTitle, relevanceOf } from "../state/evidence.js";
import { countTokens, tokensAtMost } from "../text/tokens.js";
import type { Unit } from "./passage-units.js";
import { unitsOf } from "./passage-units.js";
import { scoreStrips, type StripInContext } from "./strip-scorer.js";

/** A piece of a passage: `text === evidence.text.slice(start, end)`, offsets in UTF-16 code units. */
export interface Strip {
  evidenceId: string;
  text: string;
  start: number;
  end: number;
  /** 0–1, how well it fits the question. */
  score: number;
}

/** One score in 0–1 for each strip of one passage, in order. */
export type StripScorer = (
  question: string,
  strips: readonly StripInContext[],
) => readonly number[] | Promise<readonly number[]>;

export const STRIP_THRESHOLD = 0.5;
export const DEFAULT_CONTEXT_TOKENS = 4096;

const SENTENCES_PER_STRIP = 3;
const MAX_STRIP_LENGTH = 900;

type TextOf = Pick<Evidence, "id" | "text">;

/** Cuts one passage in strips, in reading order; scores are 0 until somebody scores them. A heading stays with what follows, code with its lead-in. */
export function decompose(evidence: TextOf): Strip[] {
  const groups: Unit[][] = [];
  let open: Unit[] = [];
  const close = (): void => {
    if (open.length > 0) groups.push(open);
    open = [];
  };
  for (const unit of unitsOf(evidence.text)) {
    const first = open[0];
    const last = open[open.length - 1];
    if (first !== undefined && last !== undefined) {
      const sentencesSoFar = open.filter((part) => part.kind !== "heading").length;
      const tooLong = unit.end - first.start > MAX_STRIP_LENGTH;
      const newParagraph = unit.block !== last.block && sentencesSoFar >= SENTENCES_PER_STRIP - 1;
      const newSection = unit.kind === "heading" && last.kind !== "heading";
      if (
        sentencesSoFar >= SENTENCES_PER_STRIP ||
        newParagraph ||
        newSection ||
        (tooLong && sentencesSoFar > 0)
      )
        close();
    }
    open.push(unit);
  }
  close();
  return groups.flatMap((group) => {
    const start = group[0]?.start ?? 0;
    const end = group[group.length - 1]?.end ?? 0;
    return cutLong(evidence.text, start, end).map((piece) => ({
      evidenceId: evidence.id,
      ...piece,
      score: 0,
    }));
  });
}

/** Passages as they are, each one strip: what the answer gets when refinement is switched off. */
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
 * Scores the strips of all passages and keeps those above 0.5, at least one of the best passage, inside a budget of tokens. No strip is cut.
 * Order: the passage with the best strip first; within a passage the order of reading.
 *
 * @param input.score gives scores in 0–1. Without one the embedded judge does, relative to the best strip: its probability that two sentences
 *   answer a question is low even for good ones, and whether the evidence is any good at all was decided before.
 */
export async function refine(input: {
  question: string;
  evidence: readonly Evidence[];
  budgetInTokens?: number;
  score?: StripScorer;
}): Promise<Strip[]> {
  const { question, evidence, budgetInTokens = DEFAULT_CONTEXT_TOKENS } = input;
  const score = input.score ?? scoreStrips;
  const measured = await Promise.all(
    evidence.map(async (item) => {
      const strips = decompose(item);
      const scores = await score(
        question,
        strips.map((strip, index) => ({
          title: headedTitle(item),
          text: strip.text,
          before: strips[index - 1]?.text ?? "",
        })),
      );
      return {
        item,
        strips: strips.map((strip, index) => ({ ...strip, score: clamp(scores[index] ?? 0) })),
      };
    }),
  );
  const unit =
    input.score === undefined
      ? Math.max(0, ...measured.flatMap(({ strips }) => strips.map((strip) => strip.score)))
      : 1;
  const passages = measured.map(({ item, strips }) => {
    const scored = strips.map((strip) => ({ ...strip, score: unit > 0 ? strip.score / unit : 0 }));
    return { item, strips: scored, best: Math.max(0, ...scored.map((strip) => strip.score)) };
  });
  passages.sort(
    (a, b) => b.best - a.best || (relevanceOf(b.item) ?? 0) - (relevanceOf(a.item) ?? 0),
  );
  const candidates = passages.flatMap(({ strips }) => strips);
  const wanted = candidates.filter((strip) => strip.score > STRIP_THRESHOLD);
  const chosen = await withinBudget(
    wanted.length > 0 ? wanted : bestOf(passages[0]?.strips ?? []),
    budgetInTokens,
  );
  return candidates.filter((strip) => chosen.has(strip));
}

function bestOf(strips: readonly Strip[]): Strip[] {
  const best = strips.reduce<Strip | undefined>(
    (top, strip) => (top === undefined || strip.score > top.score ? strip : top),
    undefined,
  );
  return best === undefined ? [] : [best];
}

async function withinBudget(strips: readonly Strip[], budgetInTokens: number): Promise<Set<Strip>> {
  if (strips.reduce((sum, strip) => sum + tokensAtMost(strip.text), 0) <= budgetInTokens)
    return new Set(strips);
  const chosen = new Set<Strip>();
  let spent = 0;
  for (const strip of [...strips].sort((a, b) => b.score - a.score)) {
    const tokens = await countTokens(strip.text);
    if (spent + tokens > budgetInTokens) continue;
    spent += tokens;
    chosen.add(strip);
  }
  return chosen;
}

/** A sentence may be endless (minified code, a table without full stops): cut it at a blank, so that no strip outgrows a budget. */
function cutLong(
  text: string,
  start: number,
  end: number,
): { text: string; start: number; end: number }[] {
  const pieces: { text: string; start: number; end: number }[] = [];
  let from = start;
  while (end - from > 2 * MAX_STRIP_LENGTH) {
    const window = text.slice(from, from + MAX_STRIP_LENGTH);
    const blank = Math.max(window.lastIndexOf("\n"), window.lastIndexOf(" "));
    const high = window.charCodeAt(window.length - 1);
    // Never between the halves of a surrogate pair.
    const length =
      blank > MAX_STRIP_LENGTH / 2
        ? blank
        : window.length - (high >= 0xd800 && high <= 0xdbff ? 1 : 0);
    pieces.push({ text: text.slice(from, from + length), start: from, end: from + length });
    from += length;
  }
  pieces.push({ text: text.slice(from, end), start: from, end });
  return pieces.filter((piece) => piece.text.trim() !== "");
}

function clamp(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}
