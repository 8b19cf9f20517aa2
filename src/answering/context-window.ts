/** The context window: what the writer of an answer sees of the evidence, in one of three headed forms, each source with its number. */
import type { Evidence } from "../state/evidence.js";
import { headedTitle, relevanceOf, renderSource } from "../state/evidence.js";
import type { EvidenceLabel } from "../state/verdict.js";
import { countTokens, tokensAtMost } from "../text/tokens.js";
import { fenced } from "./fence.js";
import type { Strip } from "./strips.js";
import { DEFAULT_CONTEXT_TOKENS } from "./strips.js";

/** One numbered source of the window. */
export interface WindowSource {
  /** The number `n` of the citation `[n]`, from 1, without gaps. */
  marker: number;
  evidenceId: string;
  /** In order of reading. */
  strips: Strip[];
}

export interface ContextWindow {
  /** As it goes into a prompt; fenced and escaped. Empty when there is no evidence. */
  text: string;
  sources: WindowSource[];
  /** `relevant`: documents only; `ambiguous`: documents, then web; `irrelevant`: web only. */
  form: "relevant" | "ambiguous" | "irrelevant" | "empty";
  /** Tokens of `text` at most: counted where they might exceed the budget, else its bytes. */
  tokens: number;
}

export const EMPTY_WINDOW: ContextWindow = { text: "", sources: [], form: "empty", tokens: 0 };

const DOCUMENTS = "=== Retrieved Documents ===";
const ADDITIONAL_WEB = "=== Additional Web Information ===";
const WEB_ONLY = "=== Web Search Results ===";

/** An item below this relevance is in the window only because nothing better was left, and is marked so. */
const WEAK = 0.3;

/**
 * Puts strips in their headed form. The kinds of the evidence decide which: the grader has already dropped what it rejected. Documents come
 * before the web; within each the order in which `strips` first names a source. When the whole would exceed the budget, the strips with the
 * lowest scores are left out; none is ever cut. Strips of evidence that is not given are ignored.
 */
export async function assembleWindow(input: {
  evidence: readonly Evidence[];
  strips: readonly Strip[];
  label?: EvidenceLabel;
  budgetInTokens?: number;
}): Promise<ContextWindow> {
  const { evidence, label, budgetInTokens = DEFAULT_CONTEXT_TOKENS } = input;
  const known = new Map(evidence.map((item) => [item.id, item]));
  let strips = input.strips.filter((strip) => known.has(strip.evidenceId));
  for (;;) {
    const window = await assemble({ strips, known, label, budgetInTokens });
    if (window.tokens <= budgetInTokens || strips.length === 0) return window;
    strips = await withoutWeakest(strips, window.tokens - budgetInTokens);
  }
}

async function assemble({
  strips,
  known,
  label,
  budgetInTokens,
}: {
  strips: readonly Strip[];
  known: ReadonlyMap<string, Evidence>;
  label: EvidenceLabel | undefined;
  budgetInTokens: number;
}): Promise<ContextWindow> {
  const order = [...new Set(strips.map((strip) => strip.evidenceId))].flatMap(
    (id) => known.get(id) ?? [],
  );
  const documents = order.filter((item) => item.source.kind !== "web");
  const web = order.filter((item) => item.source.kind === "web");
  if (documents.length + web.length === 0) return EMPTY_WINDOW;

  const sources = [...documents, ...web].map((item, index) => ({
    marker: index + 1,
    evidenceId: item.id,
    strips: strips
      .filter((strip) => strip.evidenceId === item.id)
      .sort((a, b) => a.start - b.start),
  }));
  const form = web.length === 0 ? "relevant" : documents.length === 0 ? "irrelevant" : "ambiguous";
  const blocks: string[] = [];
  if (documents.length > 0) blocks.push(DOCUMENTS);
  for (const [index, source] of sources.entries()) {
    const item = known.get(source.evidenceId);
    if (item === undefined) continue;
    if (index === documents.length) blocks.push(documents.length === 0 ? WEB_ONLY : ADDITIONAL_WEB);
    const name =
      index < documents.length ? "Document" : form === "irrelevant" ? "Source" : "Web Source";
    const text = joined(item, source.strips);
    blocks.push(`${name} ${source.marker}:\n${fenced(source.marker, text, aboutOf(item, label))}`);
  }
  const text = blocks.join("\n\n");
  const atMost = tokensAtMost(text);
  return {
    text,
    sources,
    form,
    tokens: atMost <= budgetInTokens ? atMost : await countTokens(text),
  };
}

/** Title, headings, place, and the date of a web page. */
function aboutOf(item: Evidence, label: EvidenceLabel | undefined): string {
  const { source } = item;
  const place = renderSource(source).replace(/^\[SOURCE:|\]$/gu, "");
  const dated =
    source.kind === "web" && source.date !== undefined ? `${place}, ${source.date}` : place;
  const isWeak = label !== "CORRECT" && (relevanceOf(item) ?? 1) < WEAK;
  return `${headedTitle(item)} (${dated})${isWeak ? " (weak evidence)" : ""}`;
}

/** Neighbouring strips flow on; a gap between them is shown, so that nobody quotes across it. */
function joined(item: Evidence, strips: readonly Strip[]): string {
  return strips
    .map((strip, index) => {
      const previous = strips[index - 1];
      if (previous === undefined) return strip.text;
      const between = item.text.slice(previous.end, strip.start);
      return between.trim() === ""
        ? `${between === "" ? " " : between}${strip.text}`
        : `\n[…]\n${strip.text}`;
    })
    .join("");
}

async function withoutWeakest(strips: readonly Strip[], excessInTokens: number): Promise<Strip[]> {
  const dropped = new Set<Strip>();
  let freed = 0;
  for (const strip of [...strips].sort((a, b) => a.score - b.score)) {
    if (freed >= excessInTokens) break;
    freed += await countTokens(strip.text);
    dropped.add(strip);
  }
  return strips.filter((strip) => !dropped.has(strip));
}
