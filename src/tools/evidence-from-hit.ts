import type { Hit, Passage } from "../retrieval/knowledge-base.js";
import type { Evidence, EvidenceSource } from "../state/evidence.js";

/** Characters of one piece of evidence: every checkpoint and every stream of values carries it. */
export const MAX_EVIDENCE_CHARACTERS = 2_000;

/** A passage that a search found, as evidence. Its id is the passage's, so that the same passage found twice is one piece of evidence. */
export function evidenceFromHit(
  { passage, scores }: Hit,
  { tool, round }: { tool: string; round: number },
): Evidence {
  return {
    id: passage.id,
    text: cutText(passage.text),
    title: passage.title,
    source: sourceOf(passage),
    tool,
    round,
    scores: [...scores],
    status: "ungraded",
  };
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
}: Passage): EvidenceSource {
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
  const space = part.search(/\s\S*$/);
  const whole =
    space > maxCharacters / 2 ? part.slice(0, space) : part.replace(/[\uD800-\uDBFF]$/, "");
  return `${whole.trimEnd()}…`;
}
