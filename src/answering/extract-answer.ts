/**
 * The answer without a model: one quotation from the passage that answers best, verbatim, with its
 * citation, if its calibrated confidence earns it.
 */
import type { Reader } from "../reader/reader.js";
import { headedTitles, type Evidence } from "../state/evidence.js";
import { isEnglish } from "../text/languages.js";
import { blocksOf } from "../text/passage-blocks.js";
import cutoffs from "./answer-cutoffs.json" with { type: "json" };
import { markSentence } from "./citations.js";
import type { ContextWindow } from "./context-window.js";
import { holdsAddress } from "./links.js";
import { asQuotation, looksLikeAnOrder } from "./plain-text.js";
import { FEW_WORDS, readPassages, type Read, type ReadUnit } from "./readable-units.js";

/** Characters of a quotation that can still be read as an answer. */
const MAX_CHARACTERS = 1_500;

/**
 * Odds over the next row of its table by which a row is the answer: of 75 best rows of eleven
 * sources 62 are the whole answer, of the 58 that lead by as much 55.
 */
const ROW_LEAD = Math.E;

/**
 * Returns the quotation with its `[n]`; an empty text if nothing may be asserted.
 * @param read the evidence as it was read already, to cut strips
 * @param leastConfidence below which nothing is asserted; the fitted one by default
 */
export async function extractAnswer({
  question,
  window,
  evidence,
  reader,
  read,
  leastConfidence = cutoffs.answer,
  signal,
}: {
  question: string;
  window: Pick<ContextWindow, "sources">;
  evidence: readonly Evidence[];
  reader: Reader;
  read?: Read;
  leastConfidence?: number;
  signal?: AbortSignal;
}): Promise<string> {
  const { readings, order, confidence } =
    read ?? (await readPassages({ question, items: evidence, reader, signal }));
  if (confidence < leastConfidence) return "";
  const first = evidence.find(({ id }) => id === order[0]?.id);
  const source = window.sources.find(({ evidenceId }) => evidenceId === first?.id);
  const units = readings.get(first?.id ?? "") ?? [];
  const [best] = units.toSorted((a, b) => b.value - a.value);
  if (first === undefined || source === undefined || best === undefined) return "";
  const lines = blocksOf(first).filter(({ form }) => form === "row");
  const rows = units.filter(
    ({ kind, start }) =>
      kind === "row" || lines.some((line) => line.start <= start && start < line.end),
  );
  const isUnsure = rows.some(
    (row) => row !== best && oddsOf(best.value) < ROW_LEAD * oddsOf(row.value),
  );
  if (rows.includes(best) && isUnsure) return "";
  const quotation = quotationOf(best, units, headedTitles(first).at(-1) ?? "");
  return quotation.text.length > MAX_CHARACTERS ? "" : cited(quotation, source.marker);
}

function cited({ text, isCode }: Quotation, marker: number): string {
  // A block of code is visibly a quotation.
  if (isCode) return `${text}\n\n[${marker}]`;
  // What sends the reader somewhere is the document's word, not the agent's; so is what may be an
  // order in a language whose orders nobody here knows.
  if (looksLikeAnOrder(text) || holdsAddress(text) || !isEnglish(text))
    return `${asQuotation(text)} [${marker}]`;
  // Each item is a claim; the line that announces them is none.
  const isClaim = (line: string): boolean => line !== "" && !/[:：]$/u.test(line);
  const lines = text.split("\n");
  return lines.map((line) => (isClaim(line) ? markSentence(line, [marker]) : line)).join("\n");
}

interface Quotation {
  /** Verbatim but for its markup, from one place. */
  readonly text: string;
  readonly isCode: boolean;
}

/** Longer lists are quoted by the item; steps make sense only together. */
const MOST_ITEMS = 15;
const LONGEST_LIST = 600;
const LONGEST_STEPS = 1_500;

/** From this probability on, a list behind a sentence belongs to the answer: "in two ways." */
const BELONGS = 0.08;

/**
 * Odds over the next best by which an item is the answer without the others of its list, as in
 * numbered minutes. Of 61 short lists of eleven sources whose best item leads by as much, it is the
 * whole answer in 56, and part of it in 4 others.
 */
const ALONE = Math.exp(3);

/**
 * Returns a sentence with the short list that it introduces, a row with its heads, or a list,
 * unless one item stands out, or a block of code with the line that announces it.
 * @param units all of the passage
 * @param title or heading of the passage
 */
export function quotationOf(unit: ReadUnit, units: readonly ReadUnit[], title: string): Quotation {
  const { kind, display, antecedent, headings } = unit;
  const plain = (text: string): Quotation => ({ text, isCode: false });
  if (kind === "row") return plain(display);
  if (kind === "sentence") {
    const next = units[units.findIndex(({ start }) => start === unit.start) + 1];
    // A list with a line of its own above it is another matter.
    const isIntroduced = next?.kind === "item" || next?.kind === "row";
    const list = isIntroduced ? units.filter(({ group }) => group === next.group) : [];
    const lines = list.map(({ bullet = "-", display: item }) => `${bullet} ${item}`).join("\n");
    const isIts = list.some(({ value }) => value >= BELONGS) && lines.length <= LONGEST_LIST;
    return plain(joined("\n\n", joined(" ", antecedent, display), isIts ? lines : ""));
  }
  const group = units.filter((other) => other.group === unit.group);
  const lead = group.find((other) => other.kind === "lead")?.display;
  const last = group.at(-1);
  if (last?.kind === "code") return { text: joined("\n\n", lead, last.display), isCode: true };
  const items = group.filter((other) => other.kind === "item");
  const listed = (quoted: readonly ReadUnit[]): string => {
    const lines = quoted.map(({ bullet = "-", display: item }) => `${bullet} ${item}`);
    // With a colon it announces the list, and claims nothing.
    const above = headings.at(-1) ?? title;
    const heading = above === "" || above.endsWith(":") ? above : `${above}:`;
    return joined("\n\n", lead ?? heading, lines.join("\n"));
  };
  const whole = listed(items);
  const most = items.every(({ bullet }) => bullet !== "-") ? LONGEST_STEPS : LONGEST_LIST;
  const isShort = items.length <= MOST_ITEMS && whole.length <= most;
  const others = items.filter(({ start }) => start !== unit.start);
  const isAlone = others.every(({ value }) => oddsOf(unit.value) > ALONE * oddsOf(value));
  if (kind === "lead" || (isShort && !isAlone)) return plain(whole);
  return plain(display.split(" ").length < FEW_WORDS ? listed([unit]) : display);
}

function oddsOf(probability: number): number {
  return probability / (1 - probability);
}

function joined(sign: string, ...parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(sign);
}
