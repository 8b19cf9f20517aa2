/** Pages of Notion, read by LangChain's loader, whose mistakes are put right. */
import { createRequire } from "node:module";
import path from "node:path";
import { reasonOf, UserError } from "../support/errors.js";
import { isRecord } from "../support/is-record.js";
import { packageVersion } from "../support/packages.js";
import { LoadError } from "./document.js";

const CLIENT = "@notionhq/client";
/** Later versions of the client no longer ask for the pages of a database. */
const LAST_MAJOR = 4;
const API_VERSION = "2022-06-28";
const NO_PAGES = { object: "list", results: [], has_more: false, next_cursor: null };

/** The id at the end of a page's address. */
const ID = /[\da-f]{32}(?=[?#]|$)/u;

/**
 * Opens a page with all below it, or a database.
 * @param source an id, or the address of the page
 * @throws UserError for a version of Notion's client that reads no databases
 */
export async function openNotion(source: string, env: NodeJS.ProcessEnv) {
  const manifest = createRequire(import.meta.url).resolve(`${CLIENT}/package.json`);
  if (Number.parseInt(packageVersion(path.dirname(manifest))) > LAST_MAJOR)
    throw new UserError(
      `notion needs ${CLIENT} 2 to ${LAST_MAJOR}`,
      `npm install --force ${CLIENT}@2`,
    );
  const { NotionAPILoader } = await import("@langchain/community/document_loaders/web/notionapi");
  const [id = source] = ID.exec(source) ?? [];
  return {
    load: async () => {
      let failure: string | undefined;
      // The loader prints a database that it cannot read and goes on: its pages would seem gone.
      const watched: typeof fetch = async (input, init) => {
        if (init?.method?.toLowerCase() !== "post") return fetch(input, init);
        const response = await fetch(input, init).catch(reasonOf);
        if (typeof response !== "string" && response.ok) return response;
        const answer = typeof response === "string" ? response : response.status;
        failure = `Notion answered ${answer} for the pages of a database`;
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
  if (typeof value !== "string" || !value.startsWith("[")) return undefined;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}
