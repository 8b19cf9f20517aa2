/** Runs in the background: each goes on without its client, and any client may join it. */
import { randomUUID } from "node:crypto";
import { Command, emptyCheckpoint, INTERRUPT, type StateSnapshot } from "@langchain/langgraph";
import { z } from "zod";
import { reasonOf } from "../support/errors.js";
import { abortable } from "../support/waiting.js";
import { HttpProblem } from "./http-problem.js";
import type { Identity } from "./identity.js";
import type { Metrics } from "./metrics.js";
import { RunLog } from "./run-log.js";
import { apiJson, runStream, type ServedGraph } from "./run-stream.js";
import type { SqlCheckpointer } from "./store/checkpointer.js";
import type { Conversations, RunStatus, StoredRun } from "./store/conversations.js";
import type { Ticket, Turns } from "./turns.js";
import type { RunRequest } from "./wire.js";

/** How long a client may still read the events of a run that has ended, and of how many runs. */
const KEPT_IN_MS = 300_000;
const MAX_ENDED = 200;

interface ActiveRun {
  readonly run: StoredRun;
  readonly log: RunLog;
  readonly stop: AbortController;
}

interface RunParts {
  readonly graph: ServedGraph;
  readonly checkpointer: SqlCheckpointer;
  readonly conversations: Conversations;
  readonly turns: Turns;
  readonly metrics: Metrics;
  /** Told of failures that are not the client's. */
  readonly report: (problem: string) => void;
}

/** Whose run it is, and on which thread. */
interface Place {
  readonly identity: Identity;
  readonly threadId: string;
  /** The thread lives no longer than its run. */
  readonly isTemporary: boolean;
}

type Action = "interrupt" | "rollback";

export class Runs {
  private readonly active = new Map<string, ActiveRun>();
  private readonly ended = new Map<string, RunLog>();
  private isStopping = false;

  constructor(private readonly parts: RunParts) {}

  /**
   * Stores a run, and starts it as soon as its thread and a place are free.
   * @throws HttpProblem if the thread is busy and the run may not wait
   */
  async start(request: RunRequest, place: Place): Promise<ActiveRun> {
    const { conversations, turns } = this.parts;
    if (this.isStopping) throw new HttpProblem(503, "the server is stopping", { retryAfter: 5 });
    const earlier = this.onThread(place.threadId);
    const strategy = request.multitask_strategy ?? "enqueue";
    if (earlier.length > 0 && strategy === "reject")
      throw new HttpProblem(422, "the thread is running; choose another multitask_strategy");
    const { metadata = {}, ...kwargs } = request;
    const at = new Date().toISOString();
    const run: StoredRun = {
      run_id: randomUUID(),
      thread_id: place.threadId,
      created_at: at,
      updated_at: at,
      status: "pending",
      metadata: { ...metadata, graph_id: "agent" },
      kwargs,
      multitask_strategy: strategy,
    };
    const ticket = turns.admit(place.identity.owner);
    const entry: ActiveRun = { run, log: new RunLog(), stop: new AbortController() };
    // Before anything is awaited, so that the thread's next run sees this one.
    this.active.set(run.run_id, entry);
    try {
      await conversations.createRun(place.identity.owner, run);
    } catch (error) {
      ticket.done();
      this.active.delete(run.run_id);
      entry.log.end();
      throw error;
    }
    if (strategy === "interrupt" || strategy === "rollback")
      for (const { stop } of earlier) stop.abort(strategy);
    void this.carryOut(entry, { request, place, earlier, ticket });
    return entry;
  }

  /** Returns the events of a run, if it is under way or has ended a short while ago. */
  log(runId: string): RunLog | undefined {
    return this.active.get(runId)?.log ?? this.ended.get(runId);
  }

  /** Stops a run, and waits for its end. A run that has ended stays as it is. */
  async cancel(runId: string, action: Action = "interrupt"): Promise<void> {
    const entry = this.active.get(runId);
    entry?.stop.abort(action);
    await entry?.log.ended();
  }

  isBusy(threadId: string): boolean {
    return this.onThread(threadId).length > 0;
  }

  /** Stops all runs of a thread. */
  async clear(threadId: string): Promise<void> {
    await Promise.all(this.onThread(threadId).map(({ run }) => this.cancel(run.run_id)));
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
  }

  private onThread(threadId: string): ActiveRun[] {
    return [...this.active.values()].filter(({ run }) => run.thread_id === threadId);
  }

  private async carryOut(
    entry: ActiveRun,
    given: { request: RunRequest; place: Place; earlier: readonly ActiveRun[]; ticket: Ticket },
  ): Promise<void> {
    const { request, place, earlier, ticket } = given;
    const { conversations, graph, metrics, report } = this.parts;
    const { run, log, stop } = entry;
    const { signal } = stop;
    const startedAt = performance.now();
    let status: RunStatus = "success";
    let failure: object | undefined;
    let before: string | undefined;
    log.push("metadata", apiJson({ run_id: run.run_id, attempt: 1 }));
    try {
      for (const each of earlier) await abortable(each.log.ended(), signal);
      await ticket.start(signal);
      await conversations.setRunStatus(run.run_id, "running");
      before = await this.firstCheckpoint(place.threadId);
      const config = configOf(request, { place, runId: run.run_id, signal });
      for await (const { event, data } of runStream(graph, inputOf(request), config))
        log.push(event, apiJson(data));
      signal.throwIfAborted();
    } catch (error) {
      status = signal.aborted ? "interrupted" : "error";
      if (status === "error") {
        failure = failureOf(error);
        report(`run ${run.run_id} failed: ${reasonOf(error)}`);
      }
    }
    try {
      log.result = apiJson(await this.settle(entry, { status, failure, place, before }));
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
    this.keep(run.run_id, log);
    log.end();
  }

  /**
   * Returns the checkpoint that the run begins with. A new thread gets an empty one, so that its
   * first question, too, can be edited and asked again.
   */
  private async firstCheckpoint(threadId: string): Promise<string | undefined> {
    const { checkpointer } = this.parts;
    const config = { configurable: { thread_id: threadId } };
    const found =
      (await checkpointer.getTuple(config))?.config ??
      (await checkpointer.put(config, emptyCheckpoint(), {
        source: "input",
        step: -2,
        parents: {},
      }));
    return z.string().optional().parse(found.configurable?.["checkpoint_id"]);
  }

  /** Stores how a run ended, and returns what a client that waits for it gets. */
  private async settle(
    { run, stop }: ActiveRun,
    end: { status: RunStatus; failure?: object; place: Place; before?: string },
  ): Promise<object> {
    const { conversations, graph } = this.parts;
    const { status, failure, place, before } = end;
    const isUndone = status === "interrupted" && stop.signal.reason === "rollback";
    if (isUndone) await conversations.rollBack(run.thread_id, before);
    const state = await graph.getState({ configurable: { thread_id: run.thread_id } });
    this.countOutcome(state);
    if (place.isTemporary) await conversations.deleteThread(run.thread_id);
    else {
      await (isUndone
        ? conversations.deleteRun(run.run_id)
        : conversations.setRunStatus(run.run_id, status));
      const others = this.onThread(run.thread_id).length > 1;
      const waits = state.next.length > 0 ? "interrupted" : "idle";
      const threadStatus = others ? "busy" : status === "error" ? "error" : waits;
      await conversations.updateThread(run.thread_id, { status: threadStatus });
    }
    return failure === undefined ? valuesOf(state) : { __error__: failure };
  }

  private countOutcome({ values }: StateSnapshot): void {
    const { metrics } = this.parts;
    const { outcome, usage } = Counted.parse(values);
    if (outcome !== undefined) metrics.count("crag_outcomes_total", { outcome: outcome.status });
    for (const [kind, tokens] of Object.entries(usage ?? {}))
      metrics.count("crag_tokens_total", { kind }, tokens);
  }

  private keep(runId: string, log: RunLog): void {
    this.ended.set(runId, log);
    for (const oldest of this.ended.keys())
      if (this.ended.size > MAX_ENDED) this.ended.delete(oldest);
    setTimeout(() => this.ended.delete(runId), KEPT_IN_MS).unref();
  }
}

const Counted = z
  .object({
    outcome: z.object({ status: z.string() }).optional(),
    usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }).optional(),
  })
  .catch({});

/** Returns the values of a state, with the requests that its run waits for. */
export function valuesOf({ values, tasks }: StateSnapshot): object {
  const waiting = tasks.flatMap(({ interrupts }) => interrupts);
  return {
    ...z.looseObject({}).parse(values),
    ...(waiting.length > 0 && { [INTERRUPT]: waiting }),
  };
}

function inputOf({ command, input }: RunRequest): unknown {
  if (!command) return input ?? null;
  const { resume, update } = command;
  return new Command({ resume: resume ?? undefined, update: update ?? undefined });
}

/** Undefined values are left out, because LangGraph would take them for its defaults. */
function configOf(
  request: RunRequest,
  { place, runId, signal }: { place: Place; runId: string; signal: AbortSignal },
) {
  const { config, context, checkpoint, checkpoint_id: checkpointId } = request;
  const from = checkpointId ?? checkpoint?.checkpoint_id ?? config?.configurable?.checkpoint_id;
  const limit = config?.recursion_limit;
  const { interrupt_before: interruptBefore, interrupt_after: interruptAfter } = request;
  const modes = [request.stream_mode ?? "values"].flat();
  return {
    modes,
    subgraphs: request.stream_subgraphs ?? false,
    runId,
    signal,
    durability: request.durability ?? "exit",
    context: {
      ...config?.configurable?.settings,
      ...context,
      principal: place.identity.principal,
    },
    configurable: {
      run_id: runId,
      thread_id: place.threadId,
      ...(from && { checkpoint_id: from, checkpoint_ns: "" }),
    },
    tags: config?.tags ?? [],
    ...(limit && { recursionLimit: limit }),
    ...(interruptBefore && { interruptBefore }),
    ...(interruptAfter && { interruptAfter }),
  };
}

function failureOf(error: unknown): { error: string; message: string } {
  return { error: error instanceof Error ? error.name : "Error", message: reasonOf(error) };
}
