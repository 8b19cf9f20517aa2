/**
 * Metadata of documents: `folder.meta.yaml` above them, front matter, the properties that Office
 * files, PDFs and web pages state about themselves, and what the user names.
 */
import path from "node:path";
import { parse } from "yaml";
import {
  mergeMetadata,
  PERMISSION_KEYS,
  readMetadata,
  withoutPermissions,
  type Metadata,
} from "../state/metadata.js";
import { codeOf, UserError } from "../support/errors.js";
import { isRecord } from "../support/json.js";
import { readPlainFile } from "../support/plain-file.js";
import { descendants, parseMarkup, textOf, type Element } from "../text/markup.js";
import { LoadError, whyUnread } from "./document.js";
import { wordSet } from "../text/words.js";

/** Either describes all files of its folder and below. */
export const FOLDER_METADATA: readonly string[] = ["folder.meta.yaml", "folder.meta.yml"];

const MAX_BYTES = 100_000;
/** With `<<: *name`. */
const YAML = { merge: true };

/**
 * Returns a function from a file to the metadata of its folders, the nearest first, whatever folder
 * was ingested: a file must not lose its permissions because it was named alone.
 * @param given metadata of everything, which gives way to any other
 */
export function folderMetadata(given: Metadata = {}): (file: string) => Promise<Metadata> {
  const known = new Map<string, Promise<Metadata>>();
  const of = (folder: string): Promise<Metadata> => {
    const found = known.get(folder) ?? read(folder);
    known.set(folder, found);
    return found;
  };
  const read = async (folder: string): Promise<Metadata> => {
    const above = path.dirname(folder) === folder ? given : await of(path.dirname(folder));
    const files = FOLDER_METADATA.map((name) => path.join(folder, name));
    return mergeMetadata(...(await Promise.all(files.map(readFolderFile))), above);
  };
  return (file) => of(path.dirname(file));
}

/** @throws LoadError for a file that cannot be understood: it may hold permissions */
async function readFolderFile(file: string): Promise<Metadata | undefined> {
  try {
    const { bytes } = await readPlainFile(file, { maxBytes: MAX_BYTES });
    const value: unknown = parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes), YAML);
    if (value === null) return {};
    if (isRecord(value)) return readMetadata(value);
    throw new LoadError("it is not a list of keys and values");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw new LoadError(`${file} cannot be read: ${whyUnread(error)}`);
  }
}

/**
 * Reads front matter. Much of it is not quite YAML, and then it is left alone, unless it may hold
 * permissions.
 * @returns undefined for text between two thematic breaks
 * @throws LoadError
 */
export function frontMatter(lines: readonly string[], isYaml: boolean): Metadata | undefined {
  let problem = "it is not keys and values in YAML between two lines ---";
  let isText = false;
  try {
    const value: unknown = isYaml ? parse(lines.join("\n"), YAML) : undefined;
    const { title: _, ...metadata } = readMetadata(value);
    if (isRecord(value)) return metadata;
    isText = isYaml;
  } catch (error) {
    problem = whyUnread(error);
  }
  const [key] = lines.flatMap((line) => NAMES_PERMISSION.exec(line)?.[1] ?? []);
  if (key === undefined) return isText ? undefined : {};
  throw new LoadError(`its front matter names ${key}, but is malformed: ${problem}`);
}

/** A line of YAML, TOML or JSON, well-formed or not. */
const NAMES_PERMISSION = new RegExp(`^[\\s"'{-]*(${PERMISSION_KEYS.join("|")})["']?\\s*[:=]`, "i");

/**
 * Reads `--meta key=value`; the value is YAML, and a key named twice is a list.
 * @throws UserError
 */
export function namedMetadata(entries: readonly string[]): Metadata {
  const named: Record<string, unknown> = {};
  for (const entry of entries) {
    const at = entry.indexOf("=");
    const key = entry.slice(0, Math.max(0, at)).trim();
    if (key === "")
      throw new UserError(`"${entry}" is no metadata`, "--meta department=hr --meta groups=[hr]");
    const value = valueOf(entry.slice(at + 1));
    named[key] = key in named ? [named[key], value].flat() : value;
  }
  return readMetadata(named);
}

function valueOf(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/** Reads what a document states about itself, which grants nothing. Keywords become a list. */
export function propertiesOf(entries: Iterable<readonly [string, unknown]>): Metadata {
  const named = [...entries].map(([key, value]) => [
    key,
    key === "keywords" && typeof value === "string" ? value.replaceAll(";", ",").split(",") : value,
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
  "meta:initial-creator": "author",
  "meta:keyword": "keywords",
  "meta:creation-date": "created",
};

/** Returns what an Office file states: core properties and those of its author (ECMA-376, 15.2). */
export function statedIn(parts: ReadonlyMap<string, string>): Element[] {
  const xml = ["docProps/custom.xml", "docProps/core.xml"].map((name) => parts.get(name) ?? "");
  return xml.flatMap((part) => descendants(parseMarkup(part, { isXml: true })));
}

/** Reads the properties that the parts of an Office or OpenDocument file state. */
export function xmlProperties(elements: readonly Element[]): Metadata {
  const found = new Map<string, string>();
  for (const element of elements) {
    const { name, attributes } = element;
    const key = CORE[name] ?? attributes.get(name === "property" ? "name" : "meta:name");
    const before = key === undefined ? undefined : found.get(key);
    // In OpenDocument it is who changed the file last, and each keyword has its element.
    if (key === undefined || (name === "dc:creator" && before !== undefined)) continue;
    const isKeyword = name === "meta:keyword" && before !== undefined;
    found.set(key, isKeyword ? `${before}, ${textOf(element)}` : textOf(element));
  }
  return propertiesOf(found);
}

/** Reads a PDF's information dictionary, its custom entries included. */
export function pdfProperties(info: object): Metadata {
  const given = new Map<string, unknown>(Object.entries(info));
  // `D:20240501093000+02'00'` → `2024-05-01`; the day is enough.
  const [, ...day] = /^D:(\d{4})(\d\d)(\d\d)/.exec(String(given.get("CreationDate"))) ?? [];
  return propertiesOf([
    ...Object.entries(Object(given.get("Custom")) as object),
    ["author", given.get("Author")],
    ["subject", given.get("Subject")],
    ["keywords", given.get("Keywords")],
    ["created", day.join("-")],
  ]);
}

/** Names that speak to browsers and search engines, not to readers. */
const TECHNICAL = wordSet(
  "viewport generator robots referrer theme-color color-scheme format-detection title time",
);

/** Reads what a web page says of itself in elements `meta`. */
export function htmlProperties(meta: ReadonlyMap<string, string>): Metadata {
  return propertiesOf(
    [...meta].filter(([key]) => key !== "" && !key.includes(":") && !TECHNICAL.has(key)),
  );
}
