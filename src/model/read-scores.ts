/** Reads N relevance scores from whatever a judge wrote. Pure; never throws. */
import { unitScore } from "../grading/judgement.js";
import { isRecord } from "../support/is-record.js";
import { withoutThinking } from "./answer-filter.js";
import { jsonCandidates, plainName, readNumber } from "./read-json.js";
import type { Parsed } from "./structured-call.js";

const SCORE_KEY = /^(?:relevance)?(?:scores?|relevance|value|grade|rating|probability)$/;
const INDEX_KEY = /^(?:passage|document|doc|item|source)?(?:id|index|i|n|number)?$/;
const MAX_DEPTH = 6;

/** A score, and the number beside which it stood; NaN where something else stood in its place. */
interface Leaf {
  index: number | undefined;
  score: number;
}

/**
 * @param output what the judge returned: text, or a value that was parsed already
 * @param n how many scores were asked for
 * @returns exactly `n` scores in 0–1 in the order of the items, or why they could not be read
 * @example readScores('Here you are:\n```json\n{"scores": ["80%", 0.25,]}\n```', 2) // {success:
 *   true, value: [0.8, 0.25]}
 */
export function readScores(output: unknown, n: number): Parsed<number[]> {
  const text = typeof output === "string" ? withoutThinking(output) : undefined;
  // "[1]" in a sentence is a reference to the passage and not its score.
  const prose = n === 1 && text !== undefined && !/^\s*(?:\[|```)/.test(text);
  for (const candidate of text === undefined ? [output] : jsonCandidates(text)) {
    if (prose && Array.isArray(candidate)) continue;
    const scores = inOrder(leavesOf(candidate, undefined, 0), n);
    if (scores) return { success: true, value: scores };
  }
  const value = text === undefined ? undefined : scoresInProse(text, n);
  return value === undefined
    ? { success: false, error: `the answer does not hold ${n} scores` }
    : { success: true, value };
}

/** All scores in a value, in order: of lists, records with a score, maps from number to score. */
function leavesOf(value: unknown, key: string | undefined, depth: number): Leaf[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, key, depth + 1));
  if (typeof value === "string" && /^\s*[[{]/.test(value)) {
    const [inner] = jsonCandidates(value);
    return inner === undefined ? [] : leavesOf(inner, key, depth + 2);
  }
  if (!isRecord(value)) return [{ index: readIndex(key), score: readScore(value) ?? Number.NaN }];
  const fields = Object.entries(value);
  const entries = fields.map(([name, inner]) => ({ name, plain: plainName(name), inner }));
  const score = entries.flatMap(({ plain, inner }) =>
    SCORE_KEY.test(plain) ? (readScore(inner) ?? []) : [],
  )[0];
  if (score !== undefined) {
    const number = entries.find(({ plain }) => INDEX_KEY.test(plain))?.inner;
    return [{ index: readIndex(number ?? key), score }];
  }
  return entries.flatMap(({ name, plain, inner }) =>
    typeof inner === "object" || /\d/.test(name) || SCORE_KEY.test(plain)
      ? leavesOf(inner, name, depth + 1)
      : [],
  );
}

/** By their numbers where these count from 0 or 1, else as they came; undefined unless `n`. */
function inOrder(leaves: readonly Leaf[], n: number): number[] | undefined {
  if (leaves.length !== n || leaves.some(({ score }) => Number.isNaN(score))) return undefined;
  const sorted = leaves.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
  const base = sorted[0]?.index;
  const counted =
    (base === 0 || base === 1) && sorted.every(({ index }, at) => index === at + base);
  return (counted ? sorted : leaves).map(({ score }) => score);
}

function readIndex(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? value : undefined;
  const digits =
    typeof value === "string" ? /^[^\d.]*(\d{1,6})\D?$/.exec(value.trim())?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

/** A number, a text that holds one, or a boolean, clamped to 0–1; undefined for anything else. */
function readScore(value: unknown): number | undefined {
  const number = typeof value === "string" ? readNumber(value) : value;
  return typeof number === "boolean" || Number.isFinite(number)
    ? unitScore(Number(number))
    : undefined;
}

/** `[2]` in a sentence, and `2:` or `2)` before a score. */
const REFERENCE = /\[\d+\]|\d+\s?[\])]?[*_"]*\s?[:=](?=\D)/g;
const VALUE = /-?(?:\d+[.,]\d+|[.,]\d+|\d+)(?: ?(?:%|\/ ?\d+))?/g;

/** Without any JSON: as many numbers in 0–1 as were asked for, and no others. */
function scoresInProse(text: string, n: number): number[] | undefined {
  const values = [...text.replace(REFERENCE, " ").matchAll(VALUE)].map(([each]) =>
    readNumber(each),
  );
  const scores = values.flatMap((value) =>
    value !== undefined && value >= 0 && value <= 1 ? value : [],
  );
  return scores.length === n && values.length === n ? scores : undefined;
}
