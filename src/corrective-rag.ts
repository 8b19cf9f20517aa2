/** The agent as other code uses it: a compiled graph with a few conveniences. */
import { randomUUID } from "node:crypto";
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, INTERRUPT, isInterrupted, type Interrupt } from "@langchain/langgraph";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { z } from "zod";
import { assemble, type AssembleOptions, type AssembledAgent } from "./assembly.js";
import { RECURSION_LIMIT } from "./graph/graph.js";
import type { RecordedEvent } from "./observability/events.js";
import { checkContext, type ContextValues } from "./settings/context.js";
import type { OutputValues } from "./state/agent-state.js";
import { UserError } from "./support/errors.js";

export type CorrectiveRagOptions = AssembleOptions;

/** What a run gives back. */
export interface CorrectiveRagResult extends Omit<OutputValues, "messages"> {
  /** The conversation with the answer added. */
  messages: BaseMessage[];
  /** The thread on which the conversation can go on; absent without a checkpointer. */
  threadId?: string;
  /**
   * What a person is asked, where the run waits for one: a tool of yours that called `interrupt()`,
   * or a web search with `web_search: "ask"`. Empty when the run is over.
   */
  interrupts: Interrupt[];
}

/**
 * A question, a conversation whose last message is the question, or what a person said to a run
 * that waits on a thread.
 */
export type Question =
  string | { question?: string; messages?: BaseMessageLike[] } | { resume: unknown };

/** How a question is asked: LangChain's configuration, this run's settings, and the thread. */
export interface AskOptions extends Omit<RunnableConfig, "context" | "recursionLimit"> {
  /** Settings of this run; they win over the agent's. */
  context?: ContextValues;
  /** The thread on which the conversation goes on; needs a checkpointer. */
  threadId?: string;
}

export interface CorrectiveRag extends AssembledAgent {
  /**
   * Asks and waits for the answer. A run that fails resolves too, with `outcome.status` "failed".
   * @param options.signal stops models, tools and fetches at once; the promise then rejects
   * @throws UserError for a setting that does not exist or is not allowed
   * @example
   * const { answer } = await agent.ask("When?", { context: { quality: "quick" } });
   */
  ask(question: Question, options?: AskOptions): Promise<CorrectiveRagResult>;
  /** The same under LangChain's name. */
  invoke(question: Question, options?: AskOptions): Promise<CorrectiveRagResult>;
  /**
   * Asks several questions side by side, each on a thread of its own; results in the order given.
   */
  batch(
    questions: readonly Question[],
    options?: Omit<AskOptions, "threadId" | "runId">,
  ): Promise<CorrectiveRagResult[]>;
  /**
   * Asks and tells each event as it happens; the return value of the generator is the result.
   * Leaving it early stops the run.
   * @example
   * for await (const event of agent.stream("…"))
   *   if (event.type === "answer_delta") process.stdout.write(event.text);
   */
  stream(
    question: Question,
    options?: AskOptions,
  ): AsyncGenerator<RecordedEvent, CorrectiveRagResult>;
}

/**
 * Creates a corrective RAG agent. Nothing is opened or loaded before the first question.
 *
 * @throws UserError when an option or a setting is malformed
 * @example
 * const agent = createCorrectiveRag({ model: "openai:gpt-5-mini", knowledgeBase: "notes-kb" });
 * const { answer, citations, outcome } = await agent.ask("When does it search again?");
 * @example
 * // As a Runnable, with any LangChain chat model and your own retriever:
 * const { graph } = createCorrectiveRag({ model: new ChatAnthropic({ model: "…" }), retriever });
 * await graph.invoke({ question: "…" }, { context: { profile: "holistic" } });
 */
export function createCorrectiveRag(options: CorrectiveRagOptions = {}): CorrectiveRag {
  const agent = assemble(options);
  const keepsThreads = typeof options.checkpointer === "object";

  const prepare = (question: Question, { context = {}, threadId, ...given }: AskOptions = {}) => {
    checkContext(context);
    const input = inputFrom(question);
    const asked: unknown = threadId ?? given.configurable?.["thread_id"];
    if ((asked !== undefined || input instanceof Command) && !keepsThreads)
      throw new UserError(
        "a thread was named or resumed, but the agent keeps none",
        "createCorrectiveRag({ checkpointer: new MemorySaver() })",
      );
    const named = typeof asked === "string" || typeof asked === "number" ? asked : randomUUID();
    const thread = keepsThreads ? String(named) : undefined;
    // One id in traces, events, audit log and details.
    const runId = given.runId ?? randomUUID();
    // LangGraph leaves a listener on the signal that it is given, and a caller may use one for a
    // thousand questions.
    const stop = new AbortController();
    const signals = [stop.signal, ...(given.signal ? [given.signal] : [])];
    return {
      input,
      stop,
      config: {
        // One checkpoint a run is what a conversation needs; nine is what going back in it needs.
        durability: "exit" as const,
        ...given,
        runId,
        context,
        recursionLimit: RECURSION_LIMIT,
        signal: AbortSignal.any(signals),
        configurable: {
          ...given.configurable,
          run_id: runId,
          ...(thread !== undefined && { thread_id: thread }),
        },
      },
      finished: (values: OutputValues): CorrectiveRagResult => ({
        ...values,
        interrupts: (isInterrupted(values) && values[INTERRUPT]) || [],
        ...(thread !== undefined && { threadId: thread }),
      }),
    };
  };

  /** LangGraph itself would give back an empty answer. */
  const requireWaiting = async ({ input, config }: ReturnType<typeof prepare>): Promise<void> => {
    if (!(input instanceof Command)) return;
    const { tasks } = await agent.graph.getState(config);
    if (tasks.every(({ interrupts }) => interrupts.length === 0))
      throw new UserError(
        "no run waits on this thread",
        "resume the threadId of a result that has interrupts",
      );
  };

  const ask = async (question: Question, options?: AskOptions): Promise<CorrectiveRagResult> => {
    const prepared = prepare(question, options);
    const { input, config, stop, finished } = prepared;
    try {
      await requireWaiting(prepared);
      return finished(await apartFromHost(() => agent.graph.invoke(input, config)));
    } finally {
      // LangGraph's listener would keep the joined signal, and with it the run, for ever.
      stop.abort();
    }
  };
  return {
    ...agent,
    ask,
    invoke: ask,
    batch: (questions, options) => Promise.all(questions.map((question) => ask(question, options))),
    async *stream(question, options) {
      const prepared = prepare(question, options);
      const { input, config, stop, finished } = prepared;
      let last: OutputValues | undefined;
      try {
        await requireWaiting(prepared);
        const parts = await apartFromHost(() =>
          agent.graph.stream(input, { ...config, streamMode: ["custom", "values"] }),
        );
        for await (const [mode, payload] of parts) {
          if (mode === "values") last = payload;
          else yield payload;
        }
      } catch (error) {
        // The stream reports a cancellation in words of its own; whoever cancelled knows better.
        options?.signal?.throwIfAborted();
        throw error;
      } finally {
        // A consumer that leaves does not stop the run by leaving.
        stop.abort();
      }
      if (last === undefined) throw new Error("the graph ended without a result");
      return finished(last);
    },
  };
}

const Asked = z.object({ question: z.string().nullish() });

/** @throws UserError for a caller without a compiler */
function inputFrom(question: Question) {
  if (typeof question === "string") return { question };
  if (!Asked.safeParse(question).success)
    throw new UserError(
      "the question is neither a text nor an object with a text as its question",
      'ask("…"), ask({ question: "…" }) or ask({ messages: […] })',
    );
  return "resume" in question
    ? new Command<unknown, never, never>({ resume: question.resume ?? {} })
    : question;
}

/**
 * A graph that is called inside another run takes over that run's configuration: its thread, its
 * checkpointer, and whatever it calls `model` or `profile`. None of it is meant for us; only the
 * callbacks are kept, so that traces stay one tree.
 */
function apartFromHost<T>(call: () => T): T {
  const host: unknown = AsyncLocalStorageProviderSingleton.getRunnableConfig();
  if (typeof host !== "object" || host === null) return call();
  return AsyncLocalStorageProviderSingleton.runWithConfig(
    "callbacks" in host ? { callbacks: host.callbacks } : {},
    call,
  );
}
