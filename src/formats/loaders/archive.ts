/**
 * Files that hold others: ZIP archives, and EPUBs, within bounds, since a kilobyte may unpack to
 * gigabytes; saved messages.
 */
import { extname, posix } from "node:path";
import type { Address, Mailbox } from "postal-mime";
import { reasonOf } from "../../support/errors.js";
import { decodedPart } from "../../support/web-address.js";
import { MAX_HEADING, type Block } from "../../text/block.js";
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

/** Loads a message with the texts of those that it forwards, and with the files attached to it. */
export const loadMail: Loader = async (bytes, _, loadFile) => {
  const { default: mails } = await import("postal-mime");
  const mail = await mails.parse(bytes).catch((error: unknown) => {
    throw new LoadError(`it is not a readable message (${reasonOf(error)})`);
  });
  const { subject, date, text = "", html = "", attachments } = mail;
  const [from, to] = [mailboxes(mail.from && [mail.from]), mailboxes(mail.to)];
  if (!subject && !date && from.length === 0)
    throw new LoadError("it is not a readable message (no sender, date or subject)");
  const sent = mail.headers.find(({ key }) => key === "date")?.value;
  const shown = { From: from.map(written).join(", "), To: to.map(written).join(", "), Date: sent };
  const heads = Object.entries(shown).flatMap(([name, value]): Block[] =>
    value ? [{ text: `${name}: ${value}`, headings: [], form: "row" }] : [],
  );
  const blocks = text.trim() === "" ? readWebPage(html).blocks : paragraphs(text);
  const unread: string[] = [];
  for (const { filename, mimeType, content } of attachments) {
    const name = oneLine(filename ?? mimeType, MAX_HEADING);
    const isText = filename !== null && !mimeType.startsWith("image/");
    const file = new Uint8Array(await new Blob([content]).arrayBuffer());
    const read = isText ? await loadFile(name, file).catch(() => undefined) : undefined;
    if (read === undefined) unread.push(name);
    for (const block of read?.blocks ?? [])
      blocks.push({ ...block, headings: [name, ...block.headings] });
  }
  return {
    title: subject,
    // Lines and pages of what is inside are not those of the file.
    blocks: [...heads, ...blocks.map(({ text, headings, form }) => ({ text, headings, form }))],
    metadata: propertiesOf([
      ["from", from.map(({ address }) => address)],
      ["to", to.map(({ address }) => address)],
      ["date", date],
    ]),
    note: unread.length > 0 ? `attached files that are not read: ${unread.join(", ")}` : undefined,
  };
};

function mailboxes(addresses: readonly Address[] = []): Mailbox[] {
  return addresses.flatMap((each) => each.group ?? [each]);
}

function written({ name, address }: Mailbox): string {
  return name === "" ? address : `${name} <${address}>`;
}
