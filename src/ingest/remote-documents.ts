/** Documents of the web and of LangChain's document loaders. */
import { kindOfFile, type DocumentKind } from "../formats/document-formats.js";
import { PERMISSION_KEYS, readMetadata, type Metadata } from "../state/metadata.js";
import { isWebAddress } from "../support/web-address.js";
import { instantsOf } from "../settings/filter.js";
import type { Block } from "../text/block.js";
import { descendants, parseMarkup, textOf } from "../text/markup.js";
import { LoadError } from "../formats/document.js";

interface LoadedDocument {
  pageContent: string;
  metadata: Readonly<Record<string, unknown>>;
  id?: string | undefined;
  /**
   * Fetches the file that `id` names, once `pageContent`, which then is its version, or the
   * metadata has changed.
   */
  bytes?: (() => Promise<Uint8Array>) | undefined;
}

/** Any document loader of LangChain, such as `GithubRepoLoader`. */
export interface DocumentLoader {
  load(): Promise<readonly LoadedDocument[]>;
  /** Called once all was read. */
  close?(): Promise<void>;
}

/** A document of a loader or the web, all of its parts together. */
export interface RemoteDocument {
  /** A web address, or a path below the loader's name. */
  path: string;
  text: string;
  title?: string | undefined;
  blocks?: readonly Block[] | undefined;
  modifiedAt?: string | undefined;
  metadata: Metadata;
  /** What a web page says of itself. */
  stated?: Metadata;
  /** Name of the file that the text is read as; by default it is a web page's text. */
  file?: string;
  bytes?: LoadedDocument["bytes"];
}

/** Keys that identify a document, and when it changed, as loaders name them. */
const IDS = ["url", "source", "id", "loc"];
const DATES = ["updated_at", "updated", "last_edited_time", "lastModified", "lastmod", "date"];
/** Formats whose text is in `pageContent` as it is in the file. */
const TEXTS: readonly DocumentKind[] = ["markdown", "text", "csv", "json", "notebook"];

/**
 * Joins what belongs to one document, such as the pages of a PDF, and finds its path and date.
 * @param name of the loader, by which its documents are found again
 */
export function remoteDocuments(
  name: string,
  loaded: readonly LoadedDocument[],
): readonly RemoteDocument[] {
  const parts = new Map<string, LoadedDocument[]>();
  for (const [at, document] of loaded.entries()) {
    const given = [document.id, ...IDS.map((key) => document.metadata[key])];
    const ids = given.filter((each) => typeof each === "string" || typeof each === "number");
    const key = String(ids.find((each) => each !== "") ?? `document ${at + 1}`);
    parts.set(key, [...(parts.get(key) ?? []), document]);
  }
  return [...parts].map(([id, documents]) => {
    const text = documents.map(({ pageContent }) => pageContent).join("\n\n");
    const described = documents.map((document) => readMetadata(document.metadata));
    const readers = new Set(
      described.map((each) =>
        JSON.stringify(PERMISSION_KEYS.map((key) => [each[key]].flat().sort())),
      ),
    );
    if (readers.size > 1) throw new LoadError(`the parts of ${id} are for different people`);
    const { title, ...metadata } = described[0] ?? {};
    const bytes = documents[0]?.bytes;
    const dates = DATES.map((key) => String(metadata[key] ?? ""));
    return {
      path: isWebAddress(id) ? id : `${name}/${id}`,
      text,
      title: typeof title === "string" ? title : undefined,
      modifiedAt: dates.find((date) => instantsOf(date) !== undefined),
      metadata: { ...metadata, loader: name },
      file: bytes === undefined ? fileFor(id, text) : id,
      bytes,
    };
  });
}

/** Returns the pages that a sitemap lists; a long one is cut where it is fetched. */
export function pagesOfSitemap(text: string): { pages: string[]; isWhole: boolean } {
  const xml = descendants(parseMarkup(text, { isXml: true }));
  if (xml.some(({ name }) => name === "sitemapindex"))
    throw new LoadError("it lists sitemaps: name each of them");
  const places = xml.filter(({ name }) => name === "loc").map((each) => textOf(each).trim());
  return { pages: places.filter(isWebAddress), isWhole: text.trimEnd().endsWith("</urlset>") };
}

/** Extracted text is read as Markdown, which most loaders write. */
function fileFor(id: string, text: string): string {
  const isText = TEXTS.includes(kindOfFile(id)) && /\.\w{1,8}$/u.test(id) && !isWebAddress(id);
  return /^\s*<(?:!doctype|html)/iu.test(text) ? "page.html" : isText ? id : "text.md";
}
