/** The page at `/app`: its files, its libraries, and a description of the agent. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono, type MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import { secureHeaders } from "hono/secure-headers";
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
  routes.use("/app/*", compress(), pageHeaders(), async (context, next) => {
    await next();
    context.header("cache-control", "no-cache");
  });
  const page = serveStatic({ path: join(PAGE_FOLDER, "index.html") });
  routes.get("/app", page);
  routes.get("/app/", page);
  routes.get("/app/about", async (context) => context.json(await about(agent)));
  routes.get("/app/lib/:name", async (context) => {
    const library = LIBRARIES.get(context.req.param("name"));
    if (library === undefined) return context.notFound();
    const code = await readFile(fileURLToPath(import.meta.resolve(library)), "utf8");
    return context.body(code, 200, { "content-type": "text/javascript; charset=utf-8" });
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
    const message = reasonOf(error) + (hint === undefined ? "" : ` (${hint})`);
    return { ...description, knowledge_base: null, error: message };
  }
}

const PAGE_FOLDER = join(PACKAGE_ROOT, "ui");

/** Modules of packages that browsers load as they are. */
const LIBRARIES = new Map([
  ["preact.js", "preact"],
  ["preact-hooks.js", "preact/hooks"],
  ["htm.js", "htm"],
  ["markdown-it.js", "markdown-it/dist/markdown-it.min.js"],
]);

/** Names what the page may load, the import map by its hash. */
function pageHeaders(): MiddlewareHandler {
  const page = readFileSync(join(PAGE_FOLDER, "index.html"), "utf8");
  const importMap = /<script type="importmap">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? "";
  const hash = createHash("sha256").update(importMap).digest("base64");
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", `'sha256-${hash}'`],
      styleSrc: ["'self'"],
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
