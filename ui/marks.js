/**
 * Marks sentences in Markdown with private-use characters, which its parser takes for letters.
 * A mark may reach over several lines; `rich-text.js` turns it into elements.
 */

/** Around sentences that the sources support only in part. */
export const UNCERTAIN = ["\ue000", "\ue001"];

/** Around the words that were cited, or that answer best. */
export const CITED = ["\ue002", "\ue003"];

/** What Markdown needs at the start of a line, so that a mark may only follow it. */
const LINE_START =
  /(?:\s*(?:(?:[-*+•]|\d{1,3}[.)]|>|#{1,6}|\[[ xX]\])[ \t]+|\||(?:```|~~~).*\n))+[ \t]*/y;

/** The same for the end of a line. */
const LINE_END = /(?:\n\s*(?:```|~~~))?[\s|]*$/;

/** Returns the text with the two characters around each span. */
export function markSpans(text, spans, [open, close]) {
  let marked = "";
  let from = 0;
  for (const span of [...spans].sort(([a], [b]) => a - b)) {
    const [start, end] = withinLines(text, [Math.max(span[0], from), span[1]]);
    if (start >= end) continue;
    marked += text.slice(from, start) + open + text.slice(start, end) + close;
    from = end;
  }
  return marked + text.slice(from);
}

function withinLines(text, [start, end]) {
  const line = text.lastIndexOf("\n", start - 1) + 1;
  LINE_START.lastIndex = line;
  const from = Math.max(start, line + (LINE_START.exec(text)?.[0].length ?? 0));
  return [from, from + text.slice(from, end).replace(LINE_END, "").length];
}

/** Characters that an answer may have between the letters of a sentence that was checked. */
const NOISE = /\[\d+(?:\s*,\s*\d+)*\]|[*`\s]+/g;

/** Returns the answer with `open` and `close` around the given sentences, which are in its order. */
export function withMarks(answer, sentences, open, close) {
  return markSpans(answer, spansOfSentences(answer, sentences), [open, close]);
}

/** Returns the places of the sentences in the answer, in order, whatever its markup. */
function spansOfSentences(answer, sentences) {
  const { letters, places } = compact(answer);
  let from = 0;
  return sentences.flatMap((sentence) => {
    const sought = compact(sentence).letters;
    const at = sought === "" ? -1 : letters.indexOf(sought, from);
    if (at < 0) return [];
    // A sentence that is said twice has two places.
    from = at + sought.length;
    return [withBold(answer, places[at], places[from - 1] + 1)];
  });
}

/** Returns the places of the quotes in a passage, which may have been stored again since. */
export function spansOfQuotes(citations, text) {
  return citations.flatMap(({ quote, start, end }) => {
    if (text.slice(start, end) === quote) return [[start, end]];
    const at = text.indexOf(quote);
    return at < 0 ? [] : [[at, at + quote.length]];
  });
}

/** Extends a span to the bold markers at its ends. */
function withBold(answer, start, end) {
  const isOpen = answer.slice(start, end).split("**").length % 2 === 0;
  if (!isOpen) return [start, end];
  return answer.slice(0, start).endsWith("**") ? [start - 2, end] : [start, end + 2];
}

function compact(text) {
  const places = [];
  let from = 0;
  const take = (to) => {
    for (; from < to; from++) places.push(from);
  };
  for (const { index, 0: noise } of text.matchAll(NOISE)) {
    take(index);
    from = index + noise.length;
  }
  take(text.length);
  return { letters: places.map((at) => text[at]).join(""), places };
}
