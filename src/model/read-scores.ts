/** Reads N relevance scores from what a judge wrote. Pure; never throws. */
import { z } from "zod";
import { cellsOf } from "../answering/plain-text.js";
import { unitScore } from "../grading/judgement.js";
import { withoutThinking } from "./answer-filter.js";
import { parseWith, plainName, readNumber, type Parsed } from "./read-json.js";

const SCORES = z.object({ scores: z.array(z.number()) });
/** "[1]" in a sentence is a reference to the only passage and not its score. */
const REFERENCE_BY_ITSELF = /(?<!: ?)\[\d+\]/g;

/**
 * @param n how many scores were asked for
 * @returns exactly `n` scores in 0–1 in the order of the items, or why they could not be read
 * @example readScores('Here you are:\n```json\n{"scores": ["80%", 0.25,]}\n```', 2) // {success:
 *   true, value: [0.8, 0.25]}
 */
export function readScores(output: string, n: number): Parsed<number[]> {
  const asked = SCORES.refine(({ scores }) => scores.length === n);
  const parsed = parseWith(asked, n === 1 ? output.replace(REFERENCE_BY_ITSELF, "") : output);
  const found = parsed.success
    ? parsed.value.scores
    : scoresInProse(withoutThinking(output).trimStart(), n);
  return found === undefined
    ? { success: false, error: `the answer does not hold ${n} scores` }
    : { success: true, value: unitScores(found) };
}

/**
 * Fits scores into 0–1. Numbers from 2 on count from 0 to 10, or to 100: some judges do. What is no
 * such scale, such as 1.1 or a negative number beside it, is clamped.
 */
export function unitScores(scores: readonly number[]): number[] {
  const highest = Math.max(...scores);
  const isScale = highest >= 2 && scores.every((score) => score === 0 || score >= 1);
  const most = [10, 100].find((each) => highest <= each) ?? 1;
  return scores.map((score) => unitScore(score / (isScale ? most : 1)));
}

const VALUE = String.raw`-?(?:\d+[.,]\d+|[.,]\d+|\d+)(?: ?(?:%|\/ ?\d+))?`;
const VALUES = new RegExp(VALUE, "g");
/** "Confidence score: 0.9" tells nothing of what is graded. */
const CONFIDENCE = new RegExp(`\\bconfidence\\b[^\\d\\n,;.]{0,20}?${VALUE}`, "gi");
/** `[2]` in a sentence; `2:` or `2)` before a score; `2.` at the beginning of a line. */
const REFERENCE =
  /\[\d+\]|(?<![\d.-])\d{1,6}\s?[\])]?\s?[:=](?=\D)|(?<=^[\s-]*)\d{1,6}[.)](?=\s)/gm;
/** "Relevance score (0 to 1): 0.7"; a number after any other word is no score. */
const STATED = new RegExp(
  `(?<![a-z] |[a-z])(?:the )?(?:relevance )?(?:score|relevance|grade)\\s*` +
    `(?:\\([^()\\n]*\\)\\s*)?(?:[:=]|is|of)?\\s*["']?(${VALUE})(?![\\d.]*\\d)`,
  "i",
);

/** Reads a table, `n` lines that state a score, a number on each of `n` lines, or `n` numbers. */
function scoresInProse(text: string, n: number): number[] | undefined {
  if (text.includes("{")) return undefined;
  const plain = text.replace(/[*_`]/g, "").replace(CONFIDENCE, "").replace(REFERENCE, " ");
  const lines = plain.split("\n").filter((line) => line.match(VALUES));
  const isList = lines.length === n || !/\p{L}/u.test(lines.join(""));
  const stated = lines.flatMap((line) => STATED.exec(line)?.[1] ?? []);
  const listed = n > 1 && isList ? (plain.match(VALUES) ?? []) : [];
  const found = stated.length === n ? stated : listed;
  const values = scoresInTable(text) ?? found.flatMap((each) => readNumber(each) ?? []);
  return values.length === n ? values : undefined;
}

/** Reads the column of a Markdown table whose head names a score; undefined without a table. */
function scoresInTable(text: string): number[] | undefined {
  const rows = text.split("\n").filter((line) => line.trimStart().startsWith("|"));
  const [head = [], , ...body] = rows.map(cellsOf);
  const column = head.findIndex((cell) => plainName(cell).endsWith("score"));
  if (body.length === 0 || column === -1) return undefined;
  return body.flatMap((cells) => readNumber(cells[column]?.replaceAll("`", "") ?? "") ?? []);
}
