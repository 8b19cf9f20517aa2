/**
 * Files that hold others: ZIP archives, and EPUBs, within bounds, since a kilobyte may unpack to
 * gigabytes; saved messages.
 */
import { extname, posix } from "node:path";
import { decodedPart } from "../../support/web-address.js";
import type { Block } from "../../text/block.js";
import { decodeText } from "../../text/decode-text.js";
import { htmlBlocks } from "../../text/html.js";
import { descendants, parseMarkup, type Element } from "../../text/markup.js";
import { readWebPage, titleIn } from "../../text/web-page.js";
import { oneLine } from "../../text/words.js";
import { LoadError, type Loader } from "../document.js";
import { propertiesOf } from "../metadata.js";
import { paragraphs } from "./text.js";

const MAX_UNPACKED_BYTES = 100_000_000;
const MAX_ENTRIES = 20_000;

/** Extensions of text members. */
const TEXTS = new Set([".xml", ".rels", ".xhtml", ".html", ".htm", ".opf"]);

/**
 * Returns the text members by their paths.
 * @param format for the message: `EPUB`
 * @throws LoadError when it is no archive, or unpacks to too much
 */
export async function unzipTexts(
  bytes: Uint8Array,
  format: string,
): Promise<ReadonlyMap<string, string>> {
  const { unzipSync } = await import("fflate");
  let unpacked = 0;
  let entries = 0;
  try {
    // Space is allotted by the declared size: a member that lies about it is cut.
    const files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        entries += 1;
        if (!TEXTS.has(extname(name).toLowerCase())) return false;
        unpacked += originalSize;
        if (entries > MAX_ENTRIES || unpacked > MAX_UNPACKED_BYTES)
          throw new LoadError("it unpacks to too much data");
        return true;
      },
    });
    const decoder = new TextDecoder();
    return new Map(Object.entries(files).map(([name, data]) => [name, decoder.decode(data)]));
  } catch (error) {
    if (error instanceof LoadError) throw error;
    throw new LoadError(`it is not a readable ${format} (damaged archive, or protected)`);
  }
}

export function elements(xml: string | undefined, name: string): Element[] {
  return descendants(parseMarkup(xml ?? "", { isXml: true })).filter((each) => each.name === name);
}

/** Returns the paths that an Office part refers to, by relation id. */
export function relations(
  xml: string | undefined,
  folder: string,
): ReadonlyMap<string | undefined, string> {
  return new Map(
    elements(xml, "relationship").map(({ attributes: each }) => [
      each.get("id"),
      posix.resolve("/", folder, each.get("target") ?? "").slice(1),
    ]),
  );
}

/** Loads an EPUB's chapters in the order of its spine, each once. */
export const loadEpub: Loader = async (bytes) => {
  const files = await unzipTexts(bytes, "EPUB");
  const [container] = elements(files.get("META-INF/container.xml"), "rootfile");
  const packageFile = container?.attributes.get("full-path") ?? "";
  const book = files.get(packageFile);
  if (book === undefined) throw new LoadError("it is not a readable EPUB (no package file)");
  const hrefs = new Map(
    elements(book, "item").map(({ attributes: item }) => [item.get("id"), item.get("href")]),
  );
  const spine = elements(book, "itemref").map(
    ({ attributes: item }) => hrefs.get(item.get("idref")) ?? "",
  );
  const blocks = [...new Set(spine)].flatMap((href) => {
    const chapter = posix.join(posix.dirname(packageFile), decodedPart(href));
    return htmlBlocks(parseMarkup(files.get(chapter) ?? ""));
  });
  return { title: titleIn(descendants(parseMarkup(book, { isXml: true })), "dc:title"), blocks };
};

/** A message or a part of one, each byte as one character. */
interface MailPart {
  /** By their names in lower case; the first of a name counts. */
  heads: ReadonlyMap<string, string>;
  body: string;
}

/** Parts in parts below this depth are left out. */
const MAX_DEPTH = 20;

/** Loads a saved message with the texts of those that it forwards. */
export const loadMail: Loader = async (bytes) => {
  const mail = mailPart(Buffer.from(bytes).toString("latin1"));
  if (!["from", "date", "subject"].some((name) => mail.heads.has(name)))
    throw new LoadError("it is not a readable message (no sender, date or subject)");
  const sent = new Date(headOf(mail, "date"));
  const metadata = propertiesOf([
    ["from", headOf(mail, "from").match(ADDRESS)],
    ["to", headOf(mail, "to").match(ADDRESS)],
    ["date", isNaN(sent.getTime()) ? undefined : sent.toISOString()],
  ]);
  const { blocks, hasFiles } = contentOf(mail);
  const note = hasFiles ? "files attached to it are not read" : undefined;
  return { title: headOf(mail, "subject"), blocks: [...sentBy(mail), ...blocks], metadata, note };
};

const ADDRESS = /[^\s<>",;:]{1,200}@[^\s<>",;:]{1,200}/gu;

function mailPart(source: string): MailPart {
  const text = source.replaceAll("\r\n", "\n");
  const end = text.startsWith("\n") ? 0 : text.indexOf("\n\n");
  const heads = new Map<string, string>();
  // A head goes on in the lines that begin with a space.
  for (const line of text.slice(0, end === -1 ? text.length : end).split(/\n(?![ \t])/u)) {
    const at = line.indexOf(":");
    const name = line.slice(0, Math.max(0, at)).toLowerCase();
    if (!heads.has(name)) heads.set(name, line.slice(at + 1).trim());
  }
  return { heads, body: end === -1 ? "" : text.slice(end).replace(/^\n+/u, "") };
}

function contentOf(mail: MailPart, depth = 0): { blocks: Block[]; hasFiles: boolean } {
  const type = mail.heads.get("content-type")?.toLowerCase() ?? "text/plain";
  const boundary = parameterOf(mail, "content-type", "boundary");
  const isFile = parameterOf(mail, "content-disposition", "filename") !== undefined;
  if (depth > MAX_DEPTH || isFile) return { blocks: [], hasFiles: isFile };
  if (type.startsWith("multipart/") && boundary !== undefined) {
    const parts = partsOf(mail.body, boundary).map((part) => contentOf(mailPart(part), depth + 1));
    const filled = parts.filter(({ blocks }) => blocks.length > 0);
    // The same text in several forms, the plainest first.
    const read = type.startsWith("multipart/alternative") ? filled.slice(0, 1) : filled;
    return {
      blocks: read.flatMap(({ blocks }) => blocks),
      hasFiles: parts.some(({ hasFiles }) => hasFiles),
    };
  }
  const encoding = mail.heads.get("content-transfer-encoding")?.toLowerCase() ?? "";
  if (type.startsWith("message/rfc822")) {
    const forwarded = mailPart(mail.body);
    const { blocks, hasFiles } = contentOf(forwarded, depth + 1);
    const subject = headOf(forwarded, "subject");
    const under = (block: Block): Block => ({
      ...block,
      headings: [...(subject === "" ? [] : [subject]), ...block.headings],
    });
    return { blocks: [...sentBy(forwarded), ...blocks].map(under), hasFiles };
  }
  if (!type.startsWith("text/")) return { blocks: [], hasFiles: false };
  const charset = parameterOf(mail, "content-type", "charset");
  const text = decodeText(unpacked(mail.body, encoding), charset);
  const blocks = type.startsWith("text/html") ? readWebPage(text).blocks : paragraphs(text);
  return {
    blocks: blocks.map(({ text, headings, form }) => ({ text, headings, form })),
    hasFiles: false,
  };
}

function sentBy(mail: MailPart): Block[] {
  return ["From", "To", "Date"].flatMap((name): Block[] => {
    const value = headOf(mail, name.toLowerCase());
    return value === "" ? [] : [{ text: `${name}: ${value}`, headings: [], form: "row" }];
  });
}

function partsOf(body: string, boundary: string): string[] {
  const parts: string[][] = [];
  for (const line of body.split("\n")) {
    const mark = line.trimEnd();
    if (mark === `--${boundary}--`) break;
    if (mark === `--${boundary}`) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.map((lines) => lines.join("\n"));
}

function unpacked(text: string, encoding: string): Uint8Array {
  if (encoding === "base64") return Buffer.from(text, "base64");
  if (encoding !== "quoted-printable") return Buffer.from(text, "latin1");
  const byteOf = (_: string, hex: string): string => String.fromCharCode(parseInt(hex, 16));
  const joined = text.replace(/=[ \t]*\n/gu, "");
  return Buffer.from(joined.replace(/=([\da-f]{2})/giu, byteOf), "latin1");
}

/** A word of a head that is not ASCII (RFC 2047): its encoding, its form, its text. */
const ENCODED_WORD = /=\?([\w-]{1,40})(?:\*[\w-]*)?\?([bq])\?([^?\s]*)\?=/giu;

function headOf({ heads }: MailPart, name: string): string {
  const decoded = (_: string, charset: string, form: string, text: string): string =>
    form.toLowerCase() === "b"
      ? decodeText(unpacked(text, "base64"), charset)
      : decodeText(unpacked(text.replaceAll("_", " "), "quoted-printable"), charset);
  const written = decodeText(Buffer.from(heads.get(name) ?? "", "latin1"));
  return oneLine(written.replace(/\?=\s+=\?/gu, "?==?").replace(ENCODED_WORD, decoded));
}

function parameterOf({ heads }: MailPart, head: string, name: string): string | undefined {
  const value = new RegExp(`;\\s*${name}\\*?0?\\*?=(?:"([^"]*)"|([^;\\s]*))`, "iu");
  const [, quoted, bare] = value.exec(heads.get(head) ?? "") ?? [];
  return quoted ?? bare;
}
