import { posix } from "node:path";
import { htmlBlocks } from "../../text/html.js";
import { decodedPart } from "../../support/web-address.js";
import { markupTokens } from "../../text/markup.js";
import { titleIn } from "../../text/web-page.js";
import { LoadError, type Loader } from "../document.js";
import { elements, unzipTexts } from "./archive.js";

/** Loads an EPUB's chapters in the order of its spine, each once. */
export const loadEpub: Loader = async (bytes) => {
  const files = await unzipTexts(bytes, "", "EPUB");
  const [container] = elements(files.get("META-INF/container.xml"), "rootfile");
  const packageFile = container?.get("full-path") ?? "";
  const book = files.get(packageFile);
  if (book === undefined) throw new LoadError("it is not a readable EPUB (no package file)");
  const hrefs = new Map(elements(book, "item").map((item) => [item.get("id"), item.get("href")]));
  const spine = elements(book, "itemref").map((item) => hrefs.get(item.get("idref")) ?? "");
  const blocks = [...new Set(spine)].flatMap((href) => {
    const chapter = posix.join(posix.dirname(packageFile), decodedPart(href));
    return htmlBlocks([...markupTokens(files.get(chapter) ?? "")]);
  });
  return { title: titleIn([...markupTokens(book, { isXml: true })], "dc:title"), blocks };
};
