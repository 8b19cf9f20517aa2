/** Reads the results of LangChain and MCP tools as texts. */
import { isRecord, parsedJson } from "./json.js";
import { isWebAddress } from "./web-address.js";

export interface ToolText {
  text: string;
  title?: string;
  /** http or https. */
  url?: string;
  date?: string;
}

const MAX_DEPTH = 5;
/** Longer results are cut before they are read. */
const MAX_CHARACTERS = 200_000;

/** Of the fields that hold a text, the first one counts. */
const TEXT_KEYS =
  "pageContent page_content content text snippet body answer output description".split(" ");
const LIST_KEYS = ["results", "documents", "items", "data", "matches", "hits", "records"];
const TITLE_KEYS = ["title", "name", "heading", "subject"];
const URL_KEYS = ["url", "link", "href", "source"];
export const DATE_KEYS = ["published_date", "publishedDate", "date", "page_age"];
const MEDIA = ["image", "image_url", "audio", "video", "resource_link", "file"];

/**
 * Reads strings, JSON in strings, content blocks, documents, lists of results and messages.
 * @throws Error if the tool returned an error, as many do instead of throwing it
 */
export function textsOf(result: unknown): ToolText[] {
  return inside(result, 0).filter(({ text }) => text.trim() !== "");
}

function inside(value: unknown, depth: number): ToolText[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === "string") return fromString(value.slice(0, MAX_CHARACTERS), depth);
  if (typeof value === "number" || typeof value === "boolean") return [{ text: String(value) }];
  if (Array.isArray(value)) {
    // `[content, artifact]`: only the content is meant to be read.
    const isPair = value.length === 2 && typeof value[0] === "string" && isRecord(value[1]);
    return (isPair ? value.slice(0, 1) : value).flatMap((item) => inside(item, depth + 1));
  }
  return isRecord(value) ? fromRecord(value, depth) : [];
}

function fromString(text: string, depth: number): ToolText[] {
  const value = parsedJson(text);
  return typeof value === "object" && value !== null ? inside(value, depth + 1) : [{ text }];
}

function fromRecord(record: Record<string, unknown>, depth: number): ToolText[] {
  const list = LIST_KEYS.map((key) => record[key]).find((each) => Array.isArray(each));
  refuseError(record, list !== undefined);
  if (list !== undefined) return inside(list, depth + 1);
  const places = { ...record, ...(isRecord(record["metadata"]) ? record["metadata"] : {}) };
  const title = firstString(places, TITLE_KEYS)?.slice(0, 200);
  const url = firstString(places, URL_KEYS, isWebAddress);
  const date = firstString(places, DATE_KEYS);
  const place = { ...(title && { title }), ...(url && { url }), ...(date && { date }) };
  const body = TEXT_KEYS.map((key) => record[key]).find(
    (each) => each !== undefined && each !== null && each !== "",
  );
  if (body !== undefined) return inside(body, depth + 1).map((piece) => ({ ...place, ...piece }));
  if (MEDIA.includes(String(record["type"]))) return [];
  return [{ text: JSON.stringify(record).slice(0, MAX_CHARACTERS), ...place }];
}

/** Throws for `{error}` without results, MCP's `{isError: true, content}`, and a failed message. */
function refuseError(record: Record<string, unknown>, hasList: boolean): void {
  const { error, content, isError, status } = record;
  const said = isRecord(error) ? error["message"] : error;
  if (typeof said === "string" && said !== "" && !hasList) throw new Error(said);
  if (isError !== true && !(status === "error" && content !== undefined)) return;
  const texts = inside(content, MAX_DEPTH - 2).map(({ text }) => text);
  throw new Error(texts.join(" ") || "the tool reported an error");
}

/** Returns the first text that is not blank under one of these keys. */
export function firstString(
  record: Record<string, unknown>,
  keys: readonly string[],
  accepts: (text: string) => boolean = () => true,
): string | undefined {
  return keys
    .map((key) => record[key])
    .find(
      (value): value is string =>
        typeof value === "string" && value.trim() !== "" && accepts(value),
    );
}
