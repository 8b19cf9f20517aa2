/**
 * The gate of LangGraph's development server, which `langgraph.json` names under `auth`: it keeps
 * the pages out that the developer visits. Others than this machine reach `serve`, not this one.
 */
import "dotenv/config";
import { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";
import { getPath } from "hono/utils/url";
import { readEnvironment } from "../settings/environment.js";
import { judgeRequest } from "./access.js";

const STUDIO = ["https://smith.langchain.com", "https://eu.smith.langchain.com"];
const { settings } = readEnvironment(process.env);
const policy = {
  origins: [...STUDIO, ...(settings.allowedOrigins ?? [])],
  hosts: settings.allowedHosts ?? [],
};

export const auth = new Auth().authenticate(async (request) => {
  const path = getPath(request);
  const header = (name: string) => request.headers.get(name) ?? undefined;
  // LangGraph's own tests empty the whole store at this address.
  const refusal = path.startsWith("/internal/")
    ? "this route serves no clients"
    : judgeRequest({ method: request.method, path, header }, policy);
  if (refusal !== undefined) throw new HTTPException(403, { message: refusal });
  return { identity: "local", permissions: [] };
});
