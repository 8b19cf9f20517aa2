/** Runs in the background: each goes on without its client, and any client may join it. */
import { randomUUID } from "node:crypto";
import { INTERRUPT, type StateSnapshot } from "@langchain/langgraph";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { reasonOf } from "../support/errors.js";
import { abortable } from "../support/waiting.js";
import { SERVED } from "./assistants.js";
import { HttpProblem, problemOf } from "./http-problem.js";
import type { Metrics } from "./metrics.js";
import { Relay, RunLog, type StopAction } from "./run-log.js";
import {
  apiJson,
  configOf,
  inputOf,
  runStream,
  type RunOrigin,
  type ServedGraph,
} from "./run-stream.js";
import type { Conversations } from "./store/conversations.js";
import type { RunStatus, Sql, StoredRun } from "./store/sql.js";
import type { Ticket, RunQueue } from "./run-queue.js";
import type { RunRequest } from "./wire.js";

/** How long a client may still read the events of a run that has ended, and of how many. */
const KEPT_IN_MS = 300_000;
const MAX_ENDED = 200;
const MAX_ENDED_BYTES = 134_217_728;
/** How often runs of servers that are gone are looked for. */
const SWEEP_IN_MS = 5_000;

interface ActiveRun {
  readonly log: RunLog;
  readonly stop: AbortController;
  readonly request: RunRequest;
  readonly origin: RunOrigin;
  readonly ticket: Ticket;
}

interface RunParts {
  readonly graph: ServedGraph;
  readonly sql: Sql;
  readonly conversations: Conversations;
  readonly queue: RunQueue;
  readonly metrics: Metrics;
  /** Receives failures that are not the client's fault. */
  readonly report: (problem: string) => void;
}

export class Runs {
  private readonly active = new Map<string, ActiveRun>();
  private readonly ended = new LRUCache<string, RunLog>({
    max: MAX_ENDED,
    ttl: KEPT_IN_MS,
    ttlAutopurge: true,
    maxSize: MAX_ENDED_BYTES,
    sizeCalculation: ({ bytes }) => bytes + 1,
  });
  private readonly relay: Relay | undefined;
  private readonly sweeping: NodeJS.Timeout;
  private suspects: ReadonlySet<string> = new Set();
  isStopping = false;

  constructor(private readonly parts: RunParts) {
    const { sql, conversations } = parts;
    const { peers } = sql;
    if (peers !== undefined) this.relay = new Relay({ sql, peers, conversations, runs: this });
    this.sweeping = setInterval(
      () => void this.sweep().catch(() => undefined),
      SWEEP_IN_MS,
    ).unref();
  }

  /** Interrupts, at the start of this server, what servers left behind that are gone. */
  async recover(): Promise<void> {
    const { conversations } = this.parts;
    await conversations.recover(await conversations.abandoned((id) => this.active.has(id)));
  }

  /**
   * Stores a run, and starts it as soon as its thread and a place are free.
   * @throws HttpProblem if the thread is busy and the run may not wait
   */
  async start(request: RunRequest, origin: RunOrigin): Promise<{ run: StoredRun; log: RunLog }> {
    const { conversations, queue } = this.parts;
    if (this.isStopping) throw new HttpProblem(503, "the server is stopping", { retryAfter: 5 });
    const strategy = request.multitask_strategy ?? "enqueue";
    const { metadata = {}, ...kwargs } = request;
    const id = randomUUID();
    const { owner } = origin.identity;
    const ticket = queue.admit(owner);
    const log = new RunLog();
    const active: ActiveRun = { log, stop: new AbortController(), request, origin, ticket };
    // Before it is stored, so that it can be stopped as soon as it is found in the database.
    this.active.set(id, active);
    try {
      const { run, earlier } = await conversations.createRun(owner, {
        run_id: id,
        thread_id: origin.threadId,
        metadata: { ...metadata, ...SERVED, request_id: origin.requestId },
        kwargs,
        multitask_strategy: strategy,
      });
      if (earlier.length > 0 && strategy === "reject") {
        await conversations.endRun(run, { status: "undone", threadStatus: "busy" });
        throw new HttpProblem(422, "the thread is running; choose another multitask_strategy");
      }
      if (strategy === "interrupt" || strategy === "rollback")
        for (const each of earlier) await this.stop(each, strategy);
      void this.carryOut(run, active, earlier);
      return { run, log };
    } catch (error) {
      ticket.done();
      this.active.delete(id);
      log.end();
      throw error;
    }
  }

  /** Returns the events of a run, if it is under way or has ended a short while ago. */
  log(run: StoredRun): RunLog | undefined {
    const isOld = !isActive(run) && Date.parse(run.updated_at) < Date.now() - KEPT_IN_MS;
    return this.localLog(run.run_id) ?? (isOld ? undefined : this.relay?.log(run));
  }

  /** Tells a run to stop, on whichever server. A run that has ended stays as it is. */
  async stop(run: StoredRun, action: StopAction = "interrupt"): Promise<void> {
    if (this.active.has(run.run_id)) this.stopHere(run.run_id, action);
    else if (isActive(run)) await this.relay?.cancel(run.run_id, action);
  }

  /** Stops a run of this server's. */
  stopHere(runId: string, action: StopAction): void {
    this.active.get(runId)?.stop.abort(action);
  }

  /** Stops a run, and waits for its end. */
  async cancel(run: StoredRun, action?: StopAction): Promise<void> {
    await this.stop(run, action);
    if (isActive(run)) await this.log(run)?.ended();
  }

  /** Stops all runs of a thread. */
  async clear(threadId: string): Promise<void> {
    const active = await this.parts.conversations.activeRuns(threadId);
    await Promise.all(active.map((run) => this.cancel(run)));
  }

  /** Takes no more runs, and interrupts those that have not ended after a while. */
  async close(patienceInMs: number): Promise<void> {
    this.isStopping = true;
    const all = Promise.all([...this.active.values()].map(({ log }) => log.ended()));
    const timer = setTimeout(() => {
      for (const { stop } of this.active.values()) stop.abort("interrupt");
    }, patienceInMs);
    await all;
    clearTimeout(timer);
    clearInterval(this.sweeping);
  }

  /** Returns the events of a run of this server's. */
  localLog(runId: string): RunLog | undefined {
    return this.active.get(runId)?.log ?? this.ended.get(runId);
  }

  /** A run is only given up when it was found abandoned twice: its server may be reconnecting. */
  private async sweep(): Promise<void> {
    const { conversations } = this.parts;
    const found = await conversations.abandoned((id) => this.active.has(id));
    await conversations.recover(found.filter(({ run_id: id }) => this.suspects.has(id)));
    this.suspects = new Set(found.map(({ run_id: id }) => id));
    await this.relay?.tidy(new Date(Date.now() - 2 * KEPT_IN_MS));
  }

  private async carryOut(
    run: StoredRun,
    { log, stop: { signal }, request, origin, ticket }: ActiveRun,
    earlier: readonly StoredRun[],
  ): Promise<void> {
    const { conversations, graph, metrics, report } = this.parts;
    const startedAt = performance.now();
    let status: RunStatus = "success";
    let failure: object | undefined;
    let before: string | undefined;
    log.push("metadata", apiJson({ run_id: run.run_id, attempt: 1 }));
    try {
      for (const each of earlier)
        await abortable(this.log(each)?.ended() ?? Promise.resolve(), signal);
      await ticket.start(signal);
      await conversations.setRunning(run.run_id);
      const newest = await graph.getState({ configurable: { thread_id: run.thread_id } });
      before = Place.parse(newest.config.configurable).checkpoint_id;
      const config = configOf(request, { origin, runId: run.run_id, signal });
      for await (const { event, data } of runStream(graph, inputOf(request), config))
        log.push(event, apiJson(data));
      signal.throwIfAborted();
    } catch (error) {
      status = signal.aborted ? "interrupted" : "error";
      if (status === "error") {
        failure = failureOf(error);
        report(`${origin.requestId} run ${run.run_id} failed: ${reasonOf(error)}`);
      }
    }
    try {
      const isUndone = status === "interrupted" && signal.reason === "rollback";
      if (isUndone) await conversations.rollBack(run.thread_id, before);
      const values = await this.settle(run, origin, isUndone ? "undone" : status);
      log.result = apiJson(failure === undefined ? values : { __error__: failure });
    } catch (error) {
      failure ??= failureOf(error);
      log.result = apiJson({ __error__: failure });
      report(`the end of run ${run.run_id} could not be stored: ${reasonOf(error)}`);
    }
    if (failure !== undefined) log.push("error", apiJson(failure));
    metrics.count("crag_runs_total", { status });
    metrics.observe("crag_run_seconds", (performance.now() - startedAt) / 1000);
    ticket.done();
    this.active.delete(run.run_id);
    this.ended.set(run.run_id, log);
    log.end();
  }

  /** Stores how a run ended, and returns the values of its state. */
  private async settle(
    run: StoredRun,
    { isTemporary }: RunOrigin,
    status: RunStatus | "undone",
  ): Promise<object> {
    const { conversations, graph, metrics } = this.parts;
    const state = await graph.getState({ configurable: { thread_id: run.thread_id } });
    const { outcome, usage } = Counted.parse(state.values);
    if (outcome !== undefined) metrics.count("crag_outcomes_total", { outcome: outcome.status });
    for (const [kind, tokens] of Object.entries(usage ?? {}))
      metrics.count("crag_tokens_total", { kind }, tokens);
    if (isTemporary) await conversations.deleteThread(run.thread_id);
    else {
      const waits = state.next.length > 0 ? "interrupted" : "idle";
      const threadStatus = status === "error" ? "error" : waits;
      await conversations.endRun(run, { status, threadStatus });
    }
    return valuesOf(state);
  }
}

const Place = z.object({ checkpoint_id: z.string().optional() });
const Counted = z
  .object({
    outcome: z.object({ status: z.string() }).optional(),
    usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }).optional(),
  })
  .catch({});

function isActive({ status }: StoredRun): boolean {
  return status === "pending" || status === "running";
}

/** Returns the values of a state, with the requests that its run waits for. */
export function valuesOf({ values, tasks }: StateSnapshot): object {
  const waiting = tasks.flatMap(({ interrupts }) => interrupts);
  return {
    ...z.looseObject({}).parse(values),
    ...(waiting.length > 0 && { [INTERRUPT]: waiting }),
  };
}

function failureOf(error: unknown): { error: string; message: string } {
  return {
    error: error instanceof Error ? error.name : "Error",
    message: problemOf(error).message,
  };
}
