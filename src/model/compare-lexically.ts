import { contentTerms } from "../text/analyse.js";
import { extractNumbers } from "../text/numbers.js";

/** Overlap of content terms (Jaccard) from which two answers with the same numbers say the same. */
const SAME = 0.6;

/** Whether two answers agree, where their words alone show it; undefined where they do not. Pure. */
export function compareLexically([first, second]: readonly [string, string]): boolean | undefined {
  const [a, b] = [plain(first), plain(second)];
  if (a.toLowerCase() === b.toLowerCase()) return true;
  if ((a === "") !== (b === "")) return false;
  if (!subsetEitherWay(numbers(a), numbers(b))) return undefined;
  const left = new Set(contentTerms(a));
  const right = new Set(contentTerms(b));
  if (left.size === 0 || right.size === 0) return undefined;
  const shared = [...left].filter((term) => right.has(term)).length;
  const jaccard = shared / (left.size + right.size - shared);
  const negations = negated(a) === negated(b);
  return jaccard >= SAME && negations ? true : undefined;
}

function plain(text: string): string {
  return text
    .replaceAll(/\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function numbers(text: string): Set<number> {
  return new Set(extractNumbers(text).map((each) => each.value));
}

function subsetEitherWay(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return [...a].every((value) => b.has(value)) || [...b].every((value) => a.has(value));
}

function negated(text: string): boolean {
  return /\b(?:not|no|never|none|neither|nor|cannot)\b|n['’]t\b/i.test(text);
}
