/** Breaks blocks up where they are too long for a passage: at sentences, lines or rows, at words only where nothing else is left. */
import { eachSentence } from "../text/sentences.js";
import { countWords, SPACELESS } from "../text/count-words.js";
import type { Block } from "../text/block.js";

/** A passage is closed when it has this many words. */
export const TARGET_WORDS = 180;
/** A passage never grows beyond this by adding a block. */
export const MAX_WORDS = 250;
/** Code and tables are kept whole up to this size. */
const MAX_WHOLE_WORDS = 400;

/** The blocks in their order, those too long for a passage broken up. Lazy, since one block may be a book. */
export function* fitted(blocks: readonly Block[]): Generator<Block> {
  for (const block of blocks) yield* fit(block);
}

function fit(block: Block): Iterable<Block> {
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

function* bySentences(block: Block): Generator<Block> {
  yield* cut(block, sentenceSpans(block.text));
}

function* sentenceSpans(text: string): Generator<{ start: number; end: number }> {
  for (const sentence of eachSentence(text)) {
    if (countWords(sentence.text) <= MAX_WORDS) yield sentence;
    else yield* byWords(sentence);
  }
}

/** For text without sentence ends: tables that lost their form, minified data, scripts without spaces. */
function* byWords(span: {
  text: string;
  start: number;
}): Generator<{ start: number; end: number }> {
  // Never through the middle of a character that takes two places.
  const runs = span.text.matchAll(SPACELESS.test(span.text) ? /\S{1,40}/gu : /\S{1,400}/gu);
  for (const { index, 0: run } of runs)
    yield { start: span.start + index, end: span.start + index + run.length };
}

function* byLines(block: Block): Generator<Block> {
  yield* cut(block, lineSpans(block.text));
}

function* lineSpans(text: string): Generator<{ start: number; end: number }> {
  let start = 0;
  for (const line of text.split("\n")) {
    if (countWords(line) <= MAX_WORDS) yield { start, end: start + line.length };
    else yield* byWords({ text: line, start });
    start += line.length + 1;
  }
}

/** Packs spans of a block into blocks of the target size, each a verbatim piece with its own lines. */
function* cut(block: Block, spans: Iterable<{ start: number; end: number }>): Generator<Block> {
  let start: number | undefined;
  let end = 0;
  // Counted on from piece to piece: from the beginning each time, a log of 50 MB would take an hour.
  let breaks = 0;
  let countedTo = 0;
  const close = (): Block[] => {
    if (start === undefined) return [];
    breaks += countBreaks(block.text.slice(countedTo, start));
    countedTo = start;
    const pieces = pieceOf(block, { start, end, breaks });
    start = undefined;
    return pieces;
  };
  for (const span of spans) {
    if (start !== undefined && countWords(block.text.slice(start, span.end)) > TARGET_WORDS)
      yield* close();
    start ??= span.start;
    end = span.end;
  }
  yield* close();
}

/** @param breaks line breaks of the block before `start` */
function pieceOf(
  block: Block,
  { start, end, breaks }: { start: number; end: number; breaks: number },
): Block[] {
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
      const lines =
        block.startLine === undefined
          ? {}
          : { startLine: block.startLine + 2 + firstRow, endLine: block.startLine + 1 + next };
      parts.push({ ...block, text: [head, rule, ...taken].join("\n"), ...lines });
    }
    taken = [];
    firstRow = next;
  };
  rows.forEach((row, index) => {
    if (taken.length > 0 && countWords(taken.join(" ")) + countWords(row) > TARGET_WORDS)
      close(index);
    taken.push(row);
  });
  close(rows.length);
  return parts;
}

function countBreaks(text: string): number {
  return text.split("\n").length - 1;
}
