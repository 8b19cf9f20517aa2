/** Routes that describe the agent as LangGraph's API does: one assistant, which nobody changes. */
import { Hono } from "hono";
import { z } from "zod";
import { contextForm } from "../settings/context.js";
import type { Settings } from "../settings/table.js";
import { AgentState, InputSchema, OutputSchema } from "../state/agent-state.js";
import { packageVersion } from "../support/packages.js";
import { notFound, parsed } from "./http-problem.js";
import type { ServerEnv } from "./gate.js";
import { AssistantSearch } from "./wire.js";

const ASSISTANT = "agent";
/** Metadata of every thread: the graph, and the id that LangGraph's servers give its assistant. */
export const SERVED = { assistant_id: "fe096781-5601-53d2-b2f6-0d3403f7e9ca", graph_id: ASSISTANT };

export function isAssistant(id: string): boolean {
  return Object.values(SERVED).includes(id);
}

export function assistantRoutes(
  settings: Settings,
  graph: { getGraphAsync(): Promise<{ toJSON(): Record<string, unknown> }> },
): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();
  const startedAt = new Date().toISOString();
  const assistant = {
    ...SERVED,
    name: ASSISTANT,
    description: null,
    version: 1,
    config: {},
    context: {},
    metadata: { created_by: "system" },
    created_at: startedAt,
    updated_at: startedAt,
  };

  routes.get("/info", (context) =>
    context.json({
      version: packageVersion(),
      context: "js",
      flags: { assistants: true, crons: false, langsmith: false },
    }),
  );
  routes.post("/assistants/search", async (context) => {
    const asked = parsed(AssistantSearch, await context.req.json());
    const isAsked = (asked.graph_id ?? ASSISTANT) === ASSISTANT && asked.offset === 0;
    return context.json(isAsked && asked.limit > 0 ? [assistant] : []);
  });
  routes.all("/assistants/:assistant_id/*", (context, next) => {
    if (!isAssistant(context.req.param("assistant_id"))) throw notFound("assistant");
    return next();
  });
  routes.get("/assistants/:assistant_id", (context) => context.json(assistant));
  routes.post("/assistants/:assistant_id/versions", (context) => context.json([assistant]));
  routes.get("/assistants/:assistant_id/schemas", (context) => {
    const form = schemaOf(contextForm(settings));
    return context.json({
      graph_id: ASSISTANT,
      input_schema: schemaOf(InputSchema),
      output_schema: schemaOf(OutputSchema),
      state_schema: schemaOf(AgentState),
      config_schema: form,
      context_schema: form,
    });
  });
  routes.get("/assistants/:assistant_id/graph", async (context) =>
    context.json((await graph.getGraphAsync()).toJSON()),
  );
  routes.get("/assistants/:assistant_id/subgraphs", (context) => context.json({}));
  return routes;
}

function schemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}
