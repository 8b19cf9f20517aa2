/** Quotations in an answer: do the words between the marks stand in the source, in one piece, and in the source that is cited? */
import type { PreparedText } from "../grading/claims/prepared-text.js";
import type { Evidence } from "../state/evidence.js";
import { memoised } from "../text/memo.js";

const QUOTED = /"([^"]{12,})"|“([^”]{12,})”|„([^“”]{12,})[“”]|«([^»]{12,})»/gu;
/** Fewer words than these are a title or a term rather than a quotation. */
const MIN_WORDS = 4;
/** A stitched quotation has at least this share of its words in two runs. */
const STITCHED = 0.9;

/** Problems with quotations of one sentence: `fabricated quote …`, `stitched quote …`, `wrong source: quote …`. */
export function quoteProblems(input: {
  sentence: string;
  cited: readonly number[];
  evidence: readonly Pick<Evidence, "text">[];
  prepared: readonly PreparedText[];
}): string[] {
  const { sentence, cited, evidence } = input;
  const quoted = [...sentence.matchAll(QUOTED)];
  if (quoted.length === 0) return [];
  const sources = evidence.map((item) => sourceWords(item.text));
  return quoted.flatMap((match): string[] => {
    const quote = match[1] ?? match[2] ?? match[3] ?? match[4] ?? "";
    // An ellipsis is an honest gap: each part must stand by itself.
    const parts = quote
      .split(/\s*(?:\[?…\]?|\[?\.\.\.\]?)\s*/u)
      .map(wordsOf)
      .filter((part) => part.length > 0);
    if (parts.reduce((sum, part) => sum + part.length, 0) < MIN_WORDS) return [];
    const holds = (words: readonly string[]): boolean =>
      parts.every((part) => indexOfRun(words, part) >= 0);
    const holders = sources.flatMap((words, index) => (holds(words) ? [index + 1] : []));
    if (holders.some((marker) => cited.length === 0 || cited.includes(marker))) return [];
    const [holder] = holders;
    if (holder !== undefined)
      return [
        `wrong source: quote stands in [${String(holder)}], not in ${cited.map((marker) => `[${String(marker)}]`).join(", ")}`,
      ];
    const all = parts.flat();
    return [
      isStitched(all, sources)
        ? `stitched quote, its parts stand in different places: "${quote}"`
        : `fabricated quote, in no source: "${quote}"`,
    ];
  });
}

/** Letters and numbers only, lower case: quotation survives other quotation marks, dashes and white space. */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

const sourceWords: (text: string) => readonly string[] = memoised({ compute: wordsOf });

function indexOfRun(words: readonly string[], run: readonly string[]): number {
  const [first] = run;
  if (first === undefined) return -1;
  for (let at = words.indexOf(first); at >= 0; at = words.indexOf(first, at + 1)) {
    if (run.every((word, offset) => words[at + offset] === word)) return at;
  }
  return -1;
}

/** Whether two or three runs of at least three words each, found somewhere, make up nearly all of it. */
function isStitched(quote: readonly string[], sources: readonly (readonly string[])[]): boolean {
  let covered = 0;
  let runs = 0;
  for (let at = 0; at < quote.length;) {
    let length = 0;
    while (
      at + length < quote.length &&
      sources.some((words) => indexOfRun(words, quote.slice(at, at + length + 1)) >= 0)
    )
      length += 1;
    if (length >= 3) {
      covered += length;
      runs += 1;
    }
    at += Math.max(1, length);
  }
  return runs >= 2 && runs <= 3 && covered >= STITCHED * quote.length;
}
