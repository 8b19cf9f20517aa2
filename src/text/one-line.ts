/** Text for one line of a log, a list or a terminal: white space folded, cut to `length` UTF-16 code units with an ellipsis, no half characters. */
export function oneLine(text: string, length = Infinity): string {
  return cutText(text.replace(/\s+/g, " ").trim(), length);
}

/** Cuts a text to `length` UTF-16 code units, the ellipsis included, never in the middle of a surrogate pair. */
export function cutText(text: string, length: number): string {
  return text.length > length
    ? `${text.slice(0, Math.max(0, length - 1)).replace(/[\uD800-\uDBFF]$/, "")}…`
    : text;
}

/**
 * Cuts floods of white space or of one character, which no question needs and which patterns that
 * look for the end of a run read again from each place in it.
 */
export function withoutFloods(text: string): string {
  return text.replace(/\s{20,}/gu, "\n\n").replace(/(.)\1{50,}/gsu, "$1".repeat(50));
}

/**
 * A text without the signs at its end. By hand, since a pattern that is tied to the end reads every
 * run of such signs again from each place in it.
 */
export function withoutEnding(text: string, sign: RegExp): string {
  let end = text.length;
  while (end > 0 && sign.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
