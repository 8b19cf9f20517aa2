/** Text made fit to be shown or looked at: on one line, cut, without floods and stray signs. */

/** Each run of white space becomes one blank. */
export function collapsed(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** White space collapsed, cut to `length` UTF-16 code units with an ellipsis. */
export function oneLine(text: string, length = Infinity): string {
  return cutText(collapsed(text).trim(), length);
}

/**
 * Cuts to `length` UTF-16 code units, the ellipsis included, never inside of a surrogate pair.
 * @param atWord at the last blank, where that does not cost half of the text
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

/**
 * Cuts floods of white space or of one character, which no question needs and which patterns that
 * look for the end of a run read again from each place in it.
 */
export function withoutFloods(text: string): string {
  return text.replace(/\s{20,}|(.)\1{50,}/gsu, (run) =>
    run.trim() === "" ? "\n\n" : run.slice(0, 50),
  );
}

/**
 * Without the blanks and punctuation at its end. By hand, since a pattern that is tied to the end
 * reads every run of such signs again from each place in it.
 */
export function withoutEnding(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\n\r.!?…。！？".includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * Without the commands that come along when a text is copied from a terminal (ECMA-48, 5.4): a
 * color, a move of the cursor. Without its first character each would read as text.
 */
export function withoutTerminalCommands(text: string): string {
  return text.replace(/\u001b\[[0-?]*[ -/]*[@-~]/gu, "");
}
