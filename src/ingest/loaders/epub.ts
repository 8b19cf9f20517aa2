import type { Block } from "../../text/block.js";
import { htmlBlocks } from "../../text/html.js";
import { attributesOf, markupTokens, type MarkupToken } from "../../text/markup.js";
import { LoadError, titleFromName, type Loader } from "../document.js";
import { unzipTexts } from "./archive.js";

/** Loads an EPUB: the chapters in reading order, by the package's spine, each once. */
export const loadEpub: Loader = async ({ bytes, name }) => {
  const files = await unzipTexts(bytes, /\.(?:xhtml|html?|opf|xml)$/i, "EPUB");
  const [container] = elements(files.get("META-INF/container.xml") ?? "", "rootfile");
  const packageFile = container?.get("full-path") ?? "";
  const book = files.get(packageFile);
  if (book === undefined) throw new LoadError("it is not a readable EPUB (no package file)");
  const folder = packageFile.slice(0, packageFile.lastIndexOf("/") + 1);
  const hrefs = new Map(elements(book, "item").map((item) => [item.get("id"), item.get("href")]));
  const spine = elements(book, "itemref").map((item) => hrefs.get(item.get("idref")) ?? "");
  const blocks: Block[] = [];
  for (const href of new Set(spine)) {
    const chapter = files.get(folder + decoded(href));
    if (chapter !== undefined)
      for (const block of htmlBlocks([...markupTokens(chapter)])) blocks.push(block);
  }
  return { kind: "epub", title: titleOf([...markupTokens(book)]) || titleFromName(name), blocks };
};

/** The attributes of all elements of a name. */
function elements(xml: string, name: string): ReadonlyMap<string, string>[] {
  return [...markupTokens(xml)].flatMap((token) =>
    token.kind === "open" && token.name === name ? [attributesOf(token.attributes)] : [],
  );
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

function titleOf(book: readonly MarkupToken[]): string {
  const start = book.findIndex((token) => token.kind === "open" && token.name === "dc:title");
  const text = book[start + 1];
  return start !== -1 && text?.kind === "text" ? text.text.trim() : "";
}
