/** Routes for threads and their states, as LangGraph's API has them. */
import { randomUUID } from "node:crypto";
import { Hono, type Context } from "hono";
import { z } from "zod";
import { SERVED } from "./assistants.js";
import { HttpProblem, parsed } from "./http-problem.js";
import type { ServerEnv } from "./gate.js";
import { apiJson, threadState, type ServedGraph } from "./run-stream.js";
import type { Runs } from "./runs.js";
import type { Conversations } from "./store/conversations.js";
import type { Thread } from "./store/sql.js";
import * as wire from "./wire.js";

/** What the routes for threads and for runs work with. */
export interface ThreadParts {
  readonly graph: ServedGraph;
  readonly conversations: Conversations;
  readonly runs: Runs;
  readonly schemas: ReturnType<typeof wire.createSchemas>;
}

/** Of states in one answer, as JSON; there is at least one. The client may ask for the next. */
const MAX_LISTED = 8_388_608;
/** Of a thread's messages, as JSON: some thousand questions and answers. Each state holds all. */
const MAX_THREAD = 4_194_304;

export function threadRoutes({
  graph,
  conversations,
  runs,
  schemas,
}: ThreadParts): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();
  const ownerOf = (context: Context<ServerEnv>): string => context.get("identity").owner;
  const requireIdle = async ({ thread_id: id }: Thread): Promise<void> => {
    if ((await conversations.activeRuns(id)).length > 0)
      throw new HttpProblem(409, "the thread is running; wait for its end");
  };
  const withValues = async (thread: Thread): Promise<object> => {
    const state = await graph.getState({ configurable: { thread_id: thread.thread_id } });
    const waiting = state.tasks.filter(({ interrupts }) => interrupts.length > 0);
    const interrupts = Object.fromEntries(waiting.map((task) => [task.id, task.interrupts]));
    return { ...thread, values: z.unknown().parse(state.values), interrupts };
  };
  const stateAt = async (context: Context<ServerEnv>, checkpointId?: string | null) => {
    const { thread_id } = context.get("thread");
    const state = await graph.getState({ configurable: at(thread_id, checkpointId) });
    if (checkpointId && state.createdAt === undefined)
      throw new HttpProblem(404, "there is no such checkpoint");
    return json(context, threadState(state));
  };
  routes.post("/threads", async (context) => {
    const given = parsed(wire.ThreadCreate, await context.req.json());
    const owner = ownerOf(context);
    const id = given.thread_id ?? randomUUID();
    const before = await conversations.thread(owner, id);
    if (before !== undefined && given.if_exists !== "do_nothing")
      throw new HttpProblem(409, "the thread exists");
    await conversations.createThread(owner, { id, metadata: { ...given.metadata, ...SERVED } });
    const thread = await conversations.thread(owner, id);
    // It belongs to another client, who stays unnamed.
    if (thread === undefined) throw new HttpProblem(409, "the thread exists");
    return json(context, await withValues(thread));
  });

  routes.post("/threads/search", async (context) => {
    const given = parsed(wire.ThreadSearch, await context.req.json());
    const { select, limit, offset } = given;
    const needsValues = !select || select.includes("values") || select.includes("interrupts");
    const found = await conversations.searchThreads(ownerOf(context), given);
    const chosen = (thread: object): object =>
      Object.fromEntries(Object.entries(thread).filter(([key]) => select?.includes(key) ?? true));
    const listed = await jsonOf(found, async (each) =>
      chosen(needsValues ? await withValues(each) : each),
    );
    if (listed.length === limit || listed.length < found.length)
      context.header("x-pagination-next", String(offset + listed.length));
    return jsonText(context, `[${listed.join(",")}]`);
  });

  routes.post("/threads/count", async (context) => {
    const given = parsed(wire.ThreadCount, await context.req.json());
    return context.json(await conversations.countThreads(ownerOf(context), given));
  });

  routes.get("/threads/:thread_id", async (context) =>
    json(context, await withValues(context.get("thread"))),
  );

  routes.patch("/threads/:thread_id", async (context) => {
    const { thread_id: id, metadata } = context.get("thread");
    const given = parsed(wire.ThreadUpdate, await context.req.json());
    const merged = { metadata: { ...metadata, ...given.metadata } };
    await conversations.setMetadata(id, parsed(wire.ThreadUpdate, merged).metadata ?? {});
    return json(context, (await conversations.thread(ownerOf(context), id)) ?? {});
  });

  routes.delete("/threads/:thread_id", async (context) => {
    const { thread_id: id } = context.get("thread");
    await runs.clear(id);
    await conversations.deleteThread(id);
    return context.body(null, 204);
  });

  routes.post("/threads/:thread_id/copy", async (context) => {
    const thread = context.get("thread");
    await requireIdle(thread);
    const id = randomUUID();
    await conversations.copyThread(ownerOf(context), thread, id);
    return json(context, (await conversations.thread(ownerOf(context), id)) ?? {});
  });

  routes.get("/threads/:thread_id/state", (context) => stateAt(context));
  routes.post("/threads/:thread_id/state/checkpoint", async (context) => {
    const { checkpoint } = parsed(wire.StateAt, await context.req.json());
    return stateAt(context, checkpoint?.checkpoint_id);
  });
  routes.get("/threads/:thread_id/state/:checkpoint_id", (context) =>
    stateAt(context, context.req.param("checkpoint_id")),
  );

  routes.post("/threads/:thread_id/state", async (context) => {
    const thread = context.get("thread");
    await requireIdle(thread);
    await requireRoom(conversations, thread.thread_id);
    const given = parsed(schemas.ThreadState, await context.req.json());
    const from = given.checkpoint_id ?? given.checkpoint?.checkpoint_id;
    const config = await graph.updateState(
      { configurable: at(thread.thread_id, from) },
      given.values ?? {},
      given.as_node ?? undefined,
    );
    return context.json({ checkpoint: config.configurable, configurable: config.configurable });
  });

  routes.post("/threads/:thread_id/history", async (context) => {
    const { limit, before, metadata, checkpoint } = parsed(wire.History, await context.req.json());
    const { thread_id: id } = context.get("thread");
    const states = graph.getStateHistory(
      { configurable: { ...at(id, checkpoint?.checkpoint_id), checkpoint_ns: "" } },
      {
        limit,
        ...(before && { before: { configurable: at(id, before) } }),
        ...(metadata && { filter: metadata }),
      },
    );
    return jsonText(context, `[${(await jsonOf(states, threadState)).join(",")}]`);
  });
  return routes;
}

const at = (thread_id: string, id?: string | null) => ({
  thread_id,
  ...(id && { checkpoint_id: id }),
});

/** Sends JSON with messages in the API's form. */
export function json(context: Context, value: unknown): Response {
  return jsonText(context, apiJson(value));
}

export function jsonText(context: Context, text: string): Response {
  return context.body(text, 200, { "content-type": "application/json" });
}

/** Writes items as JSON, as many of them as one answer may hold. */
async function jsonOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  describe: (item: Item) => object | Promise<object>,
): Promise<string[]> {
  const texts: string[] = [];
  let size = 0;
  for await (const item of items) {
    const text = apiJson(await describe(item));
    texts.push(text);
    size += text.length;
    if (size > MAX_LISTED) break;
  }
  return texts;
}

/** @throws HttpProblem for a thread that is as long as its states may be */
export async function requireRoom(conversations: Conversations, thread: string): Promise<void> {
  if ((await conversations.sizeOf(thread)) > MAX_THREAD)
    throw new HttpProblem(413, "the thread is full", { hint: "begin a new one" });
}
