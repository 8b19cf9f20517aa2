/** Makes text fit to be shown or analyzed: on one line, cut, without floods. */

/** Replaces each run of white space by one space. */
export function collapsed(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** Collapses white space and cuts to `length` UTF-16 code units with an ellipsis. */
export function oneLine(text: string, length = Infinity): string {
  return cutText(collapsed(text).trim(), length);
}

/**
 * Cuts to `length` UTF-16 code units, including the ellipsis, never inside a surrogate pair.
 * @param atWord cuts at the last space, unless that would cost half of the text
 */
export function cutText(
  text: string,
  length: number,
  { atWord = false, ellipsis = "…" }: { atWord?: boolean; ellipsis?: string } = {},
): string {
  if (text.length <= length) return text;
  let end = Math.max(0, length - ellipsis.length);
  const blank = Math.max(text.lastIndexOf(" ", end - 1), text.lastIndexOf("\n", end - 1));
  if (atWord && blank > length / 2) end = blank;
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end -= 1;
  return (atWord ? text.slice(0, end).trimEnd() : text.slice(0, end)) + ellipsis;
}

/** Shortens long runs of white space or of one character, which make some patterns quadratic. */
export function withoutFloods(text: string): string {
  return text.replace(/\s{20,}|(.)\1{50,}/gsu, (run) =>
    run.trim() === "" ? "\n\n" : run.slice(0, 50),
  );
}

/**
 * Removes signs at the end, by default spaces and punctuation. A regular expression anchored at the
 * end would take quadratic time on long runs of them.
 */
export function withoutEnding(text: string, signs = " \t\n\r.!?…。！？"): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Returns the last sign before closing quotation marks and brackets; a space if there is none. */
export function lastSign(text: string, closing = "\"'”’)]"): string {
  return withoutEnding(text, closing).at(-1) ?? " ";
}

/** Removes terminal commands such as colors and cursor moves (ECMA-48, 5.4). */
export function withoutTerminalCommands(text: string): string {
  return text.replace(/\u001b\[[0-?]*[ -/]*[@-~]/gu, "");
}
