/** A row of a table as a sentence that can be read on its own. */

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

/** From so many columns on each cell is named; with fewer, one of them says what the others only qualify. */
const MANY_COLUMNS = 4;

/**
 * What a row is about stands before a colon. In a narrow table its last cell of several words follows, and the other cells stand in brackets, each
 * with the head of its column; in a wide one all cells follow with their heads.
 * @example rowSentence(["variable", "default", "meaning"], ["`TOP_K`", "`5`", "Passages per search."]) // "`TOP_K` (default: `5`): Passages per search."
 * @example rowSentence(["name", "born", "died", "lived in"], ["Bach", "1685", "1750", "Leipzig"]) // "Bach: born – 1685; died – 1750; lived in – Leipzig"
 */
export function rowSentence(heads: readonly string[], cells: readonly string[]): string {
  const [subject = "", ...others] = cells;
  const said = others
    .map((text, index) => ({ text, head: heads[index + 1] ?? "" }))
    .filter(({ text }) => !EMPTY.test(text));
  if (EMPTY.test(subject)) return said.map(({ text }) => text).join(", ");
  if (said.length === 0) return subject;
  if (cells.length >= MANY_COLUMNS)
    return `${subject}: ${said.map(({ text, head }) => (head === "" ? text : `${head} – ${text}`)).join("; ")}`;
  const main = said.findLast(({ text }) => text.split(" ").length >= 3) ?? said[said.length - 1];
  const beside = said
    .filter((cell) => cell !== main)
    .map(({ text, head }) => (head === "" ? text : `${head}: ${text}`));
  return `${subject}${beside.length === 0 ? "" : ` (${beside.join("; ")})`}: ${main?.text ?? ""}`;
}
