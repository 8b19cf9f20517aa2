import { decodeText } from "../decode-text.js";
import { LoadError, titleFromName, type Block, type LoadedDocument, type Loader } from "../document.js";
import { htmlBlocks } from "../html-blocks.js";

/** A main content shorter than this share of the page's text was probably found wrongly. */
const MIN_SHARE_OF_PAGE = 0.25;

/** Loads a web page's main content: Readability leaves out navigation, advertisements and footers. */
export const loadHtml: Loader = async ({ bytes, name }): Promise<LoadedDocument> => {
  const [{ parseHTML }, { Readability }] = await Promise.all([import("linkedom"), import("@mozilla/readability")]);
  const source = decodeText(bytes);
  try {
    const { document } = parseHTML(completed(source));
    const everything = htmlBlocks(document.body);
    const title = (document.title || document.querySelector("h1")?.textContent || "").replace(/\s+/g, " ").trim();
    const article = isDeep(document.body) ? null : new Readability(document, { charThreshold: 100 }).parse();
    const main = article?.content ? htmlBlocks(parseHTML(completed(article.content)).document.body) : [];
    const blocks = lengthOf(main) >= lengthOf(everything) * MIN_SHARE_OF_PAGE ? main : everything;
    return { kind: "html", title: title || article?.title || titleFromName(name), blocks };
  } catch (error) {
    // Some parsers recurse; a page nested thousands deep ends them.
    if (error instanceof RangeError) throw new LoadError("its elements are nested too deeply");
    throw error;
  }
};

/** Real pages nest some dozens deep. Readability's time grows with the cube of the depth: 2 s at 500 levels, a minute at 2,000. */
const MAX_DEPTH = 100;

interface Nested {
  children: Iterable<Nested>;
}

function isDeep(root: Nested): boolean {
  let level: Nested[] = [root];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) level = level.flatMap((element) => [...element.children]);
  return level.length > 0;
}

/** linkedom puts the content of a fragment nowhere. */
function completed(source: string): string {
  return /<html[\s>]/i.test(source) ? source : `<!doctype html><html><body>${source}</body></html>`;
}

function lengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + block.text.length, 0);
}
