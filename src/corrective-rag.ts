/**
 * The public agent: a LangChain Runnable over the compiled graph, a stream of its events, and a
 * tool of other agents.
 */
import { randomUUID } from "node:crypto";
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { tool, type ToolRunnableConfig } from "@langchain/core/tools";
import { Command, INTERRUPT, isInterrupted, type Interrupt } from "@langchain/langgraph";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { z } from "zod";
import { assemble, type AssembleOptions, type AssembledAgent } from "./assembly.js";
import type { RecordedEvent } from "./observability/events.js";
import { checkContext, type ContextValues } from "./settings/context.js";
import { allOf, readFilter } from "./settings/filter.js";
import { withoutStreaming } from "./reasoning/draft-stream.js";
import { sourcesBelow } from "./state/answer.js";
import type { OutputValues } from "./state/agent-state.js";
import { UserError } from "./support/errors.js";

export type CorrectiveRagOptions = AssembleOptions;

/** The result of a run. */
export interface CorrectiveRagResult extends Omit<OutputValues, "messages"> {
  /** The conversation, including the answer. */
  messages: BaseMessage[];
  /** The thread to continue the conversation on; absent without a checkpointer. */
  threadId?: string;
  /**
   * Questions to a person that the run waits for, from a tool of yours that called `interrupt()` or
   * a web search with `web_search: "ask"`. Empty at the end of the run.
   */
  interrupts: Interrupt[];
}

/** A question, a conversation that ends with one, or a person's reply to a waiting run. */
export type Question =
  string | { question?: string; messages?: BaseMessageLike[] } | { resume: unknown };

/** LangChain's configuration of a run, with its settings and its thread. */
export interface AskOptions extends Omit<RunnableConfig, "context"> {
  /** Settings of this run; they override the agent's. */
  context?: ContextValues;
  /** The thread of the conversation; needs a checkpointer. */
  threadId?: string | undefined;
}

export interface CorrectiveRag extends AssembledAgent {
  /**
   * Asks and waits for the answer. A failed run resolves, too, with `outcome.status` "failed".
   * @param options.signal stops models, tools and fetches; the promise then rejects
   * @throws UserError for a setting that does not exist or is not valid
   * @example
   * const { answer } = await agent.ask("When?", { context: { quality: "quick" } });
   */
  ask(question: Question, options?: AskOptions): Promise<CorrectiveRagResult>;
  /**
   * Asks and yields each event as it happens; the generator returns the result. Leaving it early
   * stops the run.
   * @example
   * for await (const event of agent.events("…"))
   *   if (event.type === "graph_outcome") console.log(event.answer);
   */
  events(
    question: Question,
    options?: AskOptions,
  ): AsyncGenerator<RecordedEvent, CorrectiveRagResult>;
}

/**
 * An agent as LangChain's parts take it: `invoke` is `ask`; `pipe`, `batch`, `withRetry` and the
 * rest of a Runnable work as always.
 */
export type RunnableCorrectiveRag = CorrectiveRag &
  Runnable<Question, CorrectiveRagResult, AskOptions>;

class AgentRunnable extends Runnable<Question, CorrectiveRagResult, AskOptions> {
  override lc_namespace = ["corrective_rag"];

  constructor(private readonly ask: CorrectiveRag["ask"]) {
    super();
  }

  override invoke(question: Question, options?: Partial<AskOptions>): Promise<CorrectiveRagResult> {
    return this.ask(question, options);
  }
}

/**
 * Creates a corrective RAG agent. Nothing is opened or loaded before the first question.
 *
 * @throws UserError if an option or a setting is malformed
 * @example
 * const agent = createCorrectiveRag({ model: "openai:gpt-5-mini", knowledgeBase: "notes-kb" });
 * const { answer, citations, outcome } = await agent.ask("How large may a file be?");
 * @example
 * // In a chain, with any LangChain chat model and your own retriever:
 * const agent = createCorrectiveRag({ model: new ChatAnthropic({ model: "…" }), retriever });
 * const chain = agent.pipe(({ answer }) => answer);
 */
export function createCorrectiveRag(options: CorrectiveRagOptions = {}): RunnableCorrectiveRag {
  const agent = assemble(options);
  const keepsThreads = typeof options.checkpointer === "object";

  const prepare = (
    question: Question,
    { context = {}, threadId, recursionLimit: _, ...given }: AskOptions = {},
  ) => {
    checkContext(context);
    const input = inputFrom(question);
    // In `configurable` it may be that of a chain or a graph around this agent.
    const asked: unknown = threadId || given.configurable?.["thread_id"];
    if ((threadId || input instanceof Command) && !keepsThreads)
      throw new UserError(
        "a thread was named or resumed, but the agent has no checkpointer",
        "createCorrectiveRag({ checkpointer: new MemorySaver() })",
      );
    const named = typeof asked === "string" || typeof asked === "number" ? asked : randomUUID();
    const thread = keepsThreads ? String(named) : undefined;
    // The same id in traces, events, audit log and details.
    const runId = given.runId ?? randomUUID();
    // LangGraph leaves a listener on its signal, so it never gets the caller's, which may serve
    // thousands of questions.
    const stop = new AbortController();
    const signals = [stop.signal, ...(given.signal ? [given.signal] : [])];
    return {
      input,
      stop,
      config: {
        ...given,
        runId,
        context,
        recursionLimit: agent.graph.config?.recursionLimit,
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

  /** Refuses to resume a run that does not wait; LangGraph would return an empty answer. */
  const requireWaiting = async ({ input, config }: ReturnType<typeof prepare>): Promise<void> => {
    if (!(input instanceof Command)) return;
    const { tasks } = await agent.graph.getState(config);
    if (tasks.every(({ interrupts }) => interrupts.length === 0))
      throw new UserError(
        "no run is waiting on this thread",
        "resume the threadId of a result that has interrupts",
      );
  };

  async function* events(
    question: Question,
    options?: AskOptions,
  ): AsyncGenerator<RecordedEvent, CorrectiveRagResult> {
    const prepared = prepare(question, options);
    const { input, config, stop, finished } = prepared;
    let last: OutputValues | undefined;
    let wait = async (): Promise<void> => undefined;
    try {
      await requireWaiting(prepared);
      const stream = await apartFromHost(() =>
        agent.graph.stream(input, { ...config, streamMode: ["custom", "values"] }),
      );
      const parts = stream[Symbol.asyncIterator]();
      wait = () => ended(parts);
      for (let part = await parts.next(); part.done !== true; part = await parts.next()) {
        const [mode, payload] = part.value;
        if (mode === "values") last = payload;
        else yield payload;
      }
    } catch (error) {
      // The caller's reason for cancelling, rather than LangGraph's error.
      options?.signal?.throwIfAborted();
      throw error;
    } finally {
      // Stops the run if the consumer has left early; otherwise LangGraph's listener keeps the
      // joined signal, and the run, alive.
      stop.abort();
      await wait();
    }
    if (last === undefined) throw new Error("the graph ended without a result");
    return finished(last);
  }

  const ask = async (question: Question, options?: AskOptions): Promise<CorrectiveRagResult> => {
    const steps = events(question, options);
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return step.value;
    }
  };
  return Object.assign(new AgentRunnable(ask), agent, { ask, events });
}

/** Waits until a run that was stopped has written its checkpoint, before the thread goes on. */
async function ended(parts: AsyncIterator<unknown>): Promise<void> {
  try {
    while ((await parts.next()).done !== true);
  } catch {
    // It was stopped.
  }
}

const Asked = z.object({ question: z.string().nullish() });

/** @throws UserError for a malformed question, from callers without a compiler */
function inputFrom(question: Question) {
  if (typeof question === "string") return { question };
  if (!Asked.safeParse(question).success)
    throw new UserError(
      "the question is neither a string nor an object with a string as its question",
      'ask("…"), ask({ question: "…" }) or ask({ messages: […] })',
    );
  return "resume" in question
    ? new Command<unknown, never, never>({ resume: question.resume ?? {} })
    : question;
}

/**
 * Calls the graph without the configuration of a surrounding run, which LangGraph would inherit:
 * its thread, checkpointer and any `model` or `profile`. Only its tracers stay: the draft does not
 * belong in the host's stream of messages.
 */
function apartFromHost<T>(call: () => T): T {
  const host: unknown = AsyncLocalStorageProviderSingleton.getRunnableConfig();
  if (!isConfig(host)) return call();
  const callbacks = withoutStreaming(host.callbacks);
  return AsyncLocalStorageProviderSingleton.runWithConfig({ callbacks }, call);
}

function isConfig(value: unknown): value is RunnableConfig {
  return typeof value === "object" && value !== null;
}

/** Tool names that model endpoints accept. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export interface CorrectiveRagToolOptions {
  name?: string;
  /** Tells the calling model what the knowledge base holds and when to ask it. */
  description?: string;
  /** Settings of every call; the host's context never reaches the run. */
  context?: ContextValues;
}

/**
 * Makes a tool for `createAgent` and other agents: it takes a question and returns the answer with
 * its sources; the artifact holds citations, outcome and details. A host's settings do not reach
 * the run.
 *
 * @throws UserError for a name that model endpoints refuse
 * @example
 * const handbook = correctiveRagTool(agent, { description: "Answers from our handbook." });
 * const host = createAgent({ model, tools: [handbook] });
 */
export function correctiveRagTool(
  agent: CorrectiveRag,
  {
    name = "ask_documents",
    description = "Answers from the user's documents, with checked citations. " +
      "Says so if they hold no answer.",
    context = {},
  }: CorrectiveRagToolOptions = {},
) {
  if (!NAME.test(name))
    throw new UserError(
      `"${name}" is not a valid name for a tool`,
      "use at most 64 letters, digits, _ and -",
    );
  return tool(
    async ({ question, filter }, config: ToolRunnableConfig) => {
      // The caller's filter only narrows what the settings let through.
      const given = [context.filter, filter].filter((each) => (each ?? "") !== "");
      const narrowed = given.length > 0 ? allOf(given.map(readFilter)) : undefined;
      const { answer, citations, sources, outcome, details, warnings } = await agent.ask(question, {
        context: { ...context, ...(narrowed && { filter: { ...narrowed } }) },
        signal: config.signal,
      });
      const artifact = { answer, citations, sources, outcome, details, warnings };
      return [answer + sourcesBelow(sources), artifact];
    },
    {
      name,
      description,
      schema: z.object({
        question: z
          .string()
          .describe("A complete question that can be understood without the conversation."),
        filter: z
          .string()
          .optional()
          .describe(
            'Only if the user restricts the documents: department = "hr" and date >= 2025-01-01. ' +
              "Keys: path, kind, date and those of the documents.",
          ),
      }),
      responseFormat: "content_and_artifact",
    },
  );
}
