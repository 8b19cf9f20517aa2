/**
 * The composition root: settings in, adapters chosen, graph out. The only place that knows every adapter; each is imported on first use, so that
 * nobody pays for what a run does not need.
 */
import { wordListPolicy } from "./answering/policy.js";
import type { AssembleOptions } from "./assembly/options.js";
import { checkOptions, checkSettings } from "./assembly/check-options.js";
import {
  DEFAULT_DIRECTORY,
  holdsKnowledgeBase,
  openForReading,
} from "./assembly/knowledge-base.js";
import { createReasoners } from "./assembly/reasoners.js";
import { createToolboxes } from "./assembly/toolbox.js";
import { rerankerFrom } from "./assembly/reranker.js";
import { checkWebSearch, fetchPageFrom, webSearchFrom } from "./assembly/web-search.js";
import { contextForm, type ContextValues } from "./settings/context.js";
import { readEnvironment } from "./settings/environment.js";
import { completeSettings, resolveSettings, type RunSettings } from "./settings/run-settings.js";
import type { Settings } from "./settings/table.js";
import { buildGraph, type CorrectiveRagGraph } from "./graph/graph.js";
import { fittedCutOffs, PROFILES } from "./grading/profiles.js";
import type { AgentParts } from "./nodes/parts.js";
import { createAuditLog, type AuditLog } from "./observability/audit-log.js";
import { flushTraces } from "./observability/flush-traces.js";
import type { KnowledgeBase } from "./retrieval/knowledge-base.js";
import type { Reader } from "./reader/reader.js";
import { loadWeights, thresholdsOf } from "./reader/weights.js";
import { lazily } from "./assembly/lazily.js";
import type { WebSearchProvider } from "./web/search-provider.js";

export type { AssembleOptions };

export interface AssembledAgent {
  /** The compiled graph, with a recursion limit that suffices. */
  readonly graph: CorrectiveRagGraph;
  readonly reasonerKind: "model" | "embedded";
  /** What the user should know: which knowledge base is used, that no model is configured. Grows while the agent works. */
  readonly notices: readonly string[];
  /** Opened on first use; rejects with `KnowledgeBaseError`. */
  knowledgeBase(): Promise<KnowledgeBase>;
  /** Closes what was opened and writes what is left of the audit log. */
  close(): Promise<void>;
}

/**
 * Puts an agent together. Nothing is opened, loaded or asked before the first run.
 * @throws UserError when an option or a setting is malformed
 */
export function assemble(options: AssembleOptions = {}): AssembledAgent {
  checkOptions(options);
  checkSettings(options.settings ?? {});
  const fromEnvironment = readEnvironment(options.environment ?? {});
  const settings = completeSettings(options.settings ?? {}, fromEnvironment.settings);
  checkWebSearch(settings);
  const notices: string[] = [...fromEnvironment.warnings];
  const notice = (message: string): void => {
    if (!notices.includes(message)) notices.push(message);
  };
  const weights = lazily(() => loadWeights(settings.calibrationFile));
  const opens: Reader[] = [];
  const reader = lazily(async () => {
    const { createReader } = await import("./reader/create-reader.js");
    const created = createReader({ model: settings.reader, weights: weights(), notice });
    opens.push(created);
    return created;
  });
  const reasoners = createReasoners({
    settings,
    model: options.model,
    evaluationModel: options.evaluationModel,
    prompts: options.prompts,
    reader,
  });
  if (reasoners.kind === "embedded")
    notice(
      "no model is configured: answers are quoted from the evidence (set OPENAI_API_KEY or OPENAI_BASE_URL for a model)",
    );

  const opened = knowledgeBaseSource({ options, settings, notice });
  const webSearch = lazily(async () => webSearchFrom(settings, await extraProviders(options)));
  const toolboxes = createToolboxes({
    knowledgeBase: () => opened.get(),
    webSearch,
    fetchPage: fetchPageFrom(settings),
    tools: options.tools ?? [],
    reasonerFor: (run) => reasoners.reasonerFor(run),
  });
  const reranker = lazily(async () => options.reranker ?? rerankerFrom(settings));
  const audit = auditLog(settings);

  const settingsFor = (context: ContextValues): RunSettings =>
    resolveSettings({
      settings,
      context,
      profiles: PROFILES,
      fitted: fittedCutOffs(thresholdsOf(weights(), settings.reader)),
    });
  const rerankerFor = async ({ rerank, switchedOff }: RunSettings) => {
    if (rerank === "off" || switchedOff.includes("reranking")) return undefined;
    const configured = options.reranker !== undefined || settings.reranker !== undefined;
    return rerank === "on" || configured ? reranker() : undefined;
  };
  const parts: AgentParts = {
    openRun(context) {
      const run = settingsFor(context);
      return {
        settings: run,
        profile: PROFILES[run.profile],
        reasoner: () => reasoners.reasonerFor(run),
        toolbox: lazily(() => toolboxes(run)),
        reader,
        reranker: () => rerankerFor(run),
      };
    },
    policy:
      options.policy ?? (settings.policyWords ? wordListPolicy(settings.policyWords) : undefined),
    record(event) {
      audit?.write(event);
      try {
        options.onEvent?.(event);
      } catch {
        // Whoever listens must not be able to fail a run.
      }
    },
    recordInputs: settings.auditRecordInputs,
    now: options.now ?? Date.now,
  };
  const graph = buildGraph({
    parts,
    contextSchema: contextForm(settings),
    checkpointer: options.checkpointer,
  });
  return {
    graph,
    reasonerKind: reasoners.kind,
    notices,
    knowledgeBase: () => opened.get(),
    async close() {
      await opened.close();
      await Promise.all(opens.map((each) => each.close()));
      await audit?.flush();
      await flushTraces();
    },
  };
}

/** Opens the knowledge base once. The demo gives way as soon as there is one of the user's. */
function knowledgeBaseSource({
  options,
  settings,
  notice,
}: {
  options: AssembleOptions;
  settings: Settings;
  notice: (message: string) => void;
}): { get(): Promise<KnowledgeBase>; close(): Promise<void> } {
  const directory = typeof options.knowledgeBase === "string" ? options.knowledgeBase : undefined;
  let current: Promise<KnowledgeBase> | undefined;
  let wasThere = false;
  const open = async (): Promise<KnowledgeBase> => {
    if (options.knowledgeBase !== undefined && typeof options.knowledgeBase !== "string")
      return options.knowledgeBase;
    if (options.retriever !== undefined)
      return (await import("./retrieval/langchain/from-retriever.js")).fromRetriever(
        options.retriever,
      );
    if (options.vectorStore !== undefined)
      return (await import("./retrieval/langchain/from-vector-store.js")).fromVectorStore(
        options.vectorStore,
      );
    return openForReading({ settings, directory, notice });
  };
  return {
    get() {
      const isThere =
        wasThere || holdsKnowledgeBase(directory ?? settings.kbDir ?? DEFAULT_DIRECTORY);
      if (current === undefined || isThere !== wasThere) {
        wasThere = isThere;
        const opening = open();
        current = opening;
        // A failure is not kept: what was missing may be there the next time.
        opening.catch(() => {
          if (current === opening) current = undefined;
        });
      }
      return current;
    },
    async close() {
      const knowledgeBase = await current?.catch(() => undefined);
      current = undefined;
      if (knowledgeBase !== options.knowledgeBase) await knowledgeBase?.close();
    },
  };
}

async function extraProviders({
  webSearchProviders = [],
  webSearchTool,
}: AssembleOptions): Promise<WebSearchProvider[]> {
  if (webSearchTool === undefined) return [...webSearchProviders];
  const { fromLangChainTool } = await import("./web/providers/langchain-tool.js");
  return [fromLangChainTool(webSearchTool), ...webSearchProviders];
}

function auditLog({ auditLog: path }: Settings): AuditLog | undefined {
  return path === "off" ? undefined : createAuditLog({ path });
}
