/** Routes for the documents of the knowledge base: list, show, upload, remove. */
import { realpath, rm } from "node:fs/promises";
import path from "node:path";
import { Hono } from "hono";
import { z } from "zod";
import { listDocuments, showDocument, type DocumentSummary } from "../ingest/documents.js";
import { isBelow } from "../ingest/targets.js";
import type { AssembledAgent } from "../assembly.js";
import { folderOf, namedFolders, openForWriting } from "../assembly/knowledge-base.js";
import type { DocumentRecord } from "../retrieval/knowledge-base.js";
import { kindOfFile } from "../formats/document-formats.js";
import { readFilter } from "../settings/filter.js";
import { UserError } from "../support/errors.js";
import { isSecretName, readPlainFile } from "../support/plain-file.js";
import { createPauses } from "../support/waiting.js";
import { isDemo } from "./page.js";
import type { ServerEnv } from "./gate.js";
import type { Peers } from "./store/sql.js";
import { notFound, parsed } from "./http-problem.js";
import { jsonText } from "./threads.js";
import { Changes, takeUpload, uploadsOf, type UploadPlace } from "./uploads.js";

const count = z.coerce.number().int().min(0);
const Listing = z.strictObject({
  words: z.string().optional(),
  filter: z.string().transform(readFilter).optional(),
  offset: count.default(0),
  limit: count.default(50).transform((limit) => Math.min(500, limit)),
});
const Named = z.strictObject({
  path: z.string().min(1),
  id: z.string().optional(),
  line: count.default(0),
});
const Targets = z.strictObject({ path: z.array(z.string()).optional() });

/** Where an agent's documents are seen and stored, by the first part of their paths. */
interface Shelf extends UploadPlace {
  /** The places of several knowledge bases that are joined, by their names. */
  bases?: ReadonlyMap<string, UploadPlace> | undefined;
}

/** Returns the documents of an agent, as the routes need them. */
export function shelfOf({
  knowledgeBase,
  settings,
}: Pick<AssembledAgent, "knowledgeBase" | "settings">): Shelf {
  const { knowledgeBases, maxUploadBytes: maxBytes } = settings;
  const placeIn = (directory?: string): UploadPlace => ({
    look: (filter) => knowledgeBase({ filter }),
    change: () => openForWriting({ settings, directory }),
    folder: directory ?? folderOf(settings),
    maxBytes,
  });
  const folders = [...(knowledgeBases ? namedFolders(knowledgeBases) : [])];
  const bases = new Map(folders.map(([name, folder]) => [name, placeIn(folder)]));
  return { ...placeIn(), ...(bases.size > 0 && { bases }) };
}

/** Returns where a document is stored, its name there, and what precedes that in its path. */
function placeOf(path: string, shelf: Shelf): { place: UploadPlace; name: string; base: string } {
  if (shelf.bases === undefined) return { place: shelf, name: path, base: "" };
  const [base = "", ...rest] = path.split("/");
  const place = shelf.bases.get(base);
  if (place !== undefined) return { place, name: rest.join("/"), base: `${base}/` };
  throw new UserError(
    "the name does not begin with that of a knowledge base",
    "one of CRAG_KNOWLEDGE_BASES, then the file: hr/notes.md",
  );
}

/** @param peers other servers that may change the same documents */
export function documentRoutes(shelf: Shelf, peers?: Peers): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();
  const changes = new Changes(peers);
  routes.use(async (context, next) => {
    await next();
    context.header("cache-control", "no-store");
  });

  routes.get("/", async (context) => {
    const page = parsed(Listing, context.req.query(), 400);
    const { total, documents } = await listDocuments(await shelf.look(page.filter), page);
    return context.json({ total, documents: documents.map(forClients) });
  });

  routes.get("/show", async (context) => {
    const { path: name } = parsed(Named, context.req.query(), 400);
    const found = await showDocument(await shelf.look(), name, { cwd: uploadsOf(shelf.folder) });
    if (found === undefined) throw notFound("document");
    // A long one is many megabytes; others have their turn meanwhile.
    const pause = createPauses(context.req.raw.signal);
    const passages: string[] = [];
    for (const passage of found.passages) {
      passages.push(JSON.stringify(passage));
      await pause();
    }
    const document = JSON.stringify(forClients(found.document));
    return jsonText(context, `{"document":${document},"passages":[${passages.join(",")}]}`);
  });

  routes.get("/passage", async (context) => {
    const { path: name, id, line } = parsed(Named, context.req.query(), 400);
    const passages = await (await shelf.look()).passagesOf(name);
    const found =
      passages.find((passage) => passage.id === id) ??
      passages.find(({ startLine = 1, endLine = 0 }) => startLine <= line && line <= endLine);
    if (found === undefined) throw notFound("passage");
    return context.json(found);
  });

  routes.get("/file", async (context) => {
    const { path: name } = parsed(Named, context.req.query(), 400);
    const documents = await (await shelf.look()).documents();
    const document = documents.find((each) => each.path === name);
    const bytes = document && (await originalOf(document));
    if (!bytes) throw notFound("file");
    return context.body(new Uint8Array(bytes), 200, fileHeaders(name));
  });

  routes.put("/file", async (context) => {
    const name = parsed(Named, context.req.query(), 400).path.normalize("NFC");
    const body = context.req.raw.body ?? new Blob([]).stream();
    const client = context.get("identity")?.owner ?? "";
    const { place, name: below, base } = placeOf(name, shelf);
    const taken = await takeUpload({ name: below, body, client }, place, changes);
    return context.json({ ...taken, path: base + taken.path });
  });

  routes.delete("/", async (context) => {
    const { path: paths = [] } = parsed(Targets, context.req.queries(), 400);
    const targets = paths.filter((target) => target !== "");
    if (targets.length === 0) throw new UserError("no document was named: send `path`");
    const seen = await shelf.look();
    if (isDemo(seen))
      throw new UserError("the demo's documents cannot be removed", "add your documents first");
    const among = await seen.documents();
    const named = targets.map((target) =>
      // No pattern and no path on disk: a slip like `..` or `**` names nothing.
      among.filter(({ path: name }) => name === target || name.startsWith(`${target}/`)),
    );
    const removed = [...new Set(named.flat())];
    await changes.alone(async () => {
      for (const place of new Set(removed.map((each) => placeOf(each.path, shelf).place)))
        await remove(
          removed.filter((each) => placeOf(each.path, shelf).place === place),
          place,
          shelf,
        );
    });
    const unknown = targets.filter((_, index) => named[index]?.length === 0);
    return context.json({ removed: removed.map(({ path: name }) => name), unknown });
  });
  return routes;
}

/** Removes documents and the stored copies of those that were uploaded; other files stay. */
async function remove(
  documents: readonly DocumentRecord[],
  { change, folder }: UploadPlace,
  shelf: Shelf,
): Promise<void> {
  const knowledgeBase = await change();
  try {
    await knowledgeBase.remove(documents.map(({ path: name }) => placeOf(name, shelf).name));
  } finally {
    await knowledgeBase.close();
  }
  const uploads = await realpath(uploadsOf(folder)).catch(() => undefined);
  for (const { absolutePath = "" } of documents) {
    // A foreign knowledge base may name files elsewhere, with dots or links in their paths.
    const file = await realpath(absolutePath).catch(() => undefined);
    if (file !== undefined && uploads !== undefined && isBelow(file, uploads))
      await rm(file, { force: true });
  }
}

/**
 * Reads a document's file, if it still is the one that was ingested: a foreign knowledge base may
 * name any file, and the file may have become a link or a pipe.
 */
async function originalOf({ absolutePath, bytes }: DocumentRecord) {
  if (absolutePath === undefined || isSecretName(absolutePath)) return undefined;
  const found = await readPlainFile(absolutePath, { maxBytes: bytes }).catch(() => undefined);
  return found?.bytes.byteLength === bytes ? found.bytes : undefined;
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
