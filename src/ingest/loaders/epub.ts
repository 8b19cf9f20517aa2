import { LoadError, titleFromName, type Block, type Loader } from "../document.js";
import { htmlBlocks } from "../html-blocks.js";
import { parseHtml, parseXml } from "../parse-html.js";

/** What a book may unpack to; beyond it an archive is taken for a bomb. */
const MAX_UNPACKED_BYTES = 200 * 1024 * 1024;

/** Loads an EPUB: the chapters in reading order, by the package's spine. */
export const loadEpub: Loader = async ({ bytes, name }) => {
  const { unzipSync } = await import("fflate");
  let unpacked = 0;
  const files = unzip(() =>
    unzipSync(bytes, {
      filter: (file) => {
        if (!/\.(?:xhtml|html?|opf|xml)$/i.test(file.name)) return false;
        unpacked += file.originalSize;
        if (unpacked > MAX_UNPACKED_BYTES) throw new LoadError("it unpacks to too much data");
        return true;
      },
    }),
  );
  const read = (file: string): string | undefined =>
    files[file] === undefined ? undefined : new TextDecoder().decode(files[file]);
  const container = read("META-INF/container.xml");
  const packageFile = /full-path\s*=\s*["']([^"']+)["']/.exec(container ?? "")?.[1];
  const packageText = packageFile === undefined ? undefined : read(packageFile);
  if (packageFile === undefined || packageText === undefined)
    throw new LoadError("it is not a readable EPUB (no package file)");
  const folder = packageFile.includes("/")
    ? packageFile.slice(0, packageFile.lastIndexOf("/") + 1)
    : "";
  const book = await parseXml(packageText);
  const hrefs = new Map(
    [...book.querySelectorAll("item")].map((item) => [
      item.getAttribute("id"),
      item.getAttribute("href"),
    ]),
  );
  const chapters = [...book.querySelectorAll("itemref")].flatMap((reference) => {
    const href = hrefs.get(reference.getAttribute("idref"));
    const text =
      href === undefined || href === null ? undefined : read(folder + decodeURIComponent(href));
    return text === undefined ? [] : [text];
  });
  const blocks: Block[] = [];
  for (const chapter of chapters)
    blocks.push(...htmlBlocks((await parseHtml(chapter.replace(/^\s*<\?xml[^>]*\?>/, ""))).body));
  const title = /<dc:title[^>]*>([^<]+)</.exec(packageText)?.[1]?.trim();
  return { kind: "epub", title: title || titleFromName(name), blocks };
};

function unzip(work: () => Record<string, Uint8Array>): Record<string, Uint8Array> {
  try {
    return work();
  } catch (error) {
    if (error instanceof LoadError) throw error;
    throw new LoadError("it is not a readable EPUB (damaged archive)");
  }
}
