/** A row of a table as a line that can be read on its own. */

/**
 * The cells of one row of Markdown, without the bars and without white space round them.
 * @example cellsOf("| a | `x|y` |") // ["a", "`x|y`"]
 */
export function cellsOf(row: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let inCode = false;
  let before = "";
  for (const character of row.trim().replace(/^\||(?<!\\)\|$/gu, "")) {
    if (character === "`") inCode = !inCode;
    if (character === "|" && !inCode && before !== "\\") {
      cells.push(cell);
      cell = "";
    } else cell += character;
    before = character;
  }
  return [...cells, cell].map((text) => text.replaceAll("\\|", "|").trim());
}

/** A cell that says nothing. */
const EMPTY = /^(?:[-–—]*|n\/a)$/iu;

/**
 * What the row is about, then every cell under the head of its column. A column without a head
 * keeps its place, so that no value reads as another column's.
 * @example rowLine(["variable", "default"], ["`TOP_K`", "`5`"]) // "`TOP_K` – default: `5`"
 */
export function rowLine(heads: readonly string[], cells: readonly string[]): string {
  const [subject = "", ...others] = cells;
  const said = others.flatMap((text, index) => {
    const head = heads[index + 1] ?? "";
    return EMPTY.test(text) ? [] : [head === "" ? text : `${head}: ${text}`];
  });
  return [...(EMPTY.test(subject) ? [] : [subject]), said.join("; ")]
    .filter((part) => part !== "")
    .join(" – ");
}
