/** Routes for runs: start, stream, wait, join, cancel, list; on a thread or without one. */
import { randomUUID } from "node:crypto";
import { Hono, type Context } from "hono";
import { streamSSE, stream as streamBody } from "hono/streaming";
import { isAssistant, SERVED } from "./assistants.js";
import { notFound, parsed } from "./http-problem.js";
import type { ServerEnv } from "./gate.js";
import { apiJson } from "./run-stream.js";
import { valuesOf } from "./runs.js";
import type { RunLog } from "./run-log.js";
import type { LabelRow, StoredRun } from "./store/sql.js";
import { json, requireRoom, type ThreadParts } from "./threads.js";
import * as wire from "./wire.js";

/** Shows proxies and clients that the connection is alive. */
const HEARTBEAT_IN_MS = 5_000;

/** What a client reads of a run, which may be bound to end with its client. */
interface Reading {
  readonly run: StoredRun;
  readonly log: RunLog | undefined;
  readonly isBound: boolean;
}

export function runRoutes({ graph, conversations, runs, schemas }: ThreadParts): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();

  const start = async (context: Context<ServerEnv>) => {
    const identity = context.get("identity");
    const request = parsed(schemas.RunRequest, await context.req.json());
    if (!isAssistant(request.assistant_id)) throw notFound("assistant");
    const named = context.req.param("thread_id");
    const threadId = named ?? randomUUID();
    const isTemporary = named === undefined && request.on_completion !== "keep";
    if (named === undefined || request.if_not_exists === "create")
      await conversations.createThread(identity.owner, {
        id: parsed(wire.Id, threadId),
        metadata: { ...request.metadata, ...SERVED },
        isTemporary,
      });
    if ((await conversations.thread(identity.owner, threadId)) === undefined)
      throw notFound("thread");
    await requireRoom(conversations, threadId);
    const started = await runs.start(request, {
      identity,
      threadId,
      isTemporary,
      requestId: context.get("requestId"),
    });
    const { run_id: id } = started.run;
    const place = named === undefined ? `/runs/${id}` : `/threads/${threadId}/runs/${id}`;
    context.header("content-location", place);
    return { ...started, place, isBound: request.on_disconnect === "cancel" };
  };

  /** Stops a run that is bound to its client when that has left, unless another one reads it. */
  const bind = ({ run, log, isBound }: Reading, signal: AbortSignal): void => {
    const stop = (): void => {
      // The reader that has just left may still be counted.
      setImmediate(() => {
        // Where the database fails, the run goes on to its end.
        if (log?.readers === 0) runs.stop(run).catch(() => undefined);
      });
    };
    if (isBound) signal.addEventListener("abort", stop, { once: true });
  };

  /** Sends a run's result at its end, and line feeds until then, which JSON allows. */
  const sendResult = (context: Context<ServerEnv>, reading: Reading) => {
    const { run, log } = reading;
    bind(reading, context.req.raw.signal);
    context.header("content-type", "application/json");
    return streamBody(context, async (body) => {
      const beat = setInterval(() => void body.write("\n"), HEARTBEAT_IN_MS);
      try {
        await log?.ended();
        const thread = { configurable: { thread_id: run.thread_id } };
        await body.write(log?.result ?? apiJson(valuesOf(await graph.getState(thread))));
      } finally {
        clearInterval(beat);
      }
    });
  };

  /** Sends a run's events, those of the past first. Of a run that ended long ago there are none. */
  const sendEvents = (
    context: Context<ServerEnv>,
    reading: Reading,
    /** The last event that the client has; without modes, all that the run was started with. */
    { after, modes }: { after: number; modes: readonly wire.StreamMode[] },
  ) =>
    streamSSE(context, async (sse) => {
      const left = new AbortController();
      sse.onAbort(() => left.abort());
      bind(reading, left.signal);
      const beat = setInterval(() => void sse.write(": heartbeat\n\n"), HEARTBEAT_IN_MS);
      try {
        for await (const { id, event, data } of reading.log?.after(after, left.signal) ?? [])
          if (isAskedFor(event, modes)) await sse.writeSSE({ id: String(id), event, data });
      } finally {
        clearInterval(beat);
      }
    });

  const startAndStream = async (context: Context<ServerEnv>) => {
    const started = await start(context);
    context.header("location", `${started.place}/stream`);
    return sendEvents(context, started, { after: 0, modes: [] });
  };
  const startAndWait = async (context: Context<ServerEnv>) =>
    sendResult(context, await start(context));
  const startOnly = async (context: Context<ServerEnv>) =>
    json(context, (await start(context)).run);
  for (const prefix of ["/threads/:thread_id/runs", "/runs"]) {
    routes.post(prefix, startOnly);
    routes.post(`${prefix}/stream`, startAndStream);
    routes.post(`${prefix}/wait`, startAndWait);
  }

  const runOf = async (context: Context<ServerEnv>): Promise<StoredRun> => {
    const { owner } = context.get("identity");
    const id = parsed(wire.Id, context.req.param("run_id"));
    const run = await conversations.run(owner, id, context.req.param("thread_id"));
    if (run === undefined) throw notFound("run");
    return run;
  };

  routes.get("/threads/:thread_id/runs", async (context) => {
    const query = parsed(wire.RunList, context.req.query());
    return json(context, await conversations.runs(context.get("thread").thread_id, query));
  });
  routes.get("/threads/:thread_id/runs/:run_id", async (context) =>
    json(context, await runOf(context)),
  );
  routes.delete("/threads/:thread_id/runs/:run_id", async (context) => {
    const run = await runOf(context);
    await runs.cancel(run);
    await conversations.deleteRun(run.run_id);
    return context.body(null, 204);
  });

  routes.get("/threads/:thread_id/runs/:run_id/join", async (context) => {
    const run = await runOf(context);
    const { cancel_on_disconnect: isBound } = parsed(wire.Join, context.req.query());
    return sendResult(context, { run, log: runs.log(run), isBound });
  });

  const joinStream = async (context: Context<ServerEnv>) => {
    const run = await runOf(context);
    // Clients send several modes as repeated parameters or as JSON.
    const modes =
      context.req
        .queries("stream_mode")
        ?.join(" ")
        .match(/[\w-]+/g) ?? [];
    const join = parsed(wire.Join, { ...context.req.query(), stream_mode: modes });
    context.header("content-location", context.req.path.replace(/\/stream$/, ""));
    context.header("location", context.req.path);
    const reading = { run, log: runs.log(run), isBound: join.cancel_on_disconnect };
    return sendEvents(context, reading, {
      after: wire.LastEventId.parse(context.req.header("last-event-id") ?? 0),
      modes: join.stream_mode,
    });
  };
  routes.get("/threads/:thread_id/runs/:run_id/stream", joinStream);
  routes.get("/runs/:run_id/stream", joinStream);

  routes.post("/threads/:thread_id/runs/:run_id/cancel", async (context) => {
    const run = await runOf(context);
    const { wait, action } = parsed(wire.Cancel, context.req.query());
    await (wait ? runs.cancel(run, action) : runs.stop(run, action));
    return context.body(null, wait ? 204 : 202);
  });

  routes.get("/threads/:thread_id/runs/:run_id/feedback", async (context) => {
    const found = await conversations.feedbackOf((await runOf(context)).run_id);
    if (found === undefined) throw notFound("feedback");
    return json(context, found);
  });
  routes.put("/threads/:thread_id/runs/:run_id/feedback", async (context) => {
    const run = await runOf(context);
    const given = parsed(wire.FeedbackBody, await context.req.json());
    await conversations.setFeedback(context.get("identity").owner, run, given);
    return json(context, await conversations.feedbackOf(run.run_id));
  });
  routes.get("/feedback", async (context) => {
    const { format } = parsed(wire.Labels, context.req.query(), 400);
    const given = await conversations.labels(context.get("identity").owner);
    const sets = given.map(labeledSet);
    if (format === "all") return context.json(sets);
    // As `calibrate` reads it: one JSON object a line, each with passages.
    const labeled = sets.filter(({ passages }) => passages.length > 0);
    const lines = labeled.map((each) => `${JSON.stringify(each)}\n`);
    return context.body(lines.join(""), 200, { "content-type": "application/x-ndjson" });
  });
  return routes;
}

/** The evidence answers the question if the answer helped, or one of its passages did. */
function labeledSet({ run_id: id, created_at, score, comment, label, kwargs }: LabelRow) {
  const { question, passages } = label
    ? wire.FeedbackLabel.parse(JSON.parse(label))
    : wire.Unlabeled.parse(kwargs);
  const answerable = score === 1 || passages.some(({ relevant }) => relevant);
  return { id, question, answerable, passages, score, comment, created_at };
}

function isAskedFor(event: string, modes: readonly wire.StreamMode[]): boolean {
  if (modes.length === 0 || event === "metadata" || event === "error") return true;
  const [kind = event] = event.split(/[|/]/);
  return modes.some((mode) => mode.replace("-tuple", "") === kind);
}
