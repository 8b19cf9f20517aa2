/**
 * The smallest parts of a passage that may be quoted: sentences, list items, table rows and their
 * column heads, headings and code blocks, each with its exact place.
 */
import { memoize } from "../support/cache.js";
import { blocksOf, type BlockSpan, type BlockText, type Span } from "../text/passage-blocks.js";
import { linesIn, sentencesIn } from "../text/sentences.js";

/** `text === passage.slice(start, end)`, offsets in UTF-16 code units. */
export interface Unit extends Span {
  kind: "sentence" | "item" | "row" | "columns" | "heading" | "code";
  /** Number of the block to which it belongs, from 0. */
  block: number;
}

/** Cuts a passage into units in reading order, without rules, blank lines and marks of lists. */
export function unitsOf({ text, blocks }: BlockText): readonly Unit[] {
  return readUnits(text, blocks);
}

const readUnits: (text: string, blocks?: string) => readonly Unit[] = memoize({
  compute: (text, blocks) =>
    blocksOf({ text, blocks }).flatMap((span, block) =>
      partsOf(text, span).map((part) => ({ ...part, block })),
    ),
});

function partsOf(text: string, block: BlockSpan): Omit<Unit, "block">[] {
  const { form: kind, start, end } = block;
  switch (kind) {
    case "heading":
    case "code":
      return [{ kind, text: text.slice(start, end), start, end }];
    case "row":
    case "lines":
      return linesIn(text, block).map((line) => {
        return { ...line, kind: line.text.startsWith("|") ? "row" : "sentence" };
      });
    case "table": {
      const [heads, , ...rows] = linesIn(text, block).map(
        (line) => ({ ...line, kind: "row" }) as const,
      );
      return heads === undefined ? [] : [{ ...heads, kind: "columns" }, ...rows];
    }
    case "item":
      return [...sentencesIn(text, block)].map((span) => ({ ...span, kind }));
    case "paragraph":
      return [...sentencesIn(text, block)].map((span) => ({ ...span, kind: "sentence" }));
    default:
      return kind satisfies never;
  }
}
