/** The page at `/app`: its files, its libraries, and a description of the agent. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono, type MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import { secureHeaders } from "hono/secure-headers";
import type { AssembledAgent } from "../assembly.js";
import { providerNames } from "../assembly/adapters.js";
import { DEMO_DIRECTORY } from "../assembly/demo.js";
import { namedFolders } from "../assembly/knowledge-base.js";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";
import { DOCUMENT_FORMATS, READABLE_FORMATS } from "../formats/document-formats.js";
import { WEB_PROVIDER_ADVICE } from "../settings/table/web.js";
import { hintOf, reasonOf } from "../support/errors.js";
import { PACKAGE_ROOT } from "../support/packages.js";

type Described = Pick<AssembledAgent, "reasonerKind" | "knowledgeBase" | "settings">;

export function pageRoutes(agent: Described): Hono {
  const routes = new Hono();
  const page = composePage();
  routes.use("/app/*", compress(), etag(), headersOf(page), async (context, next) => {
    await next();
    context.header("cache-control", "no-cache");
  });
  routes.get("/", (context) => context.redirect("/app"));
  routes.get("/app", (context) => context.html(page.html));
  routes.get("/app/", (context) => context.html(page.html));
  routes.get("/app/about", async (context) => context.json(await about(agent)));
  routes.get("/app/formats.js", (context) =>
    context.body(`export const FORMATS = ${JSON.stringify(DOCUMENT_FORMATS)};`, 200, SCRIPT),
  );
  routes.get("/app/lib/:name", async (context) => {
    const library = LIBRARIES.find(({ path }) => path === context.req.path);
    if (library === undefined) return context.notFound();
    const code = await readFile(fileURLToPath(import.meta.resolve(library.file)), "utf8");
    return context.body(code, 200, SCRIPT);
  });
  const inFolder = (place: string): string => basename(place);
  routes.get("/app/:name", serveStatic({ root: PAGE_FOLDER, rewriteRequestPath: inFolder }));
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
  const description = {
    reasoner,
    /** A web search is configured, though perhaps not allowed. */
    web: providerNames(settings).length > 0,
    web_advice: WEB_PROVIDER_ADVICE,
    max_upload_bytes: settings.maxUploadBytes,
    formats: READABLE_FORMATS,
    /** Names of several, of which an upload chooses one. */
    knowledge_bases: [...namedFolders(settings.knowledgeBases ?? []).keys()],
  };
  try {
    const opened = await knowledgeBase();
    const { documents, passages } = await opened.stats();
    return {
      ...description,
      knowledge_base: { is_demo: isDemo(opened), documents, passages },
      error: null,
    };
  } catch (error) {
    const hint = hintOf(error);
    const reason = reasonOf(error);
    return { ...description, knowledge_base: null, error: hint ? `${reason} (${hint})` : reason };
  }
}

const PAGE_FOLDER = join(PACKAGE_ROOT, "ui");

/** In the order in which they override each other. */
const STYLES = ["style.css", "answer.css", "panels.css"];

const SCRIPT = { "content-type": "text/javascript; charset=utf-8" };

const MARKDOWN_IT = "markdown-it/dist/markdown-it.min.js";
/** Modules of packages that browsers load as they are. */
const LIBRARIES = [
  { name: "preact", path: "/app/lib/preact.js", file: "preact" },
  { name: "preact/hooks", path: "/app/lib/preact-hooks.js", file: "preact/hooks" },
  { name: "htm", path: "/app/lib/htm.js", file: "htm" },
  { name: "markdown-it", path: "/app/lib/markdown-it.js", file: MARKDOWN_IT },
];

/** Puts styles and the list of all scripts into the page, which then loads side by side. */
function composePage() {
  const read = (name: string): string => readFileSync(join(PAGE_FOLDER, name), "utf8");
  const styles = STYLES.map(read).join("\n");
  const imports = Object.fromEntries(LIBRARIES.map(({ name, path }) => [name, path]));
  const importMap = JSON.stringify({ imports });
  const scripts = readdirSync(PAGE_FOLDER).filter((name) => name.endsWith(".js"));
  const preloaded = [
    ...LIBRARIES.map(({ path }) => path),
    ...[...scripts, "formats.js"].map((name) => `/app/${name}`),
  ];
  const head = [
    `<style>${styles}</style>`,
    `<script type="importmap">${importMap}</script>`,
    ...preloaded.map((path) => `<link rel="modulepreload" href="${path}" />`),
    `<script type="module" src="/app/main.js"></script>`,
  ].join("\n");
  const html = read("index.html").replace("<!-- styles and scripts -->", () => head);
  return { html, styles, importMap };
}

/** Names what the page may load, and by their hashes what it contains. */
function headersOf({ styles, importMap }: ReturnType<typeof composePage>): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", hashOf(importMap)],
      styleSrc: ["'self'", hashOf(styles)],
      connectSrc: ["'self'"],
      imgSrc: ["'self'", "data:"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
    // The proxy with TLS decides this for its domain.
    strictTransportSecurity: false,
  });
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
