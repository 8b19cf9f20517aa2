/** Texts out of a ZIP archive, within bounds: a file of a kilobyte may unpack to gigabytes. */
import { attributesOf, markupTokens } from "../../text/markup.js";
import { LoadError } from "../document.js";

const MAX_UNPACKED_BYTES = 100_000_000;
const MAX_ENTRIES = 20_000;

/**
 * Returns the members that are wanted, by their path.
 * @param what for the message: `EPUB`
 * @throws LoadError for what is no archive, or unpacks to too much
 */
export async function unzipTexts(
  bytes: Uint8Array,
  wanted: (path: string) => boolean,
  what: string,
): Promise<ReadonlyMap<string, string>> {
  const { unzipSync } = await import("fflate");
  let unpacked = 0;
  let entries = 0;
  try {
    // What the archive declares is what is set aside: a member that lies about its size is cut.
    const files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        entries += 1;
        if (!wanted(name)) return false;
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
    throw new LoadError(`it is not a readable ${what} (damaged archive, or protected)`);
  }
}

/** Returns the attributes of all elements of a name. */
export function elements(xml: string | undefined, name: string): ReadonlyMap<string, string>[] {
  const found: ReadonlyMap<string, string>[] = [];
  for (const token of markupTokens(xml ?? ""))
    if (token.kind === "open" && token.name === name) found.push(attributesOf(token.attributes));
  return found;
}

/** Returns the targets of an Office part's relations by their id. */
export function relations(xml: string | undefined): ReadonlyMap<string, string> {
  return new Map(
    elements(xml, "relationship").map((each) => [each.get("id") ?? "", each.get("target") ?? ""]),
  );
}
