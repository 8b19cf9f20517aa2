/** Answers as Markdown, for the clipboard and for files. */
import { saveFile } from "./elements.js";
import { withMarks } from "./marks.js";
import { locationOf, statusOf } from "./words.js";

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

/** Saves a conversation under the name of its first question. */
export function saveConversation(turns) {
  const text = turns.map(asMarkdown).join("\n");
  const name = turns[0].question.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
  saveFile(new Blob([text], { type: "text/markdown" }), `${name}.md`);
}

function sourceLines({ citations }) {
  return ({ marker, title, source }) => {
    const place = source.kind === "web" ? `<${source.url}>` : `\`${locationOf(source)}\``;
    const quotes = citations.filter((each) => each.marker === marker).map(({ quote }) => quote);
    const quoted = [...new Set(quotes)].map((quote) => quote.replace(/^/gm, "  > "));
    return [`- [${marker}] ${title}, ${place}`, ...quoted].join("\n");
  };
}
