/**
 * Keeps the services, passage texts and context window of running runs in this process, so that
 * checkpoints stay small. A run that resumes elsewhere, or much later, reads its passages again.
 */
import { LRUCache } from "lru-cache";
import type { AgentStateType, AgentStateUpdate } from "../state/agent-state.js";
import { contentKey, type Evidence } from "../state/evidence.js";
import type { ContextValues } from "../settings/context.js";
import { cutText } from "../text/one-line.js";
import type { AgentParts, RunScope, Toolbox } from "./parts.js";

/** Bounded, since an interrupted run may never resume. */
const MAX_RUNS = 500;
/** Characters of a passage in a checkpoint, for people who look at the state. */
const SHOWN = 120;
/** Only their passages can be read again by id. */
const SEARCHES: ReadonlySet<string> = new Set(["keyword", "vector", "hybrid"]);

interface Remembered {
  context: string;
  memory: ReturnType<typeof createMemory>;
}

const runs = new WeakMap<AgentParts, LRUCache<string, Remembered>>();

/** @param context compared with the one before, because a resumed run may bring more settings */
export function memoryOf(parts: AgentParts, key: string, context: ContextValues) {
  const known = runs.get(parts) ?? new LRUCache<string, Remembered>({ max: MAX_RUNS });
  runs.set(parts, known);
  const asked = JSON.stringify(context);
  const before = known.get(key);
  if (before?.context === asked) return before.memory;
  const memory = createMemory(parts.openRun(context));
  known.set(key, { context: asked, memory });
  return memory;
}

export function forget(parts: AgentParts, key: string): void {
  runs.get(parts)?.delete(key);
}

function createMemory(services: RunScope) {
  const texts = new Map<string, { text: string; content: string }>();
  let windowText = "";
  const whole = async (item: Evidence): Promise<Evidence> => {
    const { content, ...rest } = item;
    if (content === undefined || item.status === "discarded") return item;
    const text = texts.get(item.id)?.text ?? (await (await services.toolbox()).textOf?.(item));
    return text === undefined ? rest : { ...rest, text };
  };
  return {
    services,
    /** Returns the state with whole texts. */
    async recall(state: AgentStateType): Promise<AgentStateType> {
      const isWhole = state.context.every(({ content }) => content === undefined);
      const context = isWhole ? state.context : await Promise.all(state.context.map(whole));
      if (isWhole && windowText === "") return state;
      return { ...state, context, run: { ...state.run, window_text: windowText } };
    },
    /** Returns the update as it goes into a checkpoint. */
    async keep(update: AgentStateUpdate): Promise<AgentStateUpdate> {
      let kept = update;
      if (Array.isArray(update.context) && update.context.length > 0) {
        const toolbox = await services.toolbox();
        const context = update.context.map((item) => {
          if (item.status === "discarded" || !canBeReadAgain(item, toolbox)) return item;
          const known = texts.get(item.id) ?? { text: item.text, content: contentKey(item) };
          texts.set(item.id, known);
          return { ...item, text: cutText(item.text, SHOWN), content: known.content };
        });
        kept = { ...kept, context };
      }
      if (update.run && "window_text" in update.run && update.run.window_text !== undefined) {
        windowText = update.run.window_text;
        kept = { ...kept, run: { ...update.run, window_text: "" } };
      }
      return kept;
    },
  };
}

function canBeReadAgain({ tool, text }: Evidence, { tools, textOf }: Toolbox): boolean {
  const strategy = tools.find(({ name }) => name === tool)?.strategy;
  return (
    textOf !== undefined && text.length > SHOWN && strategy !== undefined && SEARCHES.has(strategy)
  );
}
