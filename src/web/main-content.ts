import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import { htmlToText } from "./html-to-text.js";
import { isoDate } from "./iso-date.js";
import { hasManyElements, isDeep, type TreeNode } from "./page-limits.js";

export interface MainContent {
  title: string;
  text: string;
  /** When it was published or last changed, ISO 8601, if the page says so. */
  date?: string;
}

/** Below this the extraction has missed the content rather than found it. */
const MIN_CHARACTERS = 140;

/**
 * The article of a web page, without navigation, advertisements and comments. Falls back to the text of its main part, or to all of its text, where
 * there is no article, where the page is too large to be judged, and where it is nested too deeply.
 */
export function mainContent(html: string): MainContent {
  if (hasManyElements(html)) return plain(html);
  try {
    // The parser builds no html and body elements of its own, but the extraction needs them.
    const document = documentIn(
      parseHTML(/<html[\s>]/i.test(html) ? html : `<html><head></head><body>${html}</body></html>`),
    );
    if (isDeep(document.documentElement)) return plain(html);
    const date = publishedOn(document);
    const article = new Readability(document).parse();
    const text = htmlToText(article?.content ?? "");
    const everything = text.length < MIN_CHARACTERS ? htmlToText(html) : "";
    const title = (article?.title ?? "").replace(/\s+/g, " ").trim();
    const published = date ?? isoDate(article?.publishedTime);
    return {
      title: title === "" ? titleOf(html) : title,
      text: everything.length > text.length ? everything : text,
      ...(published === undefined ? {} : { date: published }),
    };
  } catch {
    // A RangeError of deep nesting, or markup that the parser chokes on: the text is still there.
    return plain(html);
  }
}

/** Without a parser: from the first `main` or `article` to the end of the last, if there is one. */
function plain(html: string): MainContent {
  const start = html.search(/<(main|article)[\s>]/i);
  const end = Math.max(
    html.toLowerCase().lastIndexOf("</main"),
    html.toLowerCase().lastIndexOf("</article"),
  );
  return {
    title: titleOf(html),
    text: htmlToText(start !== -1 && end > start ? html.slice(start, end) : html),
  };
}

/** What is needed of the DOM, whose types are not those of Node. */
interface PageDocument {
  readonly documentElement: TreeNode;
  querySelector(selector: string): { getAttribute(name: string): string | null } | null;
}

function documentIn(parsed: unknown): PageDocument {
  // The parser's window answers to `get` alone, not to `in`.
  const document: unknown =
    typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, "document") : undefined;
  if (!isDocument(document)) throw new TypeError("the parser gave no document");
  return document;
}

function isDocument(value: unknown): value is PageDocument {
  return (
    typeof value === "object" &&
    value !== null &&
    "querySelector" in value &&
    "documentElement" in value
  );
}

function titleOf(html: string): string {
  const open = html.search(/<title[\s>]/i);
  if (open === -1) return "";
  const start = html.indexOf(">", open) + 1;
  const end = html.indexOf("</", start);
  return start === 0 || end === -1
    ? ""
    : htmlToText(html.slice(start, Math.min(end, start + 500))).replace(/\s+/g, " ");
}

const DATE_SELECTORS: readonly [selector: string, attribute: string][] = [
  ['meta[property="article:modified_time"]', "content"],
  ['meta[property="article:published_time"]', "content"],
  ['meta[itemprop="dateModified"]', "content"],
  ['meta[itemprop="datePublished"]', "content"],
  ['meta[name="date"]', "content"],
  ["time[datetime]", "datetime"],
];

function publishedOn(document: PageDocument): string | undefined {
  for (const [selector, attribute] of DATE_SELECTORS) {
    const date = isoDate(document.querySelector(selector)?.getAttribute(attribute));
    if (date !== undefined) return date;
  }
  return undefined;
}
