/**
 * The smallest parts of a passage that may be quoted: sentences, list items, table rows and their
 * column heads, headings and code blocks, each with its exact place.
 */
import { memoize } from "../support/cache.js";
import { blocksOf, type BlockSpan, type BlockText } from "../text/passage-blocks.js";
import { linesIn, sentencesIn, type Span } from "../text/sentences.js";
import { FOOTNOTE } from "./plain-text.js";

type UnitKind = "sentence" | "item" | "row" | "columns" | "heading" | "code";

/** `text === passage.slice(start, end)`, offsets in UTF-16 code units. */
export interface Unit extends Span {
  kind: UnitKind;
  /** Number of the block to which it belongs, from 0. */
  block: number;
}

/** A head in bold that runs into its paragraph: "**Scores.** They …". */
const RUN_IN_HEAD = /^(\*\*|__)(?=\S)[^*_\n]{1,60}(?:[.?!]$|\1[.:?!]?$)/u;

/** Cuts a passage into units in reading order, without rules, blank lines and marks of lists. */
export function unitsOf({ text, blocks }: BlockText): readonly Unit[] {
  return passageUnits(text, blocks);
}

const passageUnits: (text: string, blocks?: string) => readonly Unit[] = memoize({
  compute: (text, blocks) => {
    // Sentences are found as if there were no references to footnotes; offsets stay true.
    const plain = text.replace(FOOTNOTE, ({ length }) => " ".repeat(length));
    return readUnits(plain, { text, blocks });
  },
});

/** Does the same for an answer, whose `[1]` are citations and not footnotes. */
export const unitsOfAnswer = (answer: string): readonly Unit[] =>
  readUnits(answer, { text: answer });

/** @param plain the passage with blanks for what must not disturb the sentences */
function readUnits(plain: string, passage: BlockText): Unit[] {
  return blocksOf(passage).flatMap((block, index) =>
    partsOf(block, plain).map(([kind, { start, end }]) => {
      const text = passage.text.slice(start, end);
      return { kind, text, start, end, block: index };
    }),
  );
}

function partsOf(block: BlockSpan, plain: string): [UnitKind, Pick<Span, "start" | "end">][] {
  switch (block.form) {
    case "heading":
    case "code":
      return [[block.form, block]];
    case "row":
    case "lines":
      return linesIn(plain, block).map((line) => [
        line.text.startsWith("|") ? "row" : "sentence",
        line,
      ]);
    case "table": {
      const [heads, , ...rows] = linesIn(plain, block);
      return heads === undefined
        ? []
        : [["columns", heads], ...rows.map((row): [UnitKind, Span] => ["row", row])];
    }
    case "paragraph":
    case "item":
      return wholeSentences(plain, block).map((span) => [
        block.form === "item" ? "item" : "sentence",
        span,
      ]);
    default:
      return block.form satisfies never;
  }
}

/** Returns the sentences of a paragraph; a run-in head belongs to the first. */
function wholeSentences(plain: string, block: BlockSpan): Pick<Span, "start" | "end">[] {
  const [head, first, ...others] = sentencesIn(plain, block);
  if (head === undefined || first === undefined) return head === undefined ? [] : [head];
  return RUN_IN_HEAD.test(head.text)
    ? [{ start: head.start, end: first.end }, ...others]
    : [head, first, ...others];
}
