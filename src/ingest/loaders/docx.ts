import { LoadError, titleFromName, type Loader } from "../document.js";
import { htmlBlocks } from "../html-blocks.js";
import { parseHtml } from "../parse-html.js";

/** Loads a Word document by way of HTML, which keeps its headings, lists and tables. */
export const loadDocx: Loader = async ({ bytes, name }) => {
  const { default: mammoth } = await import("mammoth");
  const html = await mammoth
    .convertToHtml(
      { buffer: Buffer.from(bytes) },
      { convertImage: mammoth.images.imgElement(async () => ({ src: "" })) },
    )
    .then((result) => result.value)
    .catch((error: unknown) => {
      throw new LoadError(
        `it is not a readable Word document (${error instanceof Error ? error.message.slice(0, 100) : "unreadable"})`,
      );
    });
  const document = await parseHtml(html);
  const title = (document.querySelector("h1")?.textContent ?? "").replace(/\s+/g, " ").trim();
  const blocks = htmlBlocks(document.body).map((block) => ({
    ...block,
    headings: block.headings[0] === title ? block.headings.slice(1) : block.headings,
  }));
  return { kind: "docx", title: title || titleFromName(name), blocks };
};
