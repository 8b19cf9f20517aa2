/**
 * The page at `/app`: our own files from `ui/`, the libraries it uses from where they are
 * installed, and what it says of the agent before the first question.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { Hono, type Context } from "hono";
import type { AssembledAgent } from "../assembly.js";
import { DEMO_DIRECTORY } from "../assembly/demo.js";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";
import { hintOf } from "../support/errors.js";
import { PACKAGE_ROOT } from "../support/package.js";
import { providerNames } from "../web/providers/create-providers.js";

type Described = Pick<AssembledAgent, "reasonerKind" | "knowledgeBase" | "settings">;

export function pageRoutes(agent: Described): Hono {
  const routes = new Hono();
  routes.get("/app", showPage);
  routes.get("/app/", showPage);
  routes.get("/app/about", async (context) =>
    context.json(await about(agent), 200, { "cache-control": "no-store" }),
  );
  routes.get("/app/lib/:name", (context) => send(context, libraryFile(context.req.param("name"))));
  routes.get("/app/:name", (context) => send(context, ownFile(context.req.param("name"))));
  return routes;
}

/** True for the knowledge base that is made of the agent's own docs while there is no other. */
export function isDemo({ name }: Pick<KnowledgeBase, "name">): boolean {
  return name.endsWith(DEMO_DIRECTORY);
}

/**
 * Opens the knowledge base, so that the first question finds it open. Paths of this machine are not
 * told. Never rejects.
 */
async function about({ reasonerKind: reasoner, knowledgeBase, settings }: Described) {
  const told = {
    reasoner,
    /** A web search is configured; it may not be allowed. */
    web: providerNames(settings).length > 0,
    max_upload_bytes: settings.maxUploadBytes,
  };
  try {
    const opened = await knowledgeBase();
    const { documents, passages } = await opened.stats();
    return {
      ...told,
      knowledge_base: { is_demo: isDemo(opened), documents, passages },
      error: null,
    };
  } catch (error) {
    const hint = hintOf(error);
    const message = error instanceof Error ? error.message : String(error);
    return {
      ...told,
      knowledge_base: null,
      error: hint === undefined ? message : `${message} (${hint})`,
    };
  }
}

const PAGE_FOLDER = join(PACKAGE_ROOT, "ui");

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
};

/** Names of our own files: no folders, so that a request cannot leave `ui/`. */
const OWN_FILE = /^[a-z][a-z-]*\.(?:js|css|svg)$/;

/** The modules that browsers can load as they are, relative to the package's folder. */
const LIBRARIES: Record<string, { package: string; file: string }> = {
  "preact.js": { package: "preact", file: "dist/preact.mjs" },
  "preact-hooks.js": { package: "preact", file: "hooks/dist/hooks.mjs" },
  "htm.js": { package: "htm", file: "dist/htm.module.js" },
};

function ownFile(name: string): string | undefined {
  return OWN_FILE.test(name) ? join(PAGE_FOLDER, name) : undefined;
}

function libraryFile(name: string): string | undefined {
  const library = Object.hasOwn(LIBRARIES, name) ? LIBRARIES[name] : undefined;
  return library && join(folderOf(library.package), library.file);
}

async function send(context: Context, path: string | undefined): Promise<Response> {
  if (path === undefined || !existsSync(path)) return context.notFound();
  return context.body(await readFile(path, "utf8"), 200, headersOf(extname(path)));
}

/** What the page may load is named, its import map by its hash. */
async function showPage(context: Context): Promise<Response> {
  const body = await readFile(join(PAGE_FOLDER, "index.html"), "utf8");
  const importMap = /<script type="importmap">([\s\S]*?)<\/script>/.exec(body)?.[1] ?? "";
  const hash = createHash("sha256").update(importMap).digest("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return context.body(body, 200, {
    ...headersOf(".html"),
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
  });
}

function headersOf(extension: string): Record<string, string> {
  return {
    "content-type": TYPES[extension] ?? "text/plain",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  };
}

/** The folder of an installed package, wherever npm put it. */
function folderOf(name: string): string {
  let folder = dirname(createRequire(import.meta.url).resolve(name));
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder;
}
