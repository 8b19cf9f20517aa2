/** What LangChain and MCP tools return, as texts: strings, JSON in strings, content blocks, documents, lists of results, messages. Pure. */

export interface ToolText {
  text: string;
  title?: string;
  /** http or https. */
  url?: string;
}

const MAX_DEPTH = 5;
/** Longer results are cut before they are looked at. */
const MAX_CHARACTERS = 200_000;

/**
 * @throws Error when the tool reported an error as its result, as many do in place of throwing
 */
export function textsOf(result: unknown): ToolText[] {
  return inside(result, 0).filter(({ text }) => text.trim() !== "");
}

function inside(value: unknown, depth: number): ToolText[] {
  if (value === null || value === undefined || depth > MAX_DEPTH) return [];
  if (typeof value === "string") return fromString(value.slice(0, MAX_CHARACTERS), depth);
  if (typeof value !== "object")
    return typeof value === "number" || typeof value === "boolean" ? [{ text: String(value) }] : [];
  if (Array.isArray(value)) return fromList(value, depth);
  return fromRecord(new Map(Object.entries(value)), value, depth);
}

function fromString(text: string, depth: number): ToolText[] {
  if (!/^\s*[[{]/.test(text)) return [{ text }];
  try {
    const parsed: unknown = JSON.parse(text);
    return inside(parsed, depth + 1);
  } catch {
    return [{ text }];
  }
}

function fromList(list: readonly unknown[], depth: number): ToolText[] {
  // `[content, artifact]` of tools that give both: the content is what is meant to be read.
  const isPair = list.length === 2 && typeof list[0] === "string" && typeof list[1] === "object";
  return (isPair ? list.slice(0, 1) : list).flatMap((item) => inside(item, depth + 1));
}

const TEXT_KEYS = [
  "pageContent",
  "page_content",
  "content",
  "text",
  "snippet",
  "body",
  "answer",
  "output",
  "description",
];
const LIST_KEYS = ["results", "documents", "items", "data", "matches", "hits", "records"];
const TITLE_KEYS = ["title", "name", "heading", "subject"];
const URL_KEYS = ["url", "link", "href", "source"];

function fromRecord(
  fields: ReadonlyMap<string, unknown>,
  value: object,
  depth: number,
): ToolText[] {
  const error = errorIn(fields);
  if (error !== undefined) throw new Error(error);
  const list = LIST_KEYS.map((key) => fields.get(key)).find((each) => Array.isArray(each));
  if (list !== undefined) return inside(list, depth + 1);
  const metadata = fields.get("metadata");
  const places = new Map([...fields, ...(isObject(metadata) ? Object.entries(metadata) : [])]);
  const title = firstString(places, TITLE_KEYS);
  const url = firstString(places, URL_KEYS, (text) => /^https?:\/\/\S+$/i.test(text));
  const body = TEXT_KEYS.map((key) => fields.get(key)).find(
    (each) => each !== undefined && each !== null && each !== "",
  );
  if (body === undefined)
    return isMedia(fields)
      ? []
      : [{ text: JSON.stringify(value).slice(0, MAX_CHARACTERS), ...place(title, url) }];
  return inside(body, depth + 1).map((piece) => ({ ...place(title, url), ...piece }));
}

function place(title: string | undefined, url: string | undefined): Omit<ToolText, "text"> {
  return {
    ...(title === undefined ? {} : { title: title.slice(0, 200) }),
    ...(url === undefined ? {} : { url }),
  };
}

/** `{error: …}` without results, `{isError: true, content}` of MCP, and a ToolMessage with the status "error". */
function errorIn(fields: ReadonlyMap<string, unknown>): string | undefined {
  const error = fields.get("error");
  const said =
    typeof error === "string"
      ? error
      : isObject(error) && "message" in error
        ? String(error.message)
        : undefined;
  if (said !== undefined && said !== "" && !LIST_KEYS.some((key) => Array.isArray(fields.get(key))))
    return said;
  if (
    fields.get("isError") !== true &&
    !(fields.get("status") === "error" && fields.has("content"))
  )
    return undefined;
  const content = fields.get("content");
  const texts =
    typeof content === "string"
      ? content
      : inside(content, MAX_DEPTH - 2)
          .map(({ text }) => text)
          .join(" ");
  return texts === "" ? "the tool reported an error" : texts;
}

function isMedia(fields: ReadonlyMap<string, unknown>): boolean {
  return (
    typeof fields.get("type") === "string" &&
    /^(?:image|image_url|audio|video|resource_link|file)$/.test(String(fields.get("type")))
  );
}

function firstString(
  fields: ReadonlyMap<string, unknown>,
  keys: readonly string[],
  accepts: (text: string) => boolean = () => true,
): string | undefined {
  return keys
    .map((key) => fields.get(key))
    .find(
      (value): value is string =>
        typeof value === "string" && value.trim() !== "" && accepts(value),
    );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
