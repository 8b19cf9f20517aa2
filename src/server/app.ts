/** Routes beside those of the API server: the page at `/app`. `langgraph.json` points here. */
import { Hono, type Context } from "hono";
import { agent } from "../agent.js";
import { about } from "./about.js";
import { openAiRoutes } from "./openai.js";
import type { OutputValues } from "../state/schemas.js";
import { libraryFile, ownFile, pageDocument, type PageFile } from "./page-files.js";

export const app = new Hono();

/** Of our own: the server puts its checkpointer on the graph that it serves. */
const graph = agent.graph.withConfig({});

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
  openAiRoutes(async function* (input, { profile, signal }) {
    const parts = await graph.stream(input, {
      context: { ...(profile && { profile }) },
      signal,
      streamMode: ["custom", "values"],
    });
    let last: OutputValues | undefined;
    for await (const [mode, payload] of parts) {
      if (mode === "values") last = payload;
      else yield payload;
    }
    if (last === undefined) throw new Error("the graph ended without a result");
    return last;
  }),
);

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
