import { RE2JS } from "re2js";

/** Longer lines are looked at up to here. */
const MAX_LINE_CHARACTERS = 2_000;
/** Instructions of a compiled pattern: time per character grows with them (`x{1000}` is a thousand). */
const MAX_PROGRAM = 3_000;

/**
 * Returns a test for one line. A pattern comes from a planner, which may be a model: it runs on
 * RE2, whose time is linear in the line, and which has no lookaround and no back-references.
 * @throws Error when the pattern is no regular expression
 */
export function lineMatcher(
  pattern: string,
  { regex, ignoreCase }: { regex: boolean; ignoreCase: boolean },
): (line: string) => boolean {
  if (!regex) {
    const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
    return (line) => (ignoreCase ? line.toLowerCase() : line).includes(wanted);
  }
  const expression = compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  if (expression.programSize() > MAX_PROGRAM) throw new Error("the pattern repeats too much");
  return (line) => expression.test(line.slice(0, MAX_LINE_CHARACTERS));
}

function compile(pattern: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(pattern, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unreadable";
    throw new Error(
      `the pattern is not a regular expression without lookaround and back-references: ${reason}`,
    );
  }
}
