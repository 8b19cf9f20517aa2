/** The sources below an answer, for clients that show nothing but its text. */
import type { SourceReference } from "../state/answer.js";

/** @returns empty where the answer has no sources */
export function sourceList(sources: readonly SourceReference[]): string {
  if (sources.length === 0) return "";
  const lines = sources.map(
    ({ marker, title, source }) => `[${marker}] ${title} — ${placeOf(source)}`,
  );
  return `\n\nSources:\n${lines.join("\n")}`;
}

export function placeOf(source: SourceReference["source"]): string {
  if (source.kind === "web") return source.url;
  if (source.kind === "tool") return source.path;
  if (source.page !== undefined) return `${source.path}, page ${source.page}`;
  return source.startLine === undefined ? source.path : `${source.path}:${source.startLine}`;
}
