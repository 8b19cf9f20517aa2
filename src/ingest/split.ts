/** From blocks to passages of a size that one question can be answered from. */
import { createHash } from "node:crypto";
import type { DocumentRecord, Passage } from "../retrieval/knowledge-base.js";
import { countWords } from "../text/count-words.js";
import type { Block } from "../text/block.js";
import { fitted, MAX_WORDS, TARGET_WORDS } from "./fit.js";

/** Part of every document's hash: rises when passages would come out differently, so that old ones are made anew. */
export const SPLITTER_VERSION = 3;

/** A remainder below this is joined to the passage before it. */
const MIN_WORDS = 40;

/** What of a document every passage of it carries. */
export type PassageOrigin = Pick<DocumentRecord, "path" | "kind" | "title" | "modifiedAt">;

/** Splits a document's blocks into passages in reading order. Pure. */
export function split(record: PassageOrigin, blocks: readonly Block[]): Passage[] {
  return [...eachPassage(record, blocks)];
}

function* eachPassage(record: PassageOrigin, blocks: readonly Block[]): Generator<Passage> {
  let position = 0;
  for (const section of groupBy(blocks, (block) => JSON.stringify([block.headings, block.page])))
    for (const group of pack(section)) yield passageOf(record, group, position++);
}

/** Groups of blocks of a passage's size. Each waits for the next one, because a small remainder is joined to the last. */
function* pack(section: readonly Block[]): Generator<Block[]> {
  let waiting: Block[] | undefined;
  let group: Block[] = [];
  let words = 0;
  /** Takes what is ready, and gives the group before it. */
  const close = (): Block[][] => {
    if (group.length === 0) return [];
    // "The limits are:" stays with what it announces.
    const last = group.at(-1);
    const announces =
      group.length > 1 &&
      last !== undefined &&
      last.form === "paragraph" &&
      /[:：]$/.test(last.text.trimEnd());
    const before = waiting;
    waiting = announces ? group.slice(0, -1) : group;
    group = announces ? [last] : [];
    words = announces ? countWords(last.text) : 0;
    return before === undefined ? [] : [before];
  };
  for (const block of fitted(section)) {
    const more = countWords(block.text);
    if (words > 0 && words + more > MAX_WORDS) yield* close();
    group.push(block);
    words += more;
    if (words >= TARGET_WORDS && !/[:：]$/.test(block.text.trimEnd())) yield* close();
  }
  yield* joinRemainder([
    ...(waiting === undefined ? [] : [waiting]),
    ...(group.length === 0 ? [] : [group]),
  ]);
}

function joinRemainder(groups: Block[][]): Block[][] {
  const last = groups.at(-1);
  const before = groups.at(-2);
  if (last === undefined || before === undefined) return groups;
  const size = wordsOf(last);
  if (size >= MIN_WORDS || wordsOf(before) + size > MAX_WORDS + MIN_WORDS) return groups;
  return [[...before, ...last]];
}

function passageOf(record: PassageOrigin, group: readonly Block[], position: number): Passage {
  const text = join(group);
  const first = group[0];
  const startLine = first?.startLine;
  const endLine = group.at(-1)?.endLine;
  const heading = first?.headings.join(" > ") ?? "";
  return {
    id: createHash("sha256")
      .update(JSON.stringify([record.path, position, text]))
      .digest("hex")
      .slice(0, 24),
    text,
    title: record.title,
    path: record.path,
    kind: record.kind,
    ...(startLine === undefined ? {} : { startLine }),
    ...(endLine === undefined ? {} : { endLine }),
    ...(first?.page === undefined ? {} : { page: first.page }),
    ...(heading === "" ? {} : { heading }),
    ...(record.modifiedAt === undefined ? {} : { modifiedAt: record.modifiedAt }),
  };
}

function join(group: readonly Block[]): string {
  return group.reduce((text, block, index) => {
    const before = group[index - 1];
    if (before === undefined) return block.text;
    const close = before.form === block.form && (block.form === "item" || block.form === "row");
    return `${text}${close ? "\n" : "\n\n"}${block.text}`;
  }, "");
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const groups: T[][] = [];
  let last: string | undefined;
  for (const item of items) {
    const next = key(item);
    if (next === last) groups.at(-1)?.push(item);
    else groups.push([item]);
    last = next;
  }
  return groups;
}

function wordsOf(group: readonly Block[]): number {
  return group.reduce((sum, block) => sum + countWords(block.text), 0);
}
