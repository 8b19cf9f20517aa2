/** From blocks to passages of a size that one question can be answered from. */
import { createHash } from "node:crypto";
import type { DocumentRecord, Passage } from "../retrieval/knowledge-base.js";
import { sentences } from "../text/sentences.js";
import type { Block } from "./document.js";

/** Part of every document's hash: rises when passages would come out differently, so that old ones are made anew. */
export const SPLITTER_VERSION = 2;

/** A passage is closed when it has this many words. */
const TARGET_WORDS = 180;
/** A passage never grows beyond this by adding a block. */
const MAX_WORDS = 250;
/** Code and tables are kept whole up to this size. */
const MAX_WHOLE_WORDS = 400;
/** A remainder below this is joined to the passage before it. */
const MIN_WORDS = 40;

/** Splits a document's blocks into passages in reading order. Pure. */
export function split(record: DocumentRecord, blocks: readonly Block[]): Passage[] {
  return groupBy(blocks, (block) => JSON.stringify([block.headings, block.page]))
    .flatMap((section) => pack(section.flatMap(fit)))
    .map((group, position) => passageOf(record, group, position));
}

/** Breaks one block up where it is too long for a passage. */
function fit(block: Block): Block[] {
  const words = countWords(block.text);
  switch (block.form) {
    case "code":
      return words <= MAX_WHOLE_WORDS ? [block] : byLines(block);
    case "table":
      return words <= MAX_WHOLE_WORDS ? [block] : tableByRows(block);
    case "paragraph":
    case "item":
    case "row":
      return words <= MAX_WORDS ? [block] : bySentences(block);
    default:
      return block.form satisfies never;
  }
}

function pack(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = [];
  let group: Block[] = [];
  let words = 0;
  const close = (): void => {
    if (group.length === 0) return;
    // "The limits are:" stays with what it announces.
    const last = group.at(-1);
    const announces = group.length > 1 && last !== undefined && last.form === "paragraph" && /[:：]$/.test(last.text.trimEnd());
    groups.push(announces ? group.slice(0, -1) : group);
    group = announces ? [last] : [];
    words = announces ? countWords(last.text) : 0;
  };
  for (const block of blocks) {
    const more = countWords(block.text);
    if (words > 0 && words + more > MAX_WORDS) close();
    group.push(block);
    words += more;
    if (words >= TARGET_WORDS && !/[:：]$/.test(block.text.trimEnd())) close();
  }
  if (group.length > 0) groups.push(group);
  return joinRemainder(groups);
}

function joinRemainder(groups: Block[][]): Block[][] {
  const last = groups.at(-1);
  const before = groups.at(-2);
  if (last === undefined || before === undefined) return groups;
  const size = wordsOf(last);
  if (size >= MIN_WORDS || wordsOf(before) + size > MAX_WORDS + MIN_WORDS) return groups;
  return [...groups.slice(0, -2), [...before, ...last]];
}

function passageOf(record: DocumentRecord, group: readonly Block[], position: number): Passage {
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

function bySentences(block: Block): Block[] {
  const parts = sentences(block.text);
  return cut(
    block,
    parts.flatMap((part) => (countWords(part.text) <= MAX_WORDS ? [part] : byWords(part))),
  );
}

/** For text without sentence ends: tables that lost their form, minified data, scripts without spaces. */
function byWords(span: { text: string; start: number }): { start: number; end: number }[] {
  // Never through the middle of a character that takes two places.
  const runs = span.text.matchAll(SPACELESS.test(span.text) ? /\S{1,40}/gu : /\S{1,400}/gu);
  return [...runs].map(({ index, 0: run }) => ({
    start: span.start + index,
    end: span.start + index + run.length,
  }));
}

function byLines(block: Block): Block[] {
  const parts: { start: number; end: number }[] = [];
  let start = 0;
  for (const line of block.text.split("\n")) {
    parts.push(...(countWords(line) <= MAX_WORDS ? [{ start, end: start + line.length }] : byWords({ text: line, start })));
    start += line.length + 1;
  }
  return cut(block, parts);
}

/** Packs spans of a block into blocks of the target size, each a verbatim piece with its own lines. */
function cut(block: Block, spans: readonly { start: number; end: number }[]): Block[] {
  const pieces: Block[] = [];
  let start: number | undefined;
  let end = 0;
  // Counted on from piece to piece: from the beginning each time, a log of 50 MB would take an hour.
  let breaks = 0;
  let countedTo = 0;
  const close = (): void => {
    if (start === undefined) return;
    breaks += countBreaks(block.text.slice(countedTo, start));
    countedTo = start;
    pieces.push(...pieceOf(block, { start, end, breaks }));
    start = undefined;
  };
  for (const span of spans) {
    if (start !== undefined && countWords(block.text.slice(start, span.end)) > TARGET_WORDS) close();
    start ??= span.start;
    end = span.end;
  }
  close();
  return pieces;
}

/** @param breaks line breaks of the block before `start` */
function pieceOf(block: Block, { start, end, breaks }: { start: number; end: number; breaks: number }): Block[] {
  const text = block.text.slice(start, end).trimEnd();
  if (text.trim() === "") return [];
  const lines = block.startLine === undefined ? {} : linesOf(block.startLine + breaks, text);
  return [{ ...block, text, ...lines }];
}

function linesOf(startLine: number, text: string): { startLine: number; endLine: number } {
  return { startLine, endLine: startLine + countBreaks(text) };
}

/** Repeats the header in each part, so that each can be read alone. */
function tableByRows(block: Block): Block[] {
  const [head = "", rule = "", ...rows] = block.text.split("\n");
  const parts: Block[] = [];
  let taken: string[] = [];
  let firstRow = 0;
  const close = (next: number): void => {
    if (taken.length > 0) {
      const lines = block.startLine === undefined ? {} : { startLine: block.startLine + 2 + firstRow, endLine: block.startLine + 1 + next };
      parts.push({ ...block, text: [head, rule, ...taken].join("\n"), ...lines });
    }
    taken = [];
    firstRow = next;
  };
  rows.forEach((row, index) => {
    if (taken.length > 0 && countWords(taken.join(" ")) + countWords(row) > TARGET_WORDS) close(index);
    taken.push(row);
  });
  close(rows.length);
  return parts;
}

function wordsOf(group: readonly Block[]): number {
  return group.reduce((sum, block) => sum + countWords(block.text), 0);
}

const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const EACH_SPACELESS = new RegExp(SPACELESS, "gu");
/** No word or address is longer; what is, is encoded data, of which so many characters count as a word. */
const MAX_RUN = 200;
const CHARACTERS_OF_DATA = 40;

/** Runs between white space; in scripts written without spaces, every two characters count as a word. */
export function countWords(text: string): number {
  return (text.match(/\S+/g) ?? []).reduce((sum, run) => sum + wordsOfRun(run), 0);
}

function wordsOfRun(run: string): number {
  if (run.length <= 24) return 1;
  const spaceless = Math.ceil((run.match(EACH_SPACELESS)?.length ?? 0) / 2);
  return Math.max(1, spaceless, run.length > MAX_RUN ? Math.ceil(run.length / CHARACTERS_OF_DATA) : 0);
}

function countBreaks(text: string): number {
  return text.split("\n").length - 1;
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
