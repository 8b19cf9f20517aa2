/** Globs of paths: `*` within a folder, `**` across folders, `?` one character, `{a,b}` either. */

/** True for a path that is meant as a glob. */
export function isGlob(pattern: string): boolean {
  return /[*?{]/.test(pattern);
}

/** Alternatives of `{a,b}` that are tried; in a glob with more the braces stand for themselves. */
const MAX_ALTERNATIVES = 64;

/**
 * Returns a test for whole paths. It follows all readings of the glob side by side, so that a
 * path takes at most its length times the length of the glob, however many wildcards there are.
 * @example globMatcher("docs/**" + "/*.md")("docs/a/b.md") // true
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const alternatives = withoutBraces([pattern]).map((glob) => ({
    prefix: glob.slice(0, glob.search(/[*?]|$/)),
    steps: stepsOf(glob),
  }));
  return (path) =>
    alternatives.some(({ prefix, steps }) => path.startsWith(prefix) && follow(steps, path));
}

/** Innermost braces first. */
function withoutBraces(globs: readonly string[]): readonly string[] {
  const replaced = globs.flatMap((glob) => {
    const [, before = "", inside = "", after = ""] = /^(.*)\{([^{}]*)\}(.*)$/s.exec(glob) ?? [];
    return inside === "" ? [glob] : inside.split(",").map((option) => `${before}${option}${after}`);
  });
  const isDone =
    replaced.length === globs.length && replaced.every((glob, at) => glob === globs[at]);
  return isDone || replaced.length > MAX_ALTERNATIVES ? globs : withoutBraces(replaced);
}

interface Step {
  takes: (character: string) => boolean;
  repeats: boolean;
  /** It may only end where a folder does. */
  folders?: boolean;
}

const WILDCARDS: Readonly<Record<string, Step>> = {
  "**/": { takes: () => true, repeats: true, folders: true },
  "**": { takes: () => true, repeats: true },
  "*": { takes: (character) => character !== "/", repeats: true },
  "?": { takes: (character) => character !== "/", repeats: false },
};

function stepsOf(glob: string): Step[] {
  const pieces = glob.replace(/(?:\*\*\/)+/g, "**/").match(/\*\*\/|\*+|./gsu) ?? [];
  return pieces.map(
    (piece) =>
      WILDCARDS[/^\*{2,}$/.test(piece) ? "**" : piece] ?? {
        takes: (character) => character === piece,
        repeats: false,
      },
  );
}

function follow(steps: readonly Step[], path: string): boolean {
  let reached = withSkips(steps, new Set([0]), "/");
  for (const character of path) {
    const next = new Set<number>();
    for (const at of reached) {
      const step = steps[at];
      if (step?.takes(character) === true) next.add(step.repeats ? at : at + 1);
    }
    if (next.size === 0) return false;
    reached = withSkips(steps, next, character);
  }
  return reached.has(steps.length);
}

/** What repeats may also be left. A set that grows is walked to its new end. */
function withSkips(steps: readonly Step[], reached: Set<number>, before: string): Set<number> {
  for (const at of reached) {
    const step = steps[at];
    if (step?.repeats === true && (step.folders !== true || before === "/")) reached.add(at + 1);
  }
  return reached;
}
