/** The composition root: settings in, graph out. The only place that knows every adapter. */
import { wordListPolicy } from "./answering/guard.js";
import {
  checkSettings,
  fetchPageFrom,
  reasonerFrom,
  rerankerFrom,
  webSearchFrom,
} from "./assembly/adapters.js";
import { knowledgeBaseSource } from "./assembly/knowledge-base.js";
import { mcpTools } from "./assembly/mcp-tools.js";
import { checkOptions, settingsAmong, type AssembleOptions } from "./assembly/options.js";
import { createToolboxes } from "./assembly/toolbox.js";
import { buildGraph, keepTurns, type CorrectiveRagGraph } from "./graph/graph.js";
import { PROFILES } from "./grading/profiles.js";
import type { AgentParts } from "./nodes/parts.js";
import { createAuditLog } from "./observability/audit-log.js";
import type { RecordedEvent } from "./observability/events.js";
import { flushTraces, withSpans } from "./observability/tracing.js";
import type { Reader } from "./reader/reader.js";
import { loadWeights, thresholdsOf } from "./reader/weights.js";
import type { KnowledgeBase } from "./retrieval/knowledge-base.js";
import { viewOf, type Seen } from "./retrieval/view.js";
import { contextForm } from "./settings/context.js";
import { readEnvironment } from "./settings/environment.js";
import { completeSettings, resolveSettings, type RunSettings } from "./settings/run-settings.js";
import type { Settings } from "./settings/table.js";
import { once } from "./support/cache.js";

export type { AssembleOptions };

export interface AssembledAgent {
  /** The compiled graph, with a recursion limit that suffices. */
  readonly graph: CorrectiveRagGraph;
  /** What its nodes work with, for a graph of your own: `buildGraph({ parts, nodes })`. */
  readonly parts: AgentParts;
  readonly reasonerKind: "model" | "embedded";
  /** The complete settings, from options, environment and defaults. */
  readonly settings: Settings;
  /** Messages for the user, such as "no model is configured". Grows while the agent works. */
  readonly notices: readonly string[];
  /**
   * The knowledge base as a caller sees it: without an identity, only what is for everybody. Opened
   * on first use; rejects with `KnowledgeBaseError`, or with `UserError` for a filter that names an
   * unknown key.
   */
  knowledgeBase(seen?: Seen): Promise<KnowledgeBase>;
  /** Reads evidence: relevance, support, vectors. */
  reader(): Promise<Reader>;
  /** Closes what was opened and writes what is left of the audit log. */
  close(): Promise<void>;
}

/** A reader that failed tries again after a minute, and says so if it fails again. */
const TROUBLE_LASTS_IN_MS = 60_000;

/**
 * Assembles an agent. Nothing is opened, loaded or asked before the first run.
 * @throws UserError if an option or a setting is malformed, or names something that does not exist
 */
export function assemble(options: AssembleOptions = {}): AssembledAgent {
  checkOptions(options);
  const read = readEnvironment(options.environment ?? {});
  const settings = completeSettings(settingsAmong(options), options.settings ?? {}, read.settings);
  checkSettings(settings);
  const notices = [...read.warnings];
  const notice = (message: string): void => {
    if (!notices.includes(message)) notices.push(message);
  };
  /** What the reader could not do, and when. */
  const troubles = new Map<string, number>();
  const weights = once(() => loadWeights(settings.calibrationFile));
  let createdReader: Reader | undefined;
  const reader = once(async () => {
    if (options.reader !== undefined) return options.reader;
    const { createReader } = await import("./reader/create-reader.js");
    createdReader = createReader({
      model: settings.reader,
      weights: weights(),
      notice(message) {
        notice(message);
        troubles.set(message, performance.now());
      },
    });
    return createdReader;
  });
  const { kind, reasoner: configured } = reasonerFrom({ ...options, settings, reader });
  const reasoner = once(async () => ({ ...(await configured()), ...options.reasoner }));
  if (kind === "embedded") {
    const { model } = settings;
    const cause = model ? `the model ${model} has no endpoint` : "no model is configured";
    const advice = "set OPENAI_API_KEY or OPENAI_BASE_URL for a model";
    notice(`${cause}: answers are quoted from the evidence (${advice})`);
  }
  const knowledgeBase = knowledgeBaseSource({ options, settings, reader, notice });
  const reranker = once(async () => options.reranker ?? rerankerFrom(settings, reader));
  const mcp = settings.mcpConfig === undefined ? undefined : mcpTools(settings.mcpConfig, notice);
  const toolboxes = createToolboxes({
    knowledgeBase: () => knowledgeBase.get(),
    webSearch: once(() => webSearchFrom(settings, options.webSearch)),
    fetchPage: fetchPageFrom(settings),
    tools: async () => [...(options.tools ?? []), ...((await mcp?.get()) ?? [])],
    reasoner,
    reader,
  });
  const rerankerFor = async ({ rerank, switchedOff }: RunSettings) => {
    if (rerank === "off" || switchedOff.includes("reranking")) return undefined;
    const configured = options.reranker !== undefined || settings.reranker !== undefined;
    return rerank === "on" || configured ? reranker() : undefined;
  };
  const audit =
    settings.auditLog === "off" ? undefined : createAuditLog({ path: settings.auditLog });
  const givenProfile = typeof options.profile === "object" ? options.profile : undefined;

  const parts: AgentParts = {
    openRun(context) {
      const custom = context.profile === undefined ? givenProfile : undefined;
      const run = resolveSettings({
        settings,
        context,
        profiles: custom === undefined ? PROFILES : { ...PROFILES, [settings.profile]: custom },
        fitted: thresholdsOf(weights(), options.reader?.name ?? settings.reader),
      });
      return {
        settings: run,
        profile: custom ?? PROFILES[run.profile],
        reasoner,
        toolbox: once(() => toolboxes(run)),
        reader,
        reranker: () => rerankerFor(run),
      };
    },
    policy:
      options.policy ?? (settings.policyWords ? wordListPolicy(settings.policyWords) : undefined),
    troubles() {
      const isMissing = settings.reader === "trained" && createdReader?.name === "lexical";
      const since = isMissing ? 0 : performance.now() - TROUBLE_LASTS_IN_MS;
      return [...troubles].flatMap(([message, at]) => (at >= since ? [message] : []));
    },
    record(event) {
      audit?.log_audit(settings.auditRecordInputs ? event : withoutPassages(event));
      try {
        options.onEvent?.(event);
      } catch {
        // A listener must not fail a run.
      }
    },
    recordInputs: settings.auditRecordInputs,
    maxQuestionBytes: settings.maxQuestionBytes,
    now: options.now ?? Date.now,
    ticks: options.now ?? (() => Math.round(performance.now())),
    contextSchema: contextForm(settings),
  };
  const { nodes, edges, checkpointer, store, callbacks } = options;
  const graph = buildGraph({ parts, nodes, edges, checkpointer, store });
  if (settings.checkpoints === "turn") keepTurns(graph);
  const watching = withSpans(callbacks);
  if (watching !== undefined) graph.config = { ...graph.config, callbacks: watching };
  return {
    graph,
    parts,
    reasonerKind: options.reasoner?.kind ?? kind,
    settings,
    notices,
    knowledgeBase: async (seen) => viewOf(await knowledgeBase.get(), seen),
    reader: async () => reader(),
    async close() {
      await knowledgeBase.close();
      await mcp?.close();
      await createdReader?.close();
      await flushTraces();
    },
  };
}

/** Drops the text of the closest passages, which the log must not keep. */
function withoutPassages(event: RecordedEvent): RecordedEvent {
  if (event.type !== "graph_outcome" || event.status !== "closest_passages") return event;
  const passages = event.passages.map((passage) => ({ ...passage, text: "", best: null }));
  return { ...event, answer: event.answer.split("\n", 1)[0] ?? "", passages };
}
