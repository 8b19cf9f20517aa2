/** Globs of paths: `*` within a folder, `**` across folders, `?` for one character, `{a,b}` for either. */

/** Whether a path is meant as a glob. */
export function isGlob(pattern: string): boolean {
  return /[*?{]/.test(pattern);
}

/**
 * The expression that a whole path must match.
 * @example globToRegExp("docs/**" + "/*.md").test("docs/a/b.md") // true
 */
export function globToRegExp(pattern: string): RegExp {
  let source = "";
  let braces = 0;
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern.charAt(index);
    if (character === "*") {
      if (pattern.charAt(index + 1) !== "*") source += "[^/]*";
      else if (pattern.charAt(index + 2) === "/") {
        source += "(?:[^/]*/)*";
        index += 2;
      } else {
        source += ".*";
        index += 1;
      }
    } else if (character === "?") source += "[^/]";
    else if (character === "{" && pattern.indexOf("}", index) > index) {
      source += "(?:";
      braces++;
    } else if (character === "}" && braces > 0) {
      source += ")";
      braces--;
    } else if (character === "," && braces > 0) source += "|";
    else source += character.replace(/[.+^$()|[\]\\{}?*]/g, "\\$&");
  }
  return new RegExp(`^${source}$`, "su");
}
