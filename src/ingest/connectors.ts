/** Named sources: document loaders, opened by a target such as `github:OWNER/REPOSITORY`. */
import type { ConfluenceAPIResponse } from "@langchain/community/document_loaders/web/confluence";
import type { ImapFlow } from "imapflow";
import { z } from "zod";
import { LoadError, MAX_FILE_BYTES } from "../formats/document.js";
import { reasonOf, UserError } from "../support/errors.js";
import { isRecord, parsedJson } from "../support/json.js";
import { requestJson } from "../support/json-client.js";
import { requirePackages } from "../support/packages.js";
import { whyLeftOut } from "../support/plain-file.js";
import { decodedPart, isLoopback } from "../support/web-address.js";
import type { DocumentLoader } from "./remote-documents.js";
import { whyNoText } from "./targets.js";

const COMMUNITY = "@langchain/community";

interface Connector {
  /** What follows the name and a colon. */
  usage: string;
  packages: readonly string[];
  /** Reads keys from the environment. */
  open: (source: string, env: NodeJS.ProcessEnv) => Promise<DocumentLoader>;
}

const CONNECTORS: Readonly<Record<string, Connector>> = {
  github: {
    usage: "github:OWNER/REPOSITORY[@BRANCH] (GITHUB_ACCESS_TOKEN, GITHUB_API_URL)",
    packages: [COMMUNITY, "ignore", "binary-extensions"],
    open: openRepository,
  },
  confluence: {
    usage:
      "confluence:https://HOST/wiki#SPACE (CONFLUENCE_TOKEN, or CONFLUENCE_USERNAME and " +
      "CONFLUENCE_ACCESS_TOKEN)",
    packages: [COMMUNITY, "html-to-text"],
    open: openSpace,
  },
  notion: {
    usage: "notion:ID or address of a page or a database (NOTION_TOKEN)",
    // Later clients no longer ask for the pages of a database.
    packages: [COMMUNITY, "@notionhq/client@4", "notion-to-md"],
    open: openNotion,
  },
  s3: {
    usage: "s3:BUCKET[/FOLDER] (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION)",
    packages: ["@aws-sdk/client-s3"],
    open: openBucket,
  },
  imap: {
    usage: "imap:HOST[/FOLDER] (IMAP_USER, IMAP_PASSWORD or IMAP_ACCESS_TOKEN)",
    packages: ["imapflow"],
    open: openMailbox,
  },
};

/**
 * Parts the targets of the command line into paths and named sources.
 * @returns `loaders` by the targets that name them
 * @throws UserError when a package is missing
 */
export async function openConnectors(targets: readonly string[], env = process.env) {
  const loaders: Record<string, DocumentLoader> = {};
  const paths: string[] = [];
  for (const target of targets) {
    const at = target.indexOf(":");
    const name = at < 0 ? "" : target.slice(0, at);
    const connector = Object.hasOwn(CONNECTORS, name) ? CONNECTORS[name] : undefined;
    if (connector === undefined) {
      paths.push(target);
      continue;
    }
    const source = target.slice(at + 1);
    if (source === "") throw new UserError(`${target} names nothing`, connector.usage);
    requirePackages(name, connector.packages);
    loaders[target] = await connector.open(source, env);
  }
  return { paths, loaders };
}

/** @param source `OWNER/REPOSITORY[@BRANCH]` */
async function openRepository(source: string, env: NodeJS.ProcessEnv): Promise<DocumentLoader> {
  const { GithubRepoLoader } = await import("@langchain/community/document_loaders/web/github");
  const [repository = "", branch = "main"] = source.split("@");
  return new GithubRepoLoader(`https://github.com/${repository}`, {
    branch,
    apiUrl: env["GITHUB_API_URL"] ?? "https://api.github.com",
    // A file that cannot be read must not count as gone.
    unknown: "error",
  });
}

/** Twenty-five pages of Confluence, each with all of its text. */
const MAX_PAGES_BYTES = 100_000_000;

/**
 * The pages of a space of Confluence, read by LangChain's loader, which takes a failure for the end
 * of a list.
 * @param source `https://HOST/wiki#SPACE`
 */
async function openSpace(source: string, env: NodeJS.ProcessEnv): Promise<DocumentLoader> {
  const { ConfluencePagesLoader } =
    await import("@langchain/community/document_loaders/web/confluence");
  const { CONFLUENCE_TOKEN: apiKey, CONFLUENCE_USERNAME: username = "" } = env;
  const password = env["CONFLUENCE_ACCESS_TOKEN"] ?? "";
  const [baseUrl = "", spaceKey = ""] = source.split("#");
  return {
    load: async () => {
      let failure: LoadError | undefined;
      class Loader extends ConfluencePagesLoader {
        protected override async fetchConfluenceData(page: string) {
          const url = Object.assign(new URL(page), { username, password });
          const schema = z.custom<ConfluenceAPIResponse>(isRecord);
          const limits = { maxBytes: MAX_PAGES_BYTES, maxRetries: 2 };
          return requestJson({ url, apiKey, schema, ...limits }).catch((error: unknown) => {
            failure = new LoadError(reasonOf(error));
            return { size: 0, results: [] };
          });
        }
      }
      const pages = await new Loader({ baseUrl, spaceKey }).load();
      if (failure !== undefined) throw failure;
      return pages;
    },
  };
}

const NOTION_VERSION = "2022-06-28";
const NO_PAGES = { object: "list", results: [], has_more: false, next_cursor: null };

/** The id at the end of a page's address. */
const NOTION_ID = /[\da-f]{32}(?=[?#]|$)/u;

/**
 * A page of Notion with all below it, or a database, read by LangChain's loader, whose mistakes are
 * put right.
 * @param source an id, or the address of the page
 */
async function openNotion(source: string, env: NodeJS.ProcessEnv): Promise<DocumentLoader> {
  const { NotionAPILoader } = await import("@langchain/community/document_loaders/web/notionapi");
  const [id = source] = NOTION_ID.exec(source) ?? [];
  return {
    load: async () => {
      let failure: LoadError | undefined;
      // The loader takes what it cannot reach for empty, and prints a database that fails.
      const watched: typeof fetch = async (input, init) => {
        const isQuery = init?.method?.toLowerCase() === "post";
        const response = await fetch(input, init).catch((error: unknown) => {
          failure = new LoadError(`Notion cannot be reached (${reasonOf(error)})`);
          throw error;
        });
        if (!isQuery || response.ok) return response;
        failure = new LoadError(`Notion answered ${response.status} for the pages of a database`);
        return Response.json(NO_PAGES);
      };
      const clientOptions = {
        ...{ auth: env["NOTION_TOKEN"], baseUrl: env["NOTION_API_URL"] },
        ...{ notionVersion: NOTION_VERSION, fetch: watched },
      };
      const pages = await new NotionAPILoader({ id, clientOptions })
        .load()
        .catch((error: unknown) => {
          // One for the page of this id, one for the database of it.
          throw failure ?? (error instanceof AggregateError ? error.errors[0] : error);
        });
      if (failure !== undefined) throw failure;
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
  const read = filled.map(([key, value]): [string, unknown] => {
    const list = typeof value === "string" ? parsedJson(value) : undefined;
    return [key, Array.isArray(list) ? list : value];
  });
  return { ...Object.fromEntries(read), title, url, last_edited_time };
}

/**
 * Files of a bucket of S3, or of a server that speaks its protocol; one is fetched when its tag is
 * new. Keys and region are found as all tools of AWS find them.
 * @param source `BUCKET[/FOLDER]`
 */
async function openBucket(source: string, env: NodeJS.ProcessEnv): Promise<DocumentLoader> {
  const { GetObjectCommand, paginateListObjectsV2, S3Client } = await import("@aws-sdk/client-s3");
  const [Bucket = "", ...folders] = source.split("/").filter(Boolean);
  const Prefix = folders.map((each) => `${each}/`).join("");
  const { AWS_ENDPOINT_URL_S3: endpoint, AWS_REGION: region = "us-east-1" } = env;
  const client = new S3Client(
    endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region },
  );
  const fetched = async (Key: string, size: number): Promise<Uint8Array> => {
    if (size > MAX_FILE_BYTES) throw new LoadError("it is too large");
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    return (await Body?.transformToByteArray()) ?? new Uint8Array();
  };
  return {
    load: async () => {
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix });
      const documents = [];
      for await (const { Contents = [] } of pages)
        for (const { Key = "", ETag = "", LastModified: lastModified, Size = 0 } of Contents) {
          const id = Key.slice(Prefix.length);
          if (id === "" || id.endsWith("/") || (whyLeftOut(id) ?? whyNoText(id))) continue;
          const bytes = (): Promise<Uint8Array> => fetched(Key, Size);
          documents.push({ id, pageContent: ETag, metadata: { lastModified }, bytes });
        }
      return documents;
    },
  };
}

/**
 * Messages of a mailbox, read over IMAP as they were sent.
 * @param source `HOST[:PORT][/FOLDER]`
 */
async function openMailbox(source: string, env: NodeJS.ProcessEnv): Promise<DocumentLoader> {
  const imap = await import("imapflow");
  const { hostname: host, port, pathname } = new URL(`imap://${source}`);
  const folder = decodedPart(pathname.slice(1)) || "INBOX";
  const { IMAP_USER: user = "", IMAP_PASSWORD: pass, IMAP_ACCESS_TOKEN: accessToken } = env;
  let client: ImapFlow | undefined;
  return {
    load: async () => {
      const open = new imap.ImapFlow({
        ...{ host, port: Number(port || 993), auth: { user, pass, accessToken }, logger: false },
        // Only a bridge on this machine, at a port of its own, is spoken to in the clear.
        secure: port === "" || !isLoopback(host),
      });
      // Rejects what waits for an answer, too.
      open.on("error", () => undefined);
      client = open;
      const fetched = async (uid: number): Promise<Uint8Array> => {
        const source = { start: 0, maxLength: MAX_FILE_BYTES + 1 };
        const message = await open.fetchOne(String(uid), { source }, { uid: true });
        const bytes = (message && message.source) || new Uint8Array();
        if (bytes.length > MAX_FILE_BYTES) throw new LoadError("it is too large");
        return bytes;
      };
      try {
        await open.connect();
        const { exists, uidValidity } = await open.mailboxOpen(folder, { readOnly: true });
        const query = { uid: true, envelope: true };
        const messages = exists === 0 ? [] : await open.fetchAll("1:*", query);
        return messages.map(({ uid, envelope }) => ({
          id: `${uid}.eml`,
          // A message never changes.
          pageContent: `${uidValidity}`,
          metadata: { date: envelope?.date },
          bytes: () => fetched(uid),
        }));
      } catch (error) {
        const said = isRecord(error) ? error["responseText"] : undefined;
        throw typeof said === "string" ? new LoadError(`${host} answered: ${said}`) : error;
      }
    },
    close: async () => client?.close(),
  };
}
