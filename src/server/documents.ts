/** Routes for the documents of the knowledge base: list, show, upload, remove. */
import { readFile, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { Hono, type Context } from "hono";
import {
  listDocuments,
  removeDocuments,
  showDocument,
  type DocumentSummary,
} from "../ingest/documents.js";
import { isBelow } from "../ingest/targets.js";
import type { AssembledAgent } from "../assembly.js";
import { folderOf, openForWriting } from "../assembly/knowledge-base.js";
import type { DocumentRecord } from "../retrieval/knowledge-base.js";
import { asFolder, isGlob } from "../retrieval/search-filter.js";
import { kindOfFile } from "../state/document-formats.js";
import { UserError } from "../support/errors.js";
import { isDemo } from "./page.js";
import type { ServerEnv } from "./routes.js";
import type { Peers } from "./store/sql.js";
import { notFound } from "./http-problem.js";
import { Changes, takeUpload, uploadsOf, type UploadPlace } from "./uploads.js";

const MAX_PAGE = 500;

/** Returns where an agent's documents stand. */
export function shelfOf({
  knowledgeBase,
  settings,
}: Pick<AssembledAgent, "knowledgeBase" | "settings">): UploadPlace {
  return {
    look: () => knowledgeBase(),
    change: () => openForWriting({ settings }),
    folder: folderOf(settings),
    maxBytes: settings.maxUploadBytes,
  };
}

/** @param peers other servers that may change the same documents */
export function documentRoutes(shelf: UploadPlace, peers?: Peers): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();
  const changes = new Changes(peers);
  routes.use(async (context, next) => {
    await next();
    context.header("cache-control", "no-store");
  });

  routes.get("/", async (context) => {
    const { filter = "" } = context.req.query();
    const offset = countIn(context, "offset", 0);
    const limit = Math.min(MAX_PAGE, countIn(context, "limit", 50));
    const { total, documents } = await listDocuments(await shelf.look(), { filter, offset, limit });
    return context.json({ total, documents: documents.map(forClients) });
  });

  routes.get("/show", async (context) => {
    const found = await showDocument(await shelf.look(), neededIn(context, "path"), {
      cwd: uploadsOf(shelf.folder),
    });
    if (found === undefined) throw notFound("document");
    return context.json({ document: forClients(found.document), passages: found.passages });
  });

  routes.get("/passage", async (context) => {
    const passages = await (await shelf.look()).passagesOf(neededIn(context, "path"));
    const { id } = context.req.query();
    const line = countIn(context, "line", 0);
    const found =
      passages.find((passage) => passage.id === id) ??
      passages.find(({ startLine = 1, endLine = 0 }) => startLine <= line && line <= endLine);
    if (found === undefined) throw notFound("passage");
    return context.json(found);
  });

  routes.get("/file", async (context) => {
    const name = neededIn(context, "path");
    const documents = await (await shelf.look()).documents();
    const file = documents.find((document) => document.path === name)?.absolutePath;
    const bytes = file && (await readFile(file).catch(() => undefined));
    if (!bytes) throw notFound("file");
    return context.body(new Uint8Array(bytes), 200, fileHeaders(name));
  });

  routes.put("/file", async (context) => {
    const name = neededIn(context, "path").normalize("NFC");
    const body = context.req.raw.body ?? new Blob([]).stream();
    const client = context.get("identity")?.owner ?? "";
    return context.json(await takeUpload({ name, body, client }, shelf, changes));
  });

  routes.delete("/", async (context) => {
    const targets = context.req.queries("path") ?? [];
    if (targets.length === 0) throw new UserError("no document was named: send `path`");
    // A slip like `..` must not mean all documents.
    const uploads = uploadsOf(shelf.folder);
    if (targets.some((target) => `${uploads}/`.startsWith(asFolder(path.resolve(uploads, target)))))
      throw new UserError("the path holds all uploads", "name documents or folders of them");
    const seen = await shelf.look();
    const among = await seen.documents();
    const pattern = targets.find(
      (target) => isGlob(target) && !among.some(({ path: shown }) => shown === target),
    );
    if (pattern !== undefined)
      throw new UserError("no pattern removes documents", "name documents or folders of them");
    if (isDemo(seen))
      throw new UserError("the demo's documents cannot be removed", "add documents of your own");
    return context.json(await changes.alone(() => remove(targets, among, shelf)));
  });
  return routes;
}

/** Removes documents and the stored copies of those that were uploaded; other files stay. */
async function remove(
  targets: readonly string[],
  among: readonly DocumentRecord[],
  { change, folder }: UploadPlace,
): Promise<{ removed: string[]; unknown: string[] }> {
  const knowledgeBase = await change();
  try {
    const uploads = uploadsOf(folder);
    const result = await removeDocuments(knowledgeBase, targets, { cwd: uploads, among });
    const gone = new Set(result.removed);
    const isOurs = (file: string): boolean => isBelow(path.resolve(file), path.resolve(uploads));
    for (const { path: shown, absolutePath } of among)
      // What the knowledge base says may be somebody else's, with dots or links in its paths.
      if (gone.has(shown) && absolutePath !== undefined && isOurs(absolutePath)) {
        const folderOfIt = await realpath(path.dirname(path.resolve(absolutePath))).catch(() => "");
        if (isOurs(path.join(folderOfIt, "file"))) await rm(absolutePath, { force: true });
      }
    return result;
  } finally {
    await knowledgeBase.close();
  }
}

/** Lets browsers show text and PDF, and nothing that could run: pages of HTML come as text. */
function fileHeaders(name: string): Record<string, string> {
  const kind = kindOfFile(name);
  const isText = ["markdown", "text", "html", "csv", "json", "notebook"].includes(kind);
  const type = kind === "pdf" ? "application/pdf" : "application/octet-stream";
  const place = isText || kind === "pdf" ? "inline" : "attachment";
  return {
    "content-type": isText ? "text/plain; charset=utf-8" : type,
    "content-disposition": `${place}; filename*=UTF-8''${encodeURIComponent(path.basename(name))}`,
    "x-content-type-options": "nosniff",
  };
}

/** Hides where a file is on the server's disk. */
function forClients({ absolutePath: _, ...document }: DocumentSummary) {
  return document;
}

function neededIn(context: Context, name: string): string {
  const value = context.req.query(name);
  if (value === undefined || value === "") throw new UserError(`\`${name}\` is missing`);
  return value;
}

function countIn(context: Context, name: string, fallback: number): number {
  const text = context.req.query(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new UserError(`\`${name}\` must be a whole number from 0`);
  return value;
}
