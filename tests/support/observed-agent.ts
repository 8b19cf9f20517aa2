/** An agent whose runs are watched: the result of each, its events, and the nodes in the order in which they ran. */
import {
  createCorrectiveRag,
  type AskOptions,
  type CorrectiveRag,
  type CorrectiveRagOptions,
  type CorrectiveRagResult,
  type Question,
} from "../../src/corrective-rag.js";
import type { ContextValues } from "../../src/settings/context.js";
import type { EventType, RecordedEvent } from "../../src/observability/events.js";

export interface ObservedRun {
  result: CorrectiveRagResult;
  events: RecordedEvent[];
  of<T extends EventType>(type: T): Extract<RecordedEvent, { type: T }>[];
  /** Nodes in the order in which they ran, by their events. */
  route: string[];
  /** What the writer of the answer saw. */
  window: string;
}

export interface ObservedAgent {
  agent: CorrectiveRag;
  ask(question: Question, context?: ContextValues, options?: AskOptions): Promise<ObservedRun>;
}

/** @param options as for the agent itself; it writes no audit log and keeps no thread unless they say so */
export function observedAgent({
  environment = {},
  ...options
}: CorrectiveRagOptions): ObservedAgent {
  const logged: RecordedEvent[] = [];
  const agent = createCorrectiveRag({
    environment: { KB_AGENT_AUDIT_LOG_PATH: "off", CRAG_READER: "lexical", ...environment },
    checkpointer: false,
    onEvent: (event) => logged.push(event),
    ...options,
  });
  return {
    agent,
    async ask(question, context, options) {
      const from = logged.length;
      const result = await agent.ask(question, { ...options, context });
      const events = logged.slice(from);
      return {
        result,
        events,
        of: <T extends EventType>(type: T) =>
          events.filter(
            (event): event is Extract<RecordedEvent, { type: T }> => event.type === type,
          ),
        route: events.map(({ node }) => node).filter((node, index, all) => node !== all[index - 1]),
        window: result.details?.context_used ?? "",
      };
    },
  };
}
