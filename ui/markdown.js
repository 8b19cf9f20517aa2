/** Exports an answer as Markdown, and finds its uncertain sentences. */
import { locationOf, statusOf } from "./words.js";

/** Characters that an answer may have between the letters of a sentence that was checked. */
const NOISE = /\[\d+(?:\s*,\s*\d+)*\]|[*`\s]+/g;

/** Returns the answer with `open` and `close` around the given sentences. */
export function withMarks(answer, sentences, open, close) {
  const { letters, places } = compact(answer);
  const spans = sentences.flatMap((sentence) => {
    const wanted = compact(sentence).letters;
    const at = wanted === "" ? -1 : letters.indexOf(wanted);
    return at < 0 ? [] : [spanOf(answer, places[at], places[at + wanted.length - 1] + 1)];
  });
  let text = "";
  let from = 0;
  for (const [start, end] of spans.sort(([a], [b]) => a - b)) {
    if (start < from) continue;
    text += answer.slice(from, start) + open + answer.slice(start, end) + close;
    from = end;
  }
  return text + answer.slice(from);
}

/** Extends a span to the bold markers at its ends. */
function spanOf(answer, start, end) {
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

/** Returns question, answer, status line, and sources with their quotes. */
export function asMarkdown(turn) {
  const { question, answer, result } = turn;
  const parts = [`## ${question}`];
  parts.push(withMarks(answer, result?.details?.marked ?? [], "", " (uncertain)"));
  const status = statusOf(turn);
  if (status !== undefined) parts.push(`*${status.text}*`);
  const sources = result?.sources ?? [];
  if (sources.length > 0)
    parts.push(`### Sources\n\n${sources.map(sourceLines(result)).join("\n")}`);
  return `${parts.join("\n\n")}\n`;
}

function sourceLines({ citations }) {
  return ({ marker, title, source }) => {
    const place = source.kind === "web" ? `<${source.url}>` : `\`${locationOf(source)}\``;
    const quotes = citations.filter((each) => each.marker === marker).map(({ quote }) => quote);
    const quoted = [...new Set(quotes)].map((quote) => quote.replace(/^/gm, "  > "));
    return [`- [${marker}] ${title}, ${place}`, ...quoted].join("\n");
  };
}

/** @returns true if the text was copied; browsers refuse it to pages without TLS */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
