import { decodedPart } from "../support/web-address.js";
import { declaredCharset, decodeText, NotTextError } from "../text/decode-text.js";
import { withoutInvisibleSigns } from "../text/html.js";
import { cutText } from "../text/words.js";
import { readWebPage, textOfBlocks } from "../text/web-page.js";
import { safeFetch, type FetchedPage, type SafeFetchOptions } from "./safe-fetch.js";
import { PageError, type FetchPage, type WebPage } from "./search-provider.js";
import { isoDate } from "./web-results.js";

/** Maximum number of characters of a page. */
const MAX_TEXT = 200_000;

/**
 * Returns a function that fetches a page safely and reduces it to its main content.
 * @example
 * const fetchPage = createFetchPage({ timeoutInMs: 5_000 });
 * const { title, text } = await fetchPage("https://example.com/", {});
 */
export function createFetchPage(options: SafeFetchOptions = {}): FetchPage {
  return async (url, { signal }) => readContent(await safeFetch(url, { ...options, signal }));
}

async function readContent(page: FetchedPage): Promise<WebPage> {
  const { url, contentType, lastModified } = page;
  const body = decoded(page);
  const type = contentType.trim().toLowerCase();
  const isNamed = type.startsWith("text/") || type.startsWith("application/");
  const isHtml = type.includes("html") || (!isNamed && body.trimStart().startsWith("<"));
  const read = isHtml ? readWebPage(body) : undefined;
  // Indentation may matter in plain text, so it is not tidied.
  const whole =
    read === undefined ? withoutInvisibleSigns(body).trim() : textOfBlocks(read.blocks).text;
  const text = cutText(whole, MAX_TEXT, { ellipsis: "" });
  if (text === "") throw new PageError("the page has no text");
  const title = read === undefined ? lastSegment(url) : read.title || new URL(url).hostname;
  // The header of an HTML page often says when it was generated, not changed.
  const date = isoDate(read === undefined ? lastModified : read.date);
  return { url, title, text, blocks: read?.blocks, date };
}

/** Decodes by the charset of the header, else by the one that the page declares. */
function decoded({ bytes, contentType }: FetchedPage): string {
  try {
    return decodeText(bytes, declaredCharset(contentType) ?? declaredCharset(bytes));
  } catch (error) {
    if (error instanceof NotTextError) throw new PageError(error.message);
    throw error;
  }
}

function lastSegment(url: string): string {
  const { pathname, hostname } = new URL(url);
  return decodedPart(pathname.split("/").findLast((part) => part !== "") ?? hostname);
}
