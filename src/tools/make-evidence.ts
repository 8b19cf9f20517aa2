/** Evidence of what was found, cut to what a checkpoint can carry. */
import { createHash } from "node:crypto";
import type { Hit, Passage } from "../retrieval/knowledge-base.js";
import type { Evidence, EvidenceSource, Score } from "../state/evidence.js";

/** Characters of one piece: every checkpoint and every stream of values carries it. */
export const MAX_EVIDENCE_CHARACTERS = 2_000;

/** Which tool found it, and in which round. */
export interface FoundBy {
  tool: string;
  round: number;
}

/** Ungraded evidence. */
export function makeEvidence(
  {
    id,
    text,
    title,
    source,
    scores = [],
  }: Pick<Evidence, "id" | "text" | "title" | "source"> & { scores?: readonly Score[] },
  { tool, round }: FoundBy,
): Evidence {
  const shown = cutText(text);
  return { id, text: shown, title, source, tool, round, scores: [...scores], status: "ungraded" };
}

/** A passage that a search found: it keeps the passage's id, so that twice found is one. */
export function evidenceFromHit({ passage, scores }: Hit, by: FoundBy): Evidence {
  const { id, text, title } = passage;
  return makeEvidence({ id, text, title, source: sourceOf(passage), scores }, by);
}

/** An id of place and content: the same text of the same place found twice is one piece. */
export function evidenceId(kind: string, ...parts: readonly string[]): string {
  return `${kind}:${createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16)}`;
}

/** Where a passage stands. */
export function sourceOf({
  kind,
  path,
  startLine,
  endLine,
  page,
  heading,
  modifiedAt,
}: Omit<Passage, "id" | "text" | "title">): EvidenceSource {
  if (kind === "web" || /^https?:\/\//i.test(path))
    return { kind: "web", url: path, ...(modifiedAt === undefined ? {} : { date: modifiedAt }) };
  return {
    kind: "file",
    path,
    ...(startLine === undefined ? {} : { startLine }),
    ...(endLine === undefined ? {} : { endLine }),
    ...(page === undefined ? {} : { page }),
    ...(heading === undefined ? {} : { heading }),
  };
}

/** The beginning of a text, whole words, with an ellipsis where something was cut. */
export function cutText(text: string, maxCharacters = MAX_EVIDENCE_CHARACTERS): string {
  if (text.length <= maxCharacters) return text;
  const part = text.slice(0, maxCharacters - 1);
  const space = Math.max(part.lastIndexOf(" "), part.lastIndexOf("\n"));
  const whole =
    space > maxCharacters / 2 ? part.slice(0, space) : part.replace(/[\uD800-\uDBFF]$/, "");
  return `${whole.trimEnd()}…`;
}
