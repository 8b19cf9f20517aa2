/** Longer lines are looked at up to here. */
const MAX_LINE_CHARACTERS = 2_000;
/** What repeats without an end repeats at most this often. */
const MAX_REPEATS = 100;
const MAX_QUANTIFIERS = 2;
const MAX_OPTIONALS = 8;

/**
 * A test for one line. A pattern comes from a planner, which may be a model, and must not run for longer than a moment: groups that repeat,
 * back-references and lookaround are refused, and what repeats is bounded, so that a line costs at most its length times the square of the bound.
 * @throws Error when the pattern is refused or no pattern at all
 */
export function lineMatcher(
  pattern: string,
  { regex, ignoreCase }: { regex: boolean; ignoreCase: boolean },
): (line: string) => boolean {
  if (!regex) {
    const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
    return (line) => (ignoreCase ? line.toLowerCase() : line).includes(wanted);
  }
  const reason = refusal(pattern);
  if (reason) throw new Error(`the pattern is refused: ${reason}`);
  let expression: RegExp;
  try {
    expression = new RegExp(bounded(pattern), ignoreCase ? "iu" : "u");
  } catch (error) {
    throw new Error(
      `the pattern is not a regular expression: ${error instanceof Error ? error.message : "?"}`,
    );
  }
  return (line) => expression.test(line.slice(0, MAX_LINE_CHARACTERS));
}

/** An escaped character or a class as a whole, or a quantifier. */
const PIECE = /\\.|\[(?:[^\]\\]|\\.)*\]|([*+]|\{(\d+)(?:(,)(\d*))?\})/gu;

function refusal(pattern: string): string | undefined {
  const plain = pattern.replace(/\\[^1-9k]/g, "x").replace(/\[(?:[^\]\\]|\\.)*\]/g, "x");
  if (/\)(?:[*+]|\{\d)/.test(plain)) return "a group must not repeat";
  if (/\\[1-9k]/.test(plain)) return "back-references are not allowed";
  if (/\(\?[=!<]/.test(plain)) return "lookaround is not allowed";
  const quantifiers = [...pattern.matchAll(PIECE)].filter(
    ([, quantifier]) => quantifier !== undefined,
  );
  if (quantifiers.length > MAX_QUANTIFIERS)
    return `at most ${MAX_QUANTIFIERS} repetitions are allowed`;
  if (
    quantifiers.some(
      ([, , least = "0", , most = "0"]) => Math.max(Number(least), Number(most)) > MAX_REPEATS,
    )
  )
    return `nothing may repeat more than ${MAX_REPEATS} times`;
  return (plain.match(/\?/g) ?? []).length > MAX_OPTIONALS
    ? `at most ${MAX_OPTIONALS} optional parts are allowed`
    : undefined;
}

function bounded(pattern: string): string {
  return pattern.replace(
    PIECE,
    (piece: string, quantifier?: string, least?: string, comma?: string, most?: string) => {
      if (quantifier === "*") return `{0,${MAX_REPEATS}}`;
      if (quantifier === "+") return `{1,${MAX_REPEATS}}`;
      return comma !== undefined && most === "" ? `{${least},${MAX_REPEATS}}` : piece;
    },
  );
}
