/** The page at `/app`: its own files, its libraries, and what it tells about the agent. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Hono, type Context } from "hono";
import { compress } from "hono/compress";
import type { AssembledAgent } from "../assembly.js";
import { DEMO_DIRECTORY } from "../assembly/demo.js";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";
import { READABLE_FORMATS } from "../state/document-formats.js";
import { WEB_PROVIDER_ADVICE } from "../settings/table/web.js";
import { hintOf, reasonOf } from "../support/errors.js";
import { PACKAGE_ROOT } from "../support/package.js";
import { providerNames } from "../web/providers/create-providers.js";

type Described = Pick<AssembledAgent, "reasonerKind" | "knowledgeBase" | "settings">;

export function pageRoutes(agent: Described): Hono {
  const routes = new Hono();
  routes.use("/app/*", compress());
  routes.get("/app", showPage);
  routes.get("/app/", showPage);
  routes.get("/app/about", async (context) =>
    context.json(await about(agent), 200, { "cache-control": "no-store" }),
  );
  routes.get("/app/lib/:name", (context) => send(context, libraryFile(context.req.param("name"))));
  routes.get("/app/:name", (context) => send(context, ownFile(context.req.param("name"))));
  return routes;
}

/** True for the demo, which is made of the agent's docs while there is no other knowledge base. */
export function isDemo({ name }: Pick<KnowledgeBase, "name">): boolean {
  return name.endsWith(DEMO_DIRECTORY);
}

/**
 * Describes the agent, without paths of this machine, and opens its knowledge base ahead of the
 * first question. Never rejects.
 */
async function about({ reasonerKind: reasoner, knowledgeBase, settings }: Described) {
  const told = {
    reasoner,
    /** A web search is configured, though perhaps not allowed. */
    web: providerNames(settings).length > 0,
    web_advice: WEB_PROVIDER_ADVICE,
    max_upload_bytes: settings.maxUploadBytes,
    formats: READABLE_FORMATS,
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
    const message = reasonOf(error) + (hint === undefined ? "" : ` (${hint})`);
    return { ...told, knowledge_base: null, error: message };
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

/** A file name without folders, so that no request leaves `ui/`. */
const OWN_FILE = /^[a-z][a-z-]*\.(?:js|css|svg)$/;

/** Modules of packages that browsers load as they are. */
const LIBRARIES = new Map([
  ["preact.js", "preact"],
  ["preact-hooks.js", "preact/hooks"],
  ["htm.js", "htm"],
  ["markdown-it.js", "markdown-it/dist/markdown-it.min.js"],
]);

function ownFile(name: string): string | undefined {
  return OWN_FILE.test(name) ? join(PAGE_FOLDER, name) : undefined;
}

function libraryFile(name: string): string | undefined {
  const library = LIBRARIES.get(name);
  return library && fileURLToPath(import.meta.resolve(library));
}

async function send(context: Context, path: string | undefined): Promise<Response> {
  if (path === undefined || !existsSync(path)) return context.notFound();
  return context.body(await readFile(path, "utf8"), 200, headersOf(extname(path)));
}

/** Sends the page with a policy that names what it may load, the import map by its hash. */
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
