import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import { htmlToText } from "./html-to-text.js";
import { isoDate } from "./iso-date.js";

export interface MainContent {
  title: string;
  text: string;
  /** When it was published or last changed, ISO 8601, if the page says so. */
  date?: string;
}

/** Larger documents are read as plain text: judging every element of them takes too long. */
const MAX_ELEMENTS = 20_000;
/** Below this the extraction has missed the content rather than found it. */
const MIN_CHARACTERS = 140;

/**
 * The article of a web page, without navigation, advertisements and comments. Falls back to all of its text where there is no article, where
 * the page is too large, and where it is nested so deeply that the parser runs out of stack.
 */
export function mainContent(html: string): MainContent {
  const plain = (): MainContent => ({ title: titleOf(html), text: htmlToText(html) });
  try {
    const { document } = parseHTML(html);
    const date = publishedOn(document);
    const dated = date === undefined ? {} : { date };
    const article = new Readability(document, { maxElemsToParse: MAX_ELEMENTS }).parse();
    const text = htmlToText(article?.content ?? "");
    if (text.length < MIN_CHARACTERS) {
      const everything = plain();
      return everything.text.length > text.length ? { ...everything, ...dated } : { title: titleOf(html), text, ...dated };
    }
    const title = (article?.title ?? "").replace(/\s+/g, " ").trim();
    const published = date ?? isoDate(article?.publishedTime);
    return { title: title === "" ? titleOf(html) : title, text, ...(published === undefined ? {} : { date: published }) };
  } catch {
    // A RangeError of deep nesting, too many elements, or markup that the parser chokes on: the text is still there.
    return plain();
  }
}

function titleOf(html: string): string {
  const open = html.search(/<title[\s>]/i);
  if (open === -1) return "";
  const start = html.indexOf(">", open) + 1;
  const end = html.indexOf("</", start);
  return start === 0 || end === -1 ? "" : htmlToText(html.slice(start, Math.min(end, start + 500))).replace(/\s+/g, " ");
}

const DATE_SELECTORS: readonly [selector: string, attribute: string][] = [
  ['meta[property="article:modified_time"]', "content"],
  ['meta[property="article:published_time"]', "content"],
  ['meta[itemprop="dateModified"]', "content"],
  ['meta[itemprop="datePublished"]', "content"],
  ['meta[name="date"]', "content"],
  ["time[datetime]", "datetime"],
];

function publishedOn(document: {
  querySelector(selector: string): { getAttribute(name: string): string | null } | null;
}): string | undefined {
  for (const [selector, attribute] of DATE_SELECTORS) {
    const date = isoDate(document.querySelector(selector)?.getAttribute(attribute));
    if (date !== undefined) return date;
  }
  return undefined;
}
