/** Pages of Notion, read by LangChain's loader, whose mistakes are put right. */
import { NotionAPILoader } from "@langchain/community/document_loaders/web/notionapi";
import { reasonOf } from "../support/errors.js";
import { isRecord, parsedJson } from "../support/json.js";
import { LoadError } from "../formats/document.js";

const API_VERSION = "2022-06-28";
const NO_PAGES = { object: "list", results: [], has_more: false, next_cursor: null };

/** The id at the end of a page's address. */
const ID = /[\da-f]{32}(?=[?#]|$)/u;

/**
 * Opens a page with all below it, or a database.
 * @param source an id, or the address of the page
 */
export function openNotion(source: string, env: NodeJS.ProcessEnv) {
  const [id = source] = ID.exec(source) ?? [];
  return {
    load: async () => {
      let failure: string | undefined;
      let unreached: string | undefined;
      // The loader takes what it cannot reach for empty, and prints a database that fails.
      const watched: typeof fetch = async (input, init) => {
        const isQuery = init?.method?.toLowerCase() === "post";
        try {
          const response = await fetch(input, init);
          if (!isQuery || response.ok) return response;
          failure = `Notion answered ${response.status} for the pages of a database`;
        } catch (error) {
          unreached = `Notion cannot be reached (${reasonOf(error)})`;
          if (!isQuery) throw error;
          failure = unreached;
        }
        return Response.json(NO_PAGES);
      };
      const clientOptions = {
        ...{ auth: env["NOTION_TOKEN"], baseUrl: env["NOTION_API_URL"] },
        ...{ notionVersion: API_VERSION, fetch: watched },
      };
      const loader = new NotionAPILoader({ id, clientOptions });
      const pages = await loader.load().catch((error: unknown) => {
        // One for the page of this id, one for the database of it.
        throw error instanceof AggregateError ? error.errors[0] : error;
      });
      if (pages.length === 0) failure ??= unreached;
      if (failure !== undefined) throw new LoadError(failure);
      return pages.map(({ pageContent, metadata }) => ({
        pageContent,
        metadata: pageMetadata(metadata),
      }));
    },
  };
}

/** Reads where a page is, when it changed, and its properties, whose lists are written as JSON. */
function pageMetadata(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { url, last_edited_time, properties } = metadata;
  const { _title: title, ...others } = isRecord(properties) ? properties : {};
  const filled = Object.entries(others).filter(([, value]) => value !== title && value !== "");
  const read = filled.map(([key, value]): [string, unknown] => [key, listOf(value) ?? value]);
  return Object.fromEntries([...read, ...Object.entries({ title, url, last_edited_time })]);
}

function listOf(value: unknown): unknown[] | undefined {
  const list = typeof value === "string" ? parsedJson(value) : undefined;
  return Array.isArray(list) ? list : undefined;
}
