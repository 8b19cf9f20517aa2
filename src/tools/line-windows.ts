/** Pieces of a document as evidence. Pure. */
import type { DocumentRecord } from "../retrieval/knowledge-base.js";
import type { Evidence } from "../state/evidence.js";
import type { DocumentLine } from "./document-lines.js";
import {
  evidenceId,
  makeEvidence,
  MAX_EVIDENCE_CHARACTERS,
  sourceOf,
  type FoundBy,
} from "./make-evidence.js";

/** Positions in a list of lines, the last one included. */
export interface Window {
  from: number;
  to: number;
}

/** The lines around each position, overlapping and touching windows merged, in order. */
export function mergedWindows(
  positions: readonly number[],
  { around, count }: { around: number; count: number },
): Window[] {
  const windows: Window[] = [];
  for (const position of [...positions].sort((a, b) => a - b)) {
    const from = Math.max(0, position - around);
    const to = Math.min(count - 1, position + around);
    const last = windows.at(-1);
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to);
    else windows.push({ from, to });
  }
  return windows;
}

/** Splits a window into pieces that fit one piece of evidence, at line ends. A single longer line is a piece of its own. */
export function piecesOf(
  lines: readonly DocumentLine[],
  { from, to }: Window,
  maxCharacters = MAX_EVIDENCE_CHARACTERS,
): Window[] {
  const pieces: Window[] = [];
  let start = from;
  let length = 0;
  for (let at = from; at <= to; at += 1) {
    const added = (lines[at]?.text.length ?? 0) + 1;
    if (at > start && length + added > maxCharacters) {
      pieces.push({ from: start, to: at - 1 });
      start = at;
      length = 0;
    }
    length += added;
  }
  return start > to ? pieces : [...pieces, { from: start, to }];
}

/** Its id is of place and text, so that the same lines found twice are one piece of evidence. */
export function evidenceFromLines(
  { path, kind, title, modifiedAt }: DocumentRecord,
  lines: readonly DocumentLine[],
  { from, to }: Window,
  by: FoundBy,
): Evidence {
  const inside = lines.slice(from, to + 1);
  const text = inside.map((line) => line.text).join("\n");
  const [first] = inside;
  const last = inside.at(-1);
  const source = sourceOf({
    path,
    kind,
    ...(modifiedAt === undefined ? {} : { modifiedAt }),
    ...(first?.line === undefined ? {} : { startLine: first.line }),
    ...(last?.line === undefined ? {} : { endLine: last.line }),
    ...(first?.page === undefined ? {} : { page: first.page }),
  });
  return makeEvidence(
    { id: evidenceId("lines", path, `${from}-${to}`, text), text, title, source },
    by,
  );
}
