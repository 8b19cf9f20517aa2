/**
 * The vocabulary of evidence: what was found, where it stands, and what was thought of it.
 * Values of unlike scales are never compared, which is why a score never travels without its scale.
 */

/** What a score's number means; only scores of one scale may be compared with each other. */
export type ScoreScale = "cosine" | "bm25" | "fusion" | "rerank" | "relevance";

/** A number with its meaning. `cosine`, `rerank` and `relevance` lie in 0–1; `bm25` and `fusion` are open upwards. */
export interface Score {
  value: number;
  scale: ScoreScale;
  /** Who gave it: the name of a retriever leg, a reranker, a judge or a rule, e.g. `fts5`, `judge:batch`, `rule:read_file`. */
  by: string;
}

/** Where a piece of evidence stands. `path` for files, `url` for the web, `tool` for a tool's own output. Lines and pages count from 1. */
export type EvidenceSource =
  | {
      kind: "file";
      path: string;
      startLine?: number;
      endLine?: number;
      page?: number;
      heading?: string;
    }
  | { kind: "web"; url: string; provider?: string; date?: string }
  | { kind: "tool"; path: string };

export type EvidenceStatus = "kept" | "discarded" | "ungraded";

/** One passage that may support an answer. */
export interface Evidence {
  /** Stable: the same passage found twice has the same id. */
  id: string;
  text: string;
  title: string;
  source: EvidenceSource;
  /** Name of the tool that found it. */
  tool: string;
  /** The round that found it first, from 0. */
  round: number;
  scores: Score[];
  status: EvidenceStatus;
  /** Why it was discarded, or by which rule it was kept. */
  reason?: string;
}

/** The value of the newest score of one scale, if there is one. */
export function scoreOf(evidence: Pick<Evidence, "scores">, scale: ScoreScale): number | undefined {
  return evidence.scores.findLast((score) => score.scale === scale)?.value;
}

/** The relevance that a judge or a rule gave, in 0–1; undefined while ungraded. */
export function relevanceOf(evidence: Pick<Evidence, "scores">): number | undefined {
  return scoreOf(evidence, "relevance");
}

/** The headings above a piece of evidence, outermost first, without one that only repeats the title. */
export function headingsOf({ title, source }: Pick<Evidence, "title" | "source">): string[] {
  const heading = source.kind === "file" ? (source.heading ?? "") : "";
  return heading === title ? [] : heading.split(" > ").filter((part) => part !== "");
}

/** A piece of evidence as a reader reads it. */
export function asPassage(item: Pick<Evidence, "title" | "source" | "text">): {
  title: string;
  headings: string[];
  text: string;
} {
  return { title: item.title, headings: headingsOf(item), text: item.text };
}

/**
 * Title and heading path: what a passage is about is often said above it and not in it.
 * @example headedTitle({ title: "Handbook", source: { kind: "file", path: "a.md", heading: "Errors > E07" } }) // "Handbook / Errors / E07"
 */
export function headedTitle(item: Pick<Evidence, "title" | "source">): string {
  return [item.title, ...headingsOf(item)].filter((part) => part !== "").join(" / ");
}

/**
 * The printed form of a source, `[SOURCE:path:Lline]`.
 * @example renderSource({kind: "file", path: "docs/a.md", startLine: 3}) // "[SOURCE:docs/a.md:L3]"
 */
export function renderSource(source: EvidenceSource): string {
  switch (source.kind) {
    case "file":
      if (source.startLine !== undefined) return `[SOURCE:${source.path}:L${source.startLine}]`;
      if (source.page !== undefined) return `[SOURCE:${source.path}:P${source.page}]`;
      return `[SOURCE:${source.path}]`;
    case "web":
      return `[SOURCE:${source.url}]`;
    case "tool":
      return `[SOURCE:${source.path}]`;
    default:
      return source satisfies never;
  }
}
