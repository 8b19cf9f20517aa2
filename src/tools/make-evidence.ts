/** Evidence of what was found, cut to what a checkpoint can carry. */
import { createHash } from "node:crypto";
import type { Hit, Passage } from "../retrieval/knowledge-base.js";
import { isWebAddress } from "../support/web-address.js";
import type { Evidence, EvidenceSource } from "../state/evidence.js";
import { cutText } from "../text/one-line.js";
import { searchTerms } from "../text/analyse.js";

/** Characters of one piece: every checkpoint and every stream of values carries it. */
export const MAX_EVIDENCE_CHARACTERS = 2_000;

/** Which tool found it, and in which round. */
export type FoundBy = Pick<Evidence, "tool" | "round">;

/** Ungraded evidence. */
export function makeEvidence(
  {
    text,
    scores = [],
    ...what
  }: Pick<Evidence, "id" | "text" | "title" | "source"> & Partial<Pick<Evidence, "scores">>,
  { tool, round }: FoundBy,
): Evidence {
  return { ...what, text: cutEvidence(text), tool, round, scores: [...scores], status: "ungraded" };
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
export function sourceOf(passage: Omit<Passage, "id" | "text" | "title">): EvidenceSource {
  const { kind, path, startLine, endLine, page, heading, modifiedAt: date } = passage;
  if (kind === "web" || isWebAddress(path)) return known({ kind: "web", url: path, date });
  return known({ kind: "file", path, startLine, endLine, page, heading });
}

/** What is not known is absent: `undefined` would be there in code and gone over the wire. */
function known<T extends object>(fields: T): T {
  for (const key of Object.keys(fields))
    if (Reflect.get(fields, key) === undefined) Reflect.deleteProperty(fields, key);
  return fields;
}

/** The beginning of a text, whole words, with an ellipsis where something was cut. */
export function cutEvidence(text: string): string {
  return cutText(text, MAX_EVIDENCE_CHARACTERS, { atWord: true });
}

/**
 * Orders texts by how much they have to do with a question, equal ones as they came. A term that
 * stands in few of them counts for more: the topic of all of them does not decide.
 */
export function nearestFirst<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  question: string,
): { item: T; score: number }[] {
  const asked = new Set(searchTerms(question));
  const shared = items.map((item) => [
    ...new Set(searchTerms(textOf(item)).filter((term) => asked.has(term))),
  ]);
  const frequency = new Map<string, number>();
  for (const term of shared.flat()) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const weight = (sum: number, term: string): number =>
    sum + Math.log(1 + items.length / (frequency.get(term) ?? 1));
  return items
    .map((item, at) => ({ item, score: shared[at]?.reduce(weight, 0) ?? 0 }))
    .sort((a, b) => b.score - a.score);
}
