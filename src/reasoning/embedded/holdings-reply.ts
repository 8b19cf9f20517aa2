/** "Which documents do you have?": the list of the knowledge base, without a model and without a claim about what the documents say. Pure. */
import type { Holdings } from "../reasoner.js";

const LISTED = 20;
const MAX_TITLE_CHARACTERS = 100;

/** How many documents and passages there are, and the first of them by title and path. */
export function holdingsReply({ name, documents, passages, counted, listed }: Holdings): string {
  if (!counted)
    return `My knowledge base (${name}) can be searched, but does not list what it holds. ${INVITATION}`;
  if (passages === 0)
    return `My knowledge base (${name}) is empty. Ingest some documents, then ask me about them.`;
  const size = `${count(documents, "document")} in ${count(passages, "passage")}`;
  // Some stores know passages only.
  if (listed.length === 0)
    return `My knowledge base (${name}) holds ${documents > 0 ? size : count(passages, "passage")}. ${INVITATION}`;
  const lines = listed.slice(0, LISTED).map(({ title, path }) => {
    const shown = plain(title);
    return shown === "" || shown === path ? `- ${path}` : `- ${shown} (${path})`;
  });
  const more = documents - lines.length;
  return `My knowledge base holds ${size}:\n${lines.join("\n")}${more > 0 ? `\n- … and ${more} more` : ""}\n\n${INVITATION}`;
}

const INVITATION = "Ask me what you would like to know; I cite the source of every statement.";

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** In one line, without what would look like a citation. */
function plain(title: string): string {
  const line = title
    .replace(/\[\d+\]/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
  return line.length > MAX_TITLE_CHARACTERS ? `${line.slice(0, MAX_TITLE_CHARACTERS - 1)}…` : line;
}
