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
