/** The agent as other code uses it: a compiled graph with a few conveniences. */
import type { BaseMessageLike } from "@langchain/core/messages";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { assemble, type AssembleOptions, type AssembledAgent } from "./assembly.js";
import { checkedContext, type ContextValues } from "./settings/context.js";
import { RECURSION_LIMIT } from "./graph/graph.js";
import type { RecordedEvent } from "./observability/events.js";
import type { OutputValues } from "./state/schemas.js";

export type CorrectiveRagOptions = AssembleOptions;

/** What a run gives back: the graph's output. */
export type CorrectiveRagResult = OutputValues;

/** A question, or a conversation whose last message is the question. */
export type Question = string | { question?: string; messages?: BaseMessageLike[] };

/** Settings of one run, which win over the environment's, and how it is called. */
export interface AskOptions extends ContextValues {
  /** Stops models, tools and fetches at once; the promise then rejects. */
  signal?: AbortSignal;
  /** The thread on which the conversation goes on; needs a checkpointer. */
  threadId?: string;
}

export interface CorrectiveRag extends AssembledAgent {
  /**
   * Asks and waits for the answer. A run that fails resolves too, with `outcome.status` "failed".
   * @throws UserError for a setting that does not exist or is not allowed
   */
  ask(question: Question, options?: AskOptions): Promise<CorrectiveRagResult>;
  /**
   * Asks and tells each event as it happens; the return value of the generator is the result.
   * @example for await (const event of agent.stream("…")) if (event.type === "answer_delta") process.stdout.write(event.text);
   */
  stream(
    question: Question,
    options?: AskOptions,
  ): AsyncGenerator<RecordedEvent, CorrectiveRagResult>;
}

/**
 * Creates a corrective RAG agent. Nothing is opened or loaded before the first question.
 *
 * @throws UserError when a setting is malformed
 * @example
 * const agent = createCorrectiveRag({ knowledgeBase: ".corrective-rag/kb" });
 * const { answer, citations, outcome } = await agent.ask("When does it search again?");
 * @example
 * // As a Runnable, with any LangChain chat model and your own retriever:
 * const { graph } = createCorrectiveRag({ model: new ChatAnthropic({ model: "…" }), retriever });
 * await graph.invoke({ question: "…" }, { context: { profile: "holistic" } });
 */
export function createCorrectiveRag(options: CorrectiveRagOptions = {}): CorrectiveRag {
  const agent = assemble(options);
  const prepared = (question: Question, { signal, threadId, ...context }: AskOptions = {}) => ({
    input: typeof question === "string" ? { question } : question,
    config: {
      context: checkedContext(context),
      recursionLimit: RECURSION_LIMIT,
      // LangGraph leaves a listener on the signal that it is given, and a caller may use one for a thousand questions.
      ...(signal && { signal: AbortSignal.any([signal]) }),
      ...(threadId !== undefined && { configurable: { thread_id: threadId } }),
    },
  });
  return {
    ...agent,
    async ask(question, options) {
      const { input, config } = prepared(question, options);
      return apartFromHost(() => agent.graph.invoke(input, config));
    },
    async *stream(question, options) {
      const { input, config } = prepared(question, options);
      const parts = await apartFromHost(() =>
        agent.graph.stream(input, { ...config, streamMode: ["custom", "values"] }),
      );
      let last: CorrectiveRagResult | undefined;
      for await (const [mode, payload] of parts) {
        if (mode === "values") last = payload;
        else yield payload;
      }
      if (last === undefined) throw new Error("the graph ended without a result");
      return last;
    },
  };
}

/**
 * A graph that is called inside another run takes over that run's configuration: its thread, its checkpointer, and whatever it calls `model` or
 * `profile`. None of it is meant for us; only the callbacks are kept, so that traces stay one tree.
 */
function apartFromHost<T>(call: () => T): T {
  const host: unknown = AsyncLocalStorageProviderSingleton.getRunnableConfig();
  if (typeof host !== "object" || host === null) return call();
  return AsyncLocalStorageProviderSingleton.runWithConfig(
    "callbacks" in host ? { callbacks: host.callbacks } : {},
    call,
  );
}
