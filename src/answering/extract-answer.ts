/**
 * The answer without a model: the one to three whole quotations that rank first, verbatim, each
 * with its citation; never stitched. Below the fitted cut-off it abstains.
 */
import type { Reader } from "../reader/reader.js";
import { asPassage, relevanceOf, type Evidence } from "../state/evidence.js";
import { contentTerms } from "../text/analyse.js";
import cutoffs from "./answer-cutoffs.json" with { type: "json" };
import { markSentence } from "./citations.js";
import type { ContextWindow } from "./context-window.js";
import { asQuotation, looksLikeAnOrder } from "./plain-text.js";
import { readQuotables, type Quotable, type Readings } from "./quotables.js";

/** A quotation with its place in the ranking. */
interface RankedQuote extends Quotable {
  /** Number of its source in the window. */
  readonly marker: number;
  /** 0–1: how likely quotation and passage answer the question, together. */
  readonly score: number;
}

interface QuoteInput {
  question: string;
  window: Pick<ContextWindow, "sources">;
  evidence: readonly Evidence[];
  reader: Reader;
  /** Of all evidence, if it was read already to cut strips. */
  readings?: Readings;
  signal?: AbortSignal;
}

const MAX_QUOTES = 3;
/** Passages to quote from; the reader scores each of their sentences. */
const MAX_PASSAGES = 6;
/** A quotation that shares this much of its words with an earlier one is left out. */
const REPEATED = 0.9;
/** Characters of all quotations after the first together. */
const MAX_FURTHER = 500;

/**
 * The answer, with `[n]` markers; empty when it abstains.
 * @param abstainBelow relevance of the set below which nothing is answered: one fitting sentence
 *   does not overrule the judge
 * @param evidenceScore relevance of the set; absent if grading was off, and then the best quotation
 *   is returned whatever its score
 */
export async function extractAnswer({
  abstainBelow,
  evidenceScore,
  ...input
}: QuoteInput & { abstainBelow: number; evidenceScore?: number }): Promise<string> {
  const ranked = await rankQuotes(input);
  const best = ranked[0]?.score ?? 0;
  if (evidenceScore !== undefined && (evidenceScore < abstainBelow || best < cutoffs.answer))
    return "";
  return composed(answerOf(ranked));
}

/** Quotations of the window's passages, the likeliest answer first. */
export async function rankQuotes({
  question,
  window,
  evidence,
  reader,
  readings,
  signal,
}: QuoteInput): Promise<RankedQuote[]> {
  const known = new Map(evidence.map((item) => [item.id, item]));
  const items = window.sources.flatMap(({ marker, evidenceId }) => {
    const item = known.get(evidenceId);
    return item === undefined ? [] : [{ marker, item }];
  });
  const ungraded = items.filter(({ item }) => relevanceOf(item) === undefined);
  const { passages } = await reader.relevance({
    question,
    passages: ungraded.map(({ item }) => asPassage(item)),
    signal,
  });
  const best = items
    .map((each) => ({
      ...each,
      passage: relevanceOf(each.item) ?? passages[ungraded.indexOf(each)]?.value ?? 0,
    }))
    .sort((a, b) => b.passage - a.passage)
    .slice(0, MAX_PASSAGES);
  const read =
    readings ??
    (await readQuotables({ question, items: best.map(({ item }) => item), reader, signal }));
  return best
    .flatMap(({ marker, item, passage }) =>
      (read.get(item.id) ?? []).map(({ value, ...quotable }) => {
        const odds = (logOdds(value) + logOdds(passage)) / 2;
        return { ...quotable, marker, score: 1 / (1 + Math.exp(-odds)) };
      }),
    )
    .sort((a, b) => b.score - a.score);
}

/** Returns the best quotation, and others that come close to it without repeating it. */
function answerOf([first, ...rest]: readonly RankedQuote[]): RankedQuote[] {
  if (first === undefined) return [];
  const chosen = [first];
  if (isWhole(first)) return chosen;
  let further = 0;
  for (const quote of rest) {
    if (chosen.length === MAX_QUOTES || quote.score < cutoffs.further * first.score) break;
    if (isWhole(quote)) continue;
    // A sentence that begins with a pronoun includes the one before it.
    const included = chosen.findIndex((other) => includes(quote, other));
    if (included !== -1) chosen[included] = quote;
    if (chosen.some((other) => repeats(other, quote))) continue;
    further += quote.text.length;
    if (further > MAX_FURTHER) break;
    chosen.push(quote);
  }
  return chosen;
}

/** A list or a code block is a complete answer. */
function isWhole({ kind }: RankedQuote): boolean {
  return kind === "list" || kind === "code";
}

function includes(a: RankedQuote, b: RankedQuote): boolean {
  return a.marker === b.marker && a.start <= b.start && b.end <= a.end;
}

/** True for the same place, and for the same words in another document or other markup. */
function repeats(a: RankedQuote, b: RankedQuote): boolean {
  if (a.marker === b.marker && a.start < b.end && b.start < a.end) return true;
  const said = new Set(contentTerms(a.text));
  const terms = contentTerms(b.text);
  return terms.filter((term) => said.has(term)).length >= REPEATED * terms.length;
}

/** Sentences form a paragraph; rows and items, which lack a full stop, get lines of their own. */
function composed(quotes: readonly RankedQuote[]): string {
  let answer = "";
  let goesOn = false;
  for (const { text, marker, kind } of quotes) {
    // A code block is visibly a quotation.
    const isOrder = kind !== "code" && looksLikeAnOrder(text);
    const isSentence = kind === "sentence" && !isOrder;
    if (answer !== "") answer += isSentence && goesOn ? " " : "\n\n";
    const cited = text.endsWith("```") ? `${text}\n\n[${marker}]` : markSentence(text, [marker]);
    answer += isOrder ? `${asQuotation(text)} [${marker}]` : cited;
    goesOn = isSentence;
  }
  return answer;
}

function logOdds(value: number): number {
  const clamped = Math.min(0.999, Math.max(0.001, value));
  return Math.log(clamped / (1 - clamped));
}
