/** The evidence as the writer of an answer sees it, under headings, each source with its number. */
import { headedTitle, isFromWeb, relevanceOf, renderSource } from "../state/evidence.js";
import type { Evidence } from "../state/evidence.js";
import type { EvidenceLabel } from "../state/verdict.js";
import { estimateTokens } from "../text/words.js";
import { fenced } from "./fence.js";
import { recomposed, type Strip } from "./strips.js";

interface WindowSource {
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
  /** Tokens of `text`, estimated on the upper side. */
  tokens: number;
}

export const EMPTY_WINDOW: ContextWindow = { text: "", sources: [], form: "empty", tokens: 0 };

const DOCUMENTS = "=== Retrieved Documents ===";
const ADDITIONAL_WEB = "=== Additional Web Information ===";
const WEB_ONLY = "=== Web Search Results ===";

/** Evidence below this relevance is there for want of better, and is marked as weak. */
const WEAK = 0.3;

/**
 * Lays out strips under headings: documents before the web, within each in the order in which
 * `strips` first names a source. Over budget, strips are left out whole, those with the lowest
 * scores first, but a source's best strip only after all strips that are not the best of theirs.
 */
export function assembleWindow(input: {
  evidence: readonly Evidence[];
  strips: readonly Strip[];
  label?: EvidenceLabel;
  budgetInTokens?: number;
}): ContextWindow {
  const { evidence, label, budgetInTokens = 4096 } = input;
  const known = new Map(evidence.map((item) => [item.id, item]));
  let strips = input.strips.filter((strip) => known.has(strip.evidenceId));
  while (strips.length > 0) {
    const window = headed(strips, known, label);
    const tokens = estimateTokens(window.text);
    if (tokens <= budgetInTokens) return { ...window, tokens };
    strips = withoutWeakest(strips, tokens - budgetInTokens);
  }
  return EMPTY_WINDOW;
}

function headed(
  strips: readonly Strip[],
  known: ReadonlyMap<string, Evidence>,
  label: EvidenceLabel | undefined,
): Omit<ContextWindow, "tokens"> {
  const named = [...new Set(strips.map(({ evidenceId }) => evidenceId))];
  const items = named.flatMap((id) => known.get(id) ?? []);
  const documents = items.filter((item) => !isFromWeb(item));
  const web = items.filter(isFromWeb);
  const form = web.length === 0 ? "relevant" : documents.length === 0 ? "irrelevant" : "ambiguous";
  const sources: WindowSource[] = [];
  const section = (heading: string, members: readonly Evidence[]): string[] => {
    const blocks = members.map((item) => {
      const marker = sources.length + 1;
      const itemStrips = strips
        .filter(({ evidenceId }) => evidenceId === item.id)
        .sort((a, b) => a.start - b.start);
      sources.push({ marker, evidenceId: item.id, strips: itemStrips });
      return fenced(marker, recomposed(item.text, itemStrips), aboutOf(item, label));
    });
    return blocks.length === 0 ? [] : [heading, ...blocks];
  };
  const blocks = [
    ...section(DOCUMENTS, documents),
    ...section(form === "irrelevant" ? WEB_ONLY : ADDITIONAL_WEB, web),
  ];
  return { text: blocks.join("\n\n"), sources, form };
}

function aboutOf(item: Evidence, label: EvidenceLabel | undefined): string {
  const { source } = item;
  const place = renderSource(source).slice("[SOURCE:".length, -1).replace("https://", "");
  const date = source.kind === "web" && source.date !== undefined ? `, ${source.date}` : "";
  const isWeak = label !== "CORRECT" && (relevanceOf(item) ?? 1) < WEAK;
  return `${headedTitle(item)} (${place}${date})${isWeak ? " (weak evidence)" : ""}`;
}

/** Tokens of the fence, the number and the place around a source, at least. */
const LEAST_AROUND = 20;

function withoutWeakest(strips: readonly Strip[], excessInTokens: number): Strip[] {
  const ranked = strips.toSorted((a, b) => b.score - a.score);
  const named = new Set<string>();
  const best = new Set(ranked.filter(({ evidenceId: id }) => !named.has(id) && named.add(id)));
  const leaving = [...ranked.filter((strip) => !best.has(strip)).reverse(), ...[...best].reverse()];
  const dropped = new Set<Strip>();
  let freed = 0;
  for (const strip of leaving) {
    if (freed >= excessInTokens) break;
    freed += estimateTokens(strip.text) + (best.has(strip) ? LEAST_AROUND : 0);
    dropped.add(strip);
  }
  return strips.filter((strip) => !dropped.has(strip));
}
