/** Reads N relevance scores from whatever a judge wrote: the repair ladder of the batch and per-document judges. Pure, total. */
import { jsonCandidates, readNumber, withoutThinking } from "./read-json.js";

export type ReadScores = { success: true; scores: number[] } | { success: false; error: string };

/** Names under which models hide the list that they were asked for. */
const WRAPPERS: ReadonlySet<string> = new Set(
  "scores relevancescores results grades ratings evaluations evaluation items documents passages output answer data response json values relevance".split(
    " ",
  ),
);
const SCORE_KEYS: ReadonlySet<string> = new Set(
  "score relevancescore relevance value grade rating probability".split(" "),
);
const INDEX_KEYS: ReadonlySet<string> = new Set(
  "id index i n number item passage document doc passageid documentid docid itemid".split(" "),
);
const MAX_DEPTH = 6;

/**
 * @param output what the judge returned: text, or a value that was parsed already
 * @param n how many scores were asked for
 * @returns exactly `n` scores in 0–1 in the order of the items, or why they could not be read
 * @example readScores('Here you are:\n```json\n{"scores": ["80%", 0.25,]}\n```', 2) // {success: true, scores: [0.8, 0.25]}
 */
export function readScores(output: unknown, n: number): ReadScores {
  if (typeof output !== "string") return parsed(scoresIn(output, n, 0), n, "the value");
  const prose = n === 1 && !/^\s*(?:\[|```)/.test(withoutThinking(output));
  for (const candidate of jsonCandidates(output)) {
    if (prose && Array.isArray(candidate)) continue; // "[1]" in a sentence is a reference to the passage and not its score
    const scores = scoresIn(candidate, n, 0);
    if (scores) return { success: true, scores };
  }
  return parsed(
    scoresInProse(withoutThinking(output), n),
    n,
    output.trim() === "" ? "an empty answer" : "the answer",
  );
}

function parsed(scores: number[] | undefined, n: number, where: string): ReadScores {
  return scores
    ? { success: true, scores }
    : { success: false, error: `${where} does not hold ${n} scores` };
}

function scoresIn(value: unknown, n: number, depth: number): number[] | undefined {
  if (depth > MAX_DEPTH || value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return scoresInList(value, n, depth);
  if (typeof value === "object") return scoresInRecord(value, n, depth);
  if (typeof value === "string" && /[[{]/.test(value))
    return firstDefined(jsonCandidates(value), (inner) => scoresIn(inner, n, depth + 2));
  const single = n === 1 ? readScore(value) : undefined;
  return single === undefined ? undefined : [single];
}

function scoresInList(list: readonly unknown[], n: number, depth: number): number[] | undefined {
  if (list.length === n) {
    const indexed = byIndex(
      list.map((item) =>
        isRecord(item)
          ? [field(item, INDEX_KEYS), field(item, SCORE_KEYS)]
          : [undefined, undefined],
      ),
    );
    if (indexed) return indexed;
    const scores = list.map((item) =>
      readScore(
        isRecord(item)
          ? field(item, SCORE_KEYS)
          : Array.isArray(item) && item.length === 1
            ? item[0]
            : item,
      ),
    );
    if (scores.every((score) => score !== undefined)) return scores;
    const maps = list.flatMap((item) => (isRecord(item) ? Object.entries(item) : []));
    if (maps.length === n) return scoresIn(Object.fromEntries(maps), n, depth + 1);
  }
  return list.length === 1 ? scoresIn(list[0], n, depth + 1) : undefined;
}

function scoresInRecord(record: object, n: number, depth: number): number[] | undefined {
  const entries: [string, unknown][] = Object.entries(record);
  if (n === 1) {
    const single = readScore(field(record, SCORE_KEYS));
    if (single !== undefined) return [single];
  }
  if (entries.length === n) {
    const indexed = byIndex(
      entries.map(([key, value]) => [key, isRecord(value) ? field(value, SCORE_KEYS) : value]),
    );
    if (indexed) return indexed;
  }
  const wrapped = entries.filter(([key]) => WRAPPERS.has(plain(key)));
  return firstDefined(wrapped.length > 0 || entries.length > 1 ? wrapped : entries, ([, value]) =>
    scoresIn(value, n, depth + 1),
  );
}

/** Scores with their item's number, from 0 or from 1, put in order; undefined unless each item has exactly one. */
function byIndex(
  pairs: readonly (readonly [index: unknown, score: unknown])[],
): number[] | undefined {
  const numbered = pairs.map(([index, score]) => ({
    index: readIndex(index),
    score: readScore(score),
  }));
  if (numbered.some(({ index, score }) => index === undefined || score === undefined))
    return undefined;
  const sorted = numbered.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
  const base = sorted[0]?.index;
  if ((base !== 0 && base !== 1) || sorted.some(({ index }, position) => index !== position + base))
    return undefined;
  return sorted.flatMap(({ score }) => score ?? []);
}

function readIndex(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? value : undefined;
  const digits =
    typeof value === "string" ? /^[^\d.]*(\d{1,6})\D?$/.exec(value.trim())?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

/**
 * A number, `"0.8"`, `"0,8"`, `"80%"`, `"8/10"` or a boolean as a score in 0–1, clamped; undefined for anything else, NaN and Infinity included.
 */
export function readScore(value: unknown): number | undefined {
  if (typeof value === "number") return clamp(value);
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return undefined;
  const number = readNumber(value);
  return number === undefined ? undefined : clamp(number);
}

function clamp(value: number): number | undefined {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : undefined;
}

const VALUE = String.raw`([-+]?(?:\d+[.,]\d+|[.,]\d+|\d+)(?: *(?:%|\/ *\d+))?)`;

const NUMBERED_LINE = new RegExp(
  String.raw`^[\s*_-]*(?:[a-z]+ )?[#[(]?(\d+)[\])]?[*_"\s]*[:=–-][*_"\s]*(?:score[:=\s]+)?${VALUE}(?![\d.]).*$`,
  "gim",
);

/** Without any JSON: a bare list of numbers, one numbered line for each item, or, for a single item, what follows the word "score". */
function scoresInProse(text: string, n: number): number[] | undefined {
  const bare = text.trim().split(/\s*[,;\n]\s*|\s+/);
  if (bare.length === n && bare.every((each) => readScore(each) !== undefined))
    return bare.flatMap((each) => readScore(each) ?? []);
  const lines = [...text.matchAll(NUMBERED_LINE)];
  const numbered =
    lines.length === n ? byIndex(lines.map(([, index, score]) => [index, score])) : undefined;
  if (numbered || n !== 1) return numbered;
  const said = [
    ...text.matchAll(
      new RegExp(String.raw`(?:score|relevance|rating)\W{1,4}(?:is |of )?${VALUE}`, "gi"),
    ),
  ].at(-1)?.[1];
  const single = readScore(said);
  return single === undefined ? undefined : [single];
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function field(record: object, names: ReadonlySet<string>): unknown {
  return Object.entries(record).find(([key]) => names.has(plain(key)))?.[1];
}

function plain(key: string): string {
  return key.toLowerCase().replace(/[^a-z]/g, "");
}

function firstDefined<Item, Result>(
  items: Iterable<Item>,
  read: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const result = read(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
