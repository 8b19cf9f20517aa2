/** Routes beside those of the API server, for `langgraph.json`: page, documents, OpenAI, MCP. */
import { Hono } from "hono";
import { agent } from "../agent.js";
import { documentRoutes, shelfOf } from "./documents.js";
import { openAiRoutes } from "./openai.js";
import { pageRoutes } from "./page.js";

export const app = new Hono();

app.route("/", pageRoutes(agent));
app.route("/", openAiRoutes(agent));
app.route("/documents", documentRoutes(shelfOf(agent)));

app.all("/mcp", async (context) => {
  const { serveMcpRequest } = await import("./mcp.js");
  return serveMcpRequest(agent, context.req.raw);
});
