import { declaredCharset } from "../../web/decode-page.js";
import { hasManyElements, isDeep } from "../../web/page-limits.js";
import { decodeText } from "../decode-text.js";
import {
  LoadError,
  titleFromName,
  type Block,
  type LoadedDocument,
  type Loader,
} from "../document.js";
import { htmlBlocks } from "../html-blocks.js";
import { parseHtml } from "../parse-html.js";

/** A main content shorter than this share of the page's text was probably found wrongly. */
const MIN_SHARE_OF_PAGE = 0.25;

/** Loads a web page's main content: Readability leaves out navigation, advertisements and footers. */
export const loadHtml: Loader = async ({ bytes, name }): Promise<LoadedDocument> => {
  const source = decodeText(bytes, { declared: declaredCharset(bytes) });
  try {
    const document = await parseHtml(source);
    const everything = htmlBlocks(document.body);
    const title =
      oneLine(document.title) || oneLine(document.querySelector("h1")?.textContent ?? "");
    const { Readability } = await import("@mozilla/readability");
    // Pages that it could not judge in reasonable time are taken whole.
    const article =
      hasManyElements(source) || isDeep(document.body)
        ? null
        : new Readability(document, { charThreshold: 100 }).parse();
    const content = article?.content ?? "";
    const main = content === "" ? [] : htmlBlocks((await parseHtml(content)).body);
    const blocks = lengthOf(main) >= lengthOf(everything) * MIN_SHARE_OF_PAGE ? main : everything;
    return { kind: "html", title: title || titleFromName(name), blocks };
  } catch (error) {
    // Some parsers recurse; a page nested thousands deep ends them.
    if (error instanceof RangeError) throw new LoadError("its elements are nested too deeply");
    throw error;
  }
};

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function lengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + block.text.length, 0);
}
