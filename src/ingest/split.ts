/** Splits documents into passages. */
import { createHash } from "node:crypto";
import type { DocumentRecord, Passage } from "../retrieval/knowledge-base.js";
import type { Metadata } from "../state/metadata.js";
import type { Block } from "../text/block.js";
import { joinBlocks, type Span } from "../text/passage-blocks.js";
import { sentences, sentencesIn } from "../text/sentences.js";
import { countWords, lastSign, oneLine, RUNS, SPACELESS } from "../text/words.js";

/** Part of every document's hash: raise it when passages come out differently. */
export const SPLITTER_VERSION = 22;

/** A passage ends once it has this many words. */
const TARGET_WORDS = 180;
/** Adding a block never makes a passage longer. */
const MAX_WORDS = 250;
/** Code, tables and lines of rows are kept whole up to this size. */
const MAX_WHOLE_WORDS = 400;
/** A shorter remainder joins the passage before it. */
const MIN_WORDS = 40;

/** A section with fewer words is joined to the one above it. */
const SHORT_SECTION = 20;

/** Words in doubt that are named with a passage. */
const MAX_DOUBTS = 20;

const SENTENCE_ENDS = ".!?。！？";

/** Longer runs are data. */
const LONGEST_WORD = 40;

/** Properties of a document that its passages share. */
type PassageOrigin = Pick<DocumentRecord, "path" | "kind" | "title" | "modifiedAt">;

/** Splits a document's blocks into passages in reading order. Pure. */
export function split(record: PassageOrigin, blocks: readonly Block[]): Passage[] {
  const groups = withShortOnesJoined(sectionsOf(blocks)).flatMap((section) => [...pack(section)]);
  // A single word says nothing, unless it is all there is.
  const meaningful = groups.filter((group) => !isOneWord(joinBlocks(group).text));
  return (meaningful.length > 0 ? meaningful : groups).map((group, position) =>
    passageOf(record, group, position),
  );
}

function isOneWord(text: string): boolean {
  return text.length <= LONGEST_WORD && !oneLine(text).includes(" ") && !SPACELESS.test(text);
}

/** Groups blocks under one heading and on one page. */
function sectionsOf(blocks: readonly Block[]): Block[][] {
  const sections: Block[][] = [];
  let last: string | undefined;
  for (const block of blocks) {
    const place = JSON.stringify([block.headings, block.page]);
    if (place === last) sections.at(-1)?.push(block);
    else sections.push([block]);
    last = place;
  }
  return sections;
}

/**
 * Joins a short section without a sentence, such as "See also" or an example, to the section above
 * it, and such sections beside each other to one. Its heading becomes a line of the text.
 */
function withShortOnesJoined(sections: readonly Block[][]): Block[][] {
  const joined: { blocks: Block[]; headings: readonly string[]; words: number }[] = [];
  for (const blocks of sections) {
    const [first] = blocks;
    const above = joined.at(-1);
    const words = wordsOf(blocks);
    const headings = first?.headings ?? [];
    const common = commonPath(above?.headings ?? [], headings);
    const isBelow = common.length === above?.headings.length;
    const isPair = above !== undefined && isShort(above.blocks, above.words);
    if (
      above === undefined ||
      !isShort(blocks, words) ||
      above.blocks[0]?.page !== first?.page ||
      !(isBelow || isPair)
    ) {
      joined.push({ blocks: [...blocks], headings, words });
      continue;
    }
    if (!isBelow) above.blocks = underHeading(above.blocks, above.headings, common);
    above.headings = common;
    above.blocks.push(...underHeading(blocks, headings, common));
    above.words += words;
  }
  return joined.map(({ blocks }) => blocks);
}

function isShort(blocks: readonly Block[], words: number): boolean {
  const hasContent = ({ text, form }: Block): boolean =>
    form === "paragraph" && SENTENCE_ENDS.includes(lastSign(text));
  return words < SHORT_SECTION && !blocks.some(hasContent);
}

function commonPath(one: readonly string[], other: readonly string[]): readonly string[] {
  const end = one.findIndex((heading, at) => heading !== other[at]);
  return end === -1 ? one : one.slice(0, end);
}

/** Moves blocks up to another heading; those between become a line of Markdown. */
function underHeading(
  blocks: readonly Block[],
  headings: readonly string[],
  above: readonly string[],
): Block[] {
  const [first] = blocks;
  const heading = headings.slice(above.length).join(" > ");
  const moved = blocks.map((block) => ({ ...block, headings: above }));
  if (first === undefined || heading === "") return moved;
  const { page, startLine } = first;
  const place = { page, startLine, endLine: startLine };
  return [{ text: `### ${heading}`, headings: above, form: "heading", ...place }, ...moved];
}

/** Groups blocks into passages. The last group waits, since a small remainder may join it. */
function* pack(section: readonly Block[]): Generator<Block[]> {
  let waiting: Block[] | undefined;
  let group: Block[] = [];
  let words = 0;
  /** Closes the current group and returns the one before it. */
  const close = (): Block[][] => {
    const last = group.at(-1);
    if (last === undefined) return [];
    // "The limits are:" stays with what it announces.
    const isKept = group.length > 1 && last.form === "paragraph" && announces(last);
    const before = waiting;
    waiting = isKept ? group.slice(0, -1) : group;
    group = isKept ? [last] : [];
    words = wordsOf(group);
    return before === undefined ? [] : [before];
  };
  for (const whole of section)
    for (const block of fitted(whole)) {
      const more = countWords(block.text);
      if (words > 0 && words + more > MAX_WORDS) yield* close();
      group.push(block);
      words += more;
      if (words >= TARGET_WORDS && !announces(block)) yield* close();
    }
  const before = waiting ?? [];
  const isRemainder = words < MIN_WORDS && wordsOf(before) + words <= MAX_WORDS + MIN_WORDS;
  const rest = isRemainder ? [[...before, ...group]] : [before, group];
  yield* rest.filter((each) => each.length > 0);
}

function announces({ text }: Block): boolean {
  return ":：".includes(text.trimEnd().at(-1) ?? " ");
}

function wordsOf(group: readonly Block[]): number {
  return group.reduce((sum, block) => sum + countWords(block.text), 0);
}

function passageOf(record: PassageOrigin, group: readonly Block[], position: number): Passage {
  const { path, kind, title, modifiedAt } = record;
  const { text, blocks } = joinBlocks(group);
  const [first] = group;
  const id = createHash("sha256")
    .update(JSON.stringify([path, position, text]))
    .digest("hex");
  return {
    id: id.slice(0, 24),
    text,
    blocks,
    title,
    path,
    kind,
    startLine: first?.startLine,
    endLine: group.at(-1)?.endLine,
    page: first?.page,
    heading: first?.headings.join(" > ") || undefined,
    modifiedAt,
    ...(first?.scan && { metadata: doubtsOf(first.scan, text) }),
  };
}

function doubtsOf({ confidence, doubtful }: NonNullable<Block["scan"]>, text: string): Metadata {
  const words = new Set(text.match(RUNS));
  const found = doubtful.filter((word) => words.has(word)).slice(0, MAX_DOUBTS);
  return { ocr_confidence: confidence, ...(found.length > 0 && { ocr_doubtful: found }) };
}

/** Breaks up a block that is too long for a passage. Lazy, since one block may be a book. */
function fitted(block: Block): Iterable<Block> {
  const { text, form } = block;
  const words = countWords(text);
  switch (form) {
    case "code":
    case "lines":
      return words <= MAX_WHOLE_WORDS ? [block] : cut(block, shortened(lines(text)));
    case "table":
      return words <= MAX_WHOLE_WORDS ? [block] : tableByRows(block);
    case "item":
      return words <= MAX_WORDS ? [block] : cut(block, shortened(sentences(text)));
    case "paragraph":
    case "heading":
    case "row":
      return words <= MAX_WORDS ? [block] : cut(block, shortened(sentencesIn(text)));
    default:
      return form satisfies never;
  }
}

function* lines(text: string): Generator<Span> {
  let start = 0;
  for (const line of text.split("\n")) {
    yield { text: line, start, end: start + line.length };
    start += line.length + 1;
  }
}

type Place = Omit<Span, "text">;

/** Cuts long spans at words: minified data, scripts without spaces. */
function* shortened(spans: Iterable<Span>): Generator<Place> {
  for (const span of spans) {
    if (countWords(span.text) <= MAX_WORDS) {
      yield span;
      continue;
    }
    // The flag u keeps surrogate pairs whole.
    const run = `\\S{1,${SPACELESS.test(span.text) ? 40 : 400}}`;
    for (const { index, 0: piece } of span.text.matchAll(new RegExp(run, "gu")))
      yield { start: span.start + index, end: span.start + index + piece.length };
  }
}

/** Packs spans into verbatim blocks of the target size, each with its own lines. */
function* cut(block: Block, spans: Iterable<Place>): Generator<Block> {
  let start: number | undefined;
  let end = 0;
  // Counted incrementally: starting over for each piece would be quadratic.
  let line = block.startLine ?? 0;
  let countedTo = 0;
  const close = (): Block[] => {
    if (start === undefined) return [];
    const text = block.text.slice(start, end).trimEnd();
    line += countBreaks(block.text.slice(countedTo, start));
    countedTo = start;
    start = undefined;
    if (text.trim() === "") return [];
    const place =
      block.startLine === undefined ? {} : { startLine: line, endLine: line + countBreaks(text) };
    return [{ ...block, text, ...place }];
  };
  for (const span of spans) {
    if (start !== undefined && countWords(block.text.slice(start, span.end)) > TARGET_WORDS)
      yield* close();
    start ??= span.start;
    end = span.end;
  }
  yield* close();
}

/** Splits a table between its rows and repeats its header in each part. */
function* tableByRows(block: Block): Generator<Block> {
  const [head = "", rule = "", ...rows] = block.text.split("\n");
  const { startLine } = block;
  const place = startLine === undefined ? {} : { startLine: startLine + 2 };
  const body = { ...block, text: rows.join("\n"), ...place };
  for (const part of cut(body, lines(body.text)))
    yield { ...part, text: [head, rule, part.text].join("\n") };
}

function countBreaks(text: string): number {
  return text.split("\n").length - 1;
}
