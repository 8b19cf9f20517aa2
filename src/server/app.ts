/**
 * Routes beside those of the API server: the page at `/app`, documents. `langgraph.json` points
 * here.
 */
import { Hono, type Context } from "hono";
import { agent } from "../agent.js";
import { folderOf, openForWriting } from "../assembly/knowledge-base.js";
import { about } from "./about.js";
import { documentRoutes } from "./documents.js";
import { openAiRoutes } from "./openai.js";
import { libraryFile, ownFile, pageDocument, type PageFile } from "./page-files.js";

export const app = new Hono();

app.get("/app", showPage);
app.get("/app/", showPage);
app.get("/app/about", async (context) =>
  context.json(await about(agent), 200, { "cache-control": "no-store" }),
);
app.get("/app/lib/:name", async (context) =>
  send(context, await libraryFile(context.req.param("name"))),
);
app.get("/app/:name", async (context) => send(context, await ownFile(context.req.param("name"))));

app.route(
  "/",
  openAiRoutes((input, { profile, signal }) =>
    agent.stream(input, { signal, ...(profile && { context: { profile } }) }),
  ),
);

const { settings } = agent;
app.route(
  "/documents",
  documentRoutes({
    look: () => agent.knowledgeBase(),
    change: () => openForWriting({ settings }),
    folder: folderOf(settings),
    roots: settings.indexRoots,
    maxBytes: settings.maxUploadBytes,
  }),
);

app.all("/mcp", async (context) => {
  const { serveMcpRequest, sourceOf } = await import("./mcp.js");
  return serveMcpRequest(sourceOf(agent), context.req.raw);
});

async function showPage(context: Context): Promise<Response> {
  const { body, type, policy } = await pageDocument();
  return context.body(body, 200, {
    ...headersOf(type),
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
  });
}

function send(context: Context, file: PageFile | undefined): Response | Promise<Response> {
  return file === undefined
    ? context.notFound()
    : context.body(file.body, 200, headersOf(file.type));
}

function headersOf(type: string): Record<string, string> {
  return { "content-type": type, "cache-control": "no-cache", "x-content-type-options": "nosniff" };
}
