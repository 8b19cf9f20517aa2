import { PageError } from "./page-error.js";
import type { SafeFetchOptions } from "./safe-fetch.js";
import type { FetchPage, WebPage } from "./search-provider.js";

export type FetchPageOptions = SafeFetchOptions;

/** Characters of a page's text at most. */
const MAX_TEXT = 200_000;

/**
 * Makes the function that fetches a page safely and reduces it to its main content. The libraries behind it are loaded by the first call.
 * It rejects with `PageError`, or with the signal's reason.
 * @example
 * const fetchPage = createFetchPage({ timeoutInMs: 5_000 });
 * const { title, text } = await fetchPage("https://example.com/", {});
 */
export function createFetchPage(options: FetchPageOptions = {}): FetchPage {
  return async (url, { signal }) => {
    const { safeFetch } = await import("./safe-fetch.js");
    const page = await safeFetch(url, { ...options, signal });
    return readContent(page);
  };
}

async function readContent({
  url,
  contentType,
  bytes,
  lastModified,
}: {
  url: string;
  contentType: string;
  bytes: Uint8Array;
  lastModified?: string;
}): Promise<WebPage> {
  const { decodePage } = await import("./decode-page.js");
  const body = decodePage(bytes, contentType);
  if (body.slice(0, 2_000).includes("\u0000")) throw new PageError("type", "the content is binary");
  const isHtml =
    /html/i.test(contentType) ||
    (!/^\s*(text|application)\//i.test(contentType) &&
      /^\s*<(!doctype|html|head|body)/i.test(body));
  const [{ tidy }, { isoDate }] = await Promise.all([
    import("../text/html.js"),
    import("./iso-date.js"),
  ]);
  if (isHtml) {
    const { readWebPage, textOfBlocks } = await import("../text/web-page.js");
    const { title, blocks, date: written } = await readWebPage(body);
    const text = textOfBlocks(blocks);
    const date = isoDate(written);
    if (text === "") throw new PageError("type", "the page has no text");
    return {
      url,
      title: title === "" ? new URL(url).hostname : title,
      text: text.slice(0, MAX_TEXT),
      ...(date === undefined ? {} : { date }),
    };
  }
  const text = tidy(body).slice(0, MAX_TEXT);
  if (text === "") throw new PageError("type", "the page has no text");
  // A file's date says when it was changed; a generated page's says when it was generated, so there it is not taken.
  const date = isoDate(lastModified);
  return { url, title: lastSegment(url), text, ...(date === undefined ? {} : { date }) };
}

function lastSegment(url: string): string {
  const { pathname, hostname } = new URL(url);
  const segment = pathname.split("/").findLast((part) => part !== "");
  if (segment === undefined) return hostname;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
