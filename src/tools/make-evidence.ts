/** Turns search results into evidence, cut to a size that a checkpoint can carry. */
import { createHash } from "node:crypto";
import type { Hit, Passage } from "../retrieval/knowledge-base.js";
import { isWebAddress } from "../support/web-address.js";
import { STORED, type Evidence, type EvidenceSource } from "../state/evidence.js";
import { cutText } from "../text/words.js";
import { searchTerms } from "../text/analyse.js";

/** Every checkpoint and every stream of values carries the text. */
export const MAX_EVIDENCE_CHARACTERS = 2_000;

export type FoundBy = Pick<Evidence, "tool" | "round">;

export function makeEvidence(
  {
    text,
    scores = [],
    ...what
  }: Pick<Evidence, "id" | "text" | "title" | "source"> &
    Partial<Pick<Evidence, "blocks" | "scores" | "metadata">>,
  by: FoundBy,
): Evidence {
  const cut = cutText(text, MAX_EVIDENCE_CHARACTERS, { atWord: true });
  return { ...known(what), ...by, text: cut, scores: [...scores], status: "ungraded" };
}

/** Keeps the passage's id, so that a passage found twice is one piece of evidence. */
export function evidenceFromHit({ passage, scores }: Hit, by: FoundBy): Evidence {
  const { id, text, blocks, title, metadata } = passage;
  const source = sourceOf(passage);
  return makeEvidence({ id, text, blocks, title, source, scores, metadata }, by);
}

/** Returns an id made from place and content, so that the same text found twice is one piece. */
export function evidenceId(kind: string, ...parts: readonly string[]): string {
  return `${kind}:${createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16)}`;
}

export function sourceOf(
  passage: Omit<Passage, "id" | "text" | "title" | "metadata">,
): EvidenceSource {
  const { kind, path, startLine, endLine, page, heading, modifiedAt: date } = passage;
  if (kind === "web" || isWebAddress(path))
    return known({ kind: "web", url: path, provider: STORED, date, page, heading });
  return known({ kind: "file", path, start_line: startLine, end_line: endLine, page, heading });
}

/** Deletes unknown fields: `undefined` would be present in code, and be written to checkpoints. */
function known<T extends object>(fields: T): T {
  for (const key of Object.keys(fields))
    if (Reflect.get(fields, key) === undefined) Reflect.deleteProperty(fields, key);
  return fields;
}

/** Sorts items by the terms they share with a question; a term found in few of them counts more. */
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
