/** Properties that Office files, PDFs and web pages state about themselves; never permissions. */
import { readMetadata, withoutPermissions, type Metadata } from "../../state/metadata.js";
import { markupTokens } from "../../text/markup.js";
import { oneLine } from "../../text/one-line.js";
import { unzipTexts } from "./archive.js";

/** Reads named properties; keywords become a list. */
function propertiesOf(entries: Iterable<readonly [string, unknown]>): Metadata {
  const named = [...entries].map(([key, value]) => [
    key,
    key === "keywords" && typeof value === "string" ? value.split(/[,;]/) : value,
  ]);
  return withoutPermissions(readMetadata(Object.fromEntries(named)));
}

const CORE: Readonly<Record<string, string>> = {
  "dc:creator": "author",
  "dc:subject": "subject",
  "dc:language": "language",
  "cp:keywords": "keywords",
  "cp:category": "category",
  "cp:contentstatus": "status",
  "dcterms:created": "created",
};

/** Reads the core properties of an Office file and those that its author defined (ECMA-376, 15.2). */
export async function officeProperties(bytes: Uint8Array): Promise<Metadata> {
  const parts = await unzipTexts(bytes, "docProps/", "document").catch(
    () => new Map<string, string>(),
  );
  const found = new Map<string, string>();
  let key: string | undefined;
  for (const name of ["docProps/custom.xml", "docProps/core.xml"])
    for (const token of markupTokens(parts.get(name) ?? "", { isXml: true })) {
      if (token.kind === "open")
        key = token.name === "property" ? token.attributes.get("name") : (CORE[token.name] ?? key);
      else if (token.kind === "close" && (token.name in CORE || token.name === "property"))
        key = undefined;
      else if (token.kind === "text" && key !== undefined)
        found.set(key, (found.get(key) ?? "") + token.text);
    }
  return propertiesOf(found);
}

const PDF_KEYS: Readonly<Record<string, string>> = {
  Author: "author",
  Subject: "subject",
  Keywords: "keywords",
};

/** Reads a PDF's information dictionary, its custom entries included. */
export function pdfProperties(info: object): Metadata {
  const custom: unknown = Reflect.get(info, "Custom");
  const created: unknown = Reflect.get(info, "CreationDate");
  return propertiesOf([
    ...Object.entries(Object(custom) as object),
    ...Object.entries(PDF_KEYS).map(([from, to]) => [to, Reflect.get(info, from)] as const),
    ["created", typeof created === "string" ? pdfDate(created) : undefined],
  ]);
}

/** `D:20240501093000+02'00'` → `2024-05-01`; the day is enough. */
function pdfDate(text: string): string | undefined {
  const [, year, month, day] = /^D:(\d{4})(\d\d)(\d\d)/.exec(text) ?? [];
  return day === undefined ? undefined : `${year}-${month}-${day}`;
}

/** Names that speak to browsers and search engines, not to readers. */
const TECHNICAL = new Set(
  "viewport generator robots referrer theme-color color-scheme format-detection title".split(" "),
);

/** Reads the named `meta` elements of a web page. */
export function htmlProperties(html: string): Metadata {
  const found = new Map<string, string>();
  for (const token of markupTokens(html)) {
    if (token.kind === "open" && token.name === "body") break;
    if (token.kind !== "open" || token.name !== "meta") continue;
    const name = oneLine(token.attributes.get("name") ?? "").toLowerCase();
    const isOurs = name !== "" && !name.includes(":") && !TECHNICAL.has(name);
    if (isOurs && !found.has(name)) found.set(name, token.attributes.get("content") ?? "");
  }
  return propertiesOf(found);
}
