/** Reads texts from ZIP archives within bounds: a kilobyte may unpack to gigabytes. */
import { extname, posix } from "node:path";
import { markupTokens } from "../../text/markup.js";
import { LoadError } from "../document.js";

const MAX_UNPACKED_BYTES = 100_000_000;
const MAX_ENTRIES = 20_000;

/** Extensions of text members. */
const TEXTS = new Set([".xml", ".rels", ".xhtml", ".html", ".htm", ".opf"]);

/**
 * Returns the text members of a folder by their paths.
 * @param format for the message: `EPUB`
 * @throws LoadError when it is no archive, or unpacks to too much
 */
export async function unzipTexts(
  bytes: Uint8Array,
  folder: string,
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
        if (!name.startsWith(folder) || !TEXTS.has(extname(name).toLowerCase())) return false;
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

/** Returns the attributes of all elements with this name. */
export function elements(xml: string | undefined, name: string): ReadonlyMap<string, string>[] {
  const found: ReadonlyMap<string, string>[] = [];
  for (const token of markupTokens(xml ?? "", { isXml: true }))
    if (token.kind === "open" && token.name === name) found.push(token.attributes);
  return found;
}

/** Returns the paths that an Office part refers to, by relation id. */
export function relations(
  xml: string | undefined,
  folder: string,
): ReadonlyMap<string | undefined, string> {
  return new Map(
    elements(xml, "relationship").map((each) => [
      each.get("id"),
      posix.resolve("/", folder, each.get("target") ?? "").slice(1),
    ]),
  );
}
