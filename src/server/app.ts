/**
 * What `langgraph.json` adds to LangGraph's development server: page, documents, OpenAI, MCP, and a
 * gate that keeps the pages out that the developer visits. Others than this machine reach `serve`.
 */
import { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";
import { Hono } from "hono";
import { getPath } from "hono/utils/url";
import { agent } from "../agent.js";
import { judgeRequest, type ServerEnv } from "./gate.js";
import { sendProblem } from "./http-problem.js";
import { agentRoutes } from "./server.js";

const STUDIO = ["https://smith.langchain.com", "https://eu.smith.langchain.com"];
const policy = {
  ...agent.settings,
  allowedOrigins: [...STUDIO, ...(agent.settings.allowedOrigins ?? [])],
};

export const app = new Hono<ServerEnv>();

app.onError(sendProblem);
app.route("/", agentRoutes(agent));

export const auth = new Auth().authenticate(async (request) => {
  // LangGraph's tests empty the whole store at this address.
  const refusal = getPath(request).startsWith("/internal/")
    ? "this route serves no clients"
    : judgeRequest(request, policy);
  if (refusal !== undefined) throw new HTTPException(403, { message: refusal });
  return { identity: "local", permissions: [] };
});
