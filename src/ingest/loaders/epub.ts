import { htmlBlocks } from "../../text/html.js";
import { markupTokens } from "../../text/markup.js";
import { LoadError, type Loader } from "../document.js";
import { elements, unzipTexts } from "./archive.js";

/** Loads an EPUB: the chapters in reading order, by the package's spine, each once. */
export const loadEpub: Loader = async (bytes) => {
  const files = await unzipTexts(bytes, "", "EPUB");
  const [container] = elements(files.get("META-INF/container.xml"), "rootfile");
  const packageFile = container?.get("full-path") ?? "";
  const book = files.get(packageFile);
  if (book === undefined) throw new LoadError("it is not a readable EPUB (no package file)");
  const folder = packageFile.slice(0, packageFile.lastIndexOf("/") + 1);
  const hrefs = new Map(elements(book, "item").map((item) => [item.get("id"), item.get("href")]));
  const spine = elements(book, "itemref").map((item) => hrefs.get(item.get("idref")) ?? "");
  const blocks = [...new Set(spine)].flatMap((href) =>
    htmlBlocks([...markupTokens(files.get(folder + decoded(href)) ?? "")]),
  );
  return { title: titleOf(book), blocks };
};

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

function titleOf(book: string): string {
  const tokens = [...markupTokens(book)];
  const start = tokens.findIndex((token) => token.kind === "open" && token.name === "dc:title");
  const text = start === -1 ? undefined : tokens[start + 1];
  return text?.kind === "text" ? text.text.trim() : "";
}
