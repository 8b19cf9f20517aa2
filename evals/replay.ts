/**
 * `eval replay`: recorded answers through the compiled graph, with a model that says what was
 * recorded and a knowledge base that finds what it was given: what reaches the user in the end.
 */
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { createCorrectiveRag, type CorrectiveRag } from "../src/corrective-rag.js";
import { quantile } from "./statistics.js";
import type { KnowledgeBase } from "../src/retrieval/knowledge-base.js";
import { ISOLATED } from "./ask-question.js";
import { evenlySpread } from "./evenly-spread.js";
import { readAnswersFile, type AnswerRecord } from "./formats.js";

/** What became of the answers of one writer, or of all. */
export interface ReplayMeasures {
  n: number;
  answered_share: number;
  /** Of the faithful answers: shown as they were recorded, citations aside. */
  clean_untouched: number;
  clean_touched: number;
  clean_withdrawn: number;
  clean_abstained: number;
  /** Of the unfaithful ones: anything marked or withdrawn, or an abstention. */
  unfaithful_caught: number;
}

export interface ReplayReport extends ReplayMeasures {
  by_writer: Record<string, ReplayMeasures>;
  latency_ms: { p50: number; p95: number };
}

interface Replayed {
  record: AnswerRecord;
  isAnswered: boolean;
  withdrawn: number;
  marked: number;
  tookMs: number;
}

/** @throws UserError when the file is not of the format */
export async function runReplayEval({
  file,
  limit,
  onProgress,
}: {
  file: string;
  limit?: number;
  onProgress?: (done: number, total: number) => void;
}): Promise<ReplayReport> {
  const records = evenlySpread(await readAnswersFile(file), limit);
  const stage: Stage = {};
  const agent = createReplayAgent(stage);
  const replayed: Replayed[] = [];
  try {
    for (const record of records) {
      stage.record = record;
      const begun = performance.now();
      const { outcome, details } = await agent.ask(record.question);
      replayed.push({
        record,
        isAnswered: outcome.status === "success",
        withdrawn: details?.withdrawn.length ?? 0,
        marked: details?.marked.length ?? 0,
        tookMs: performance.now() - begun,
      });
      onProgress?.(replayed.length, records.length);
    }
  } finally {
    await agent.close();
  }
  const writers = [...new Set(records.map(({ model }) => model))].sort();
  const times = replayed.map(({ tookMs }) => tookMs);
  return {
    ...measuresOf(replayed),
    by_writer: Object.fromEntries(
      writers.map((writer) => [
        writer,
        measuresOf(replayed.filter(({ record }) => record.model === writer)),
      ]),
    ),
    latency_ms: { p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
  };
}

function measuresOf(replayed: readonly Replayed[]): ReplayMeasures {
  const clean = replayed.filter(({ record }) => record.faithful);
  const unfaithful = replayed.filter(({ record }) => !record.faithful);
  const share = (items: readonly Replayed[], test: (item: Replayed) => boolean): number =>
    items.length === 0 ? 0 : items.filter(test).length / items.length;
  const isTouched = ({ withdrawn, marked }: Replayed): boolean => withdrawn + marked > 0;
  return {
    n: replayed.length,
    answered_share: share(replayed, ({ isAnswered }) => isAnswered),
    clean_untouched: share(clean, (item) => item.isAnswered && !isTouched(item)),
    clean_touched: share(clean, isTouched),
    clean_withdrawn: share(clean, ({ withdrawn }) => withdrawn > 0),
    clean_abstained: share(clean, ({ isAnswered }) => !isAnswered),
    unfaithful_caught: share(unfaithful, (item) => !item.isAnswered || isTouched(item)),
  };
}

/** What an agent is to say, and what it is to find. */
export type Recorded = Pick<AnswerRecord, "id" | "question" | "evidence" | "answer">;

interface Stage {
  record?: Recorded;
}

/** Creates an agent that finds and says what stands on `stage`, once, and checks it. */
export function createReplayAgent(stage: Readonly<Stage>): CorrectiveRag {
  return createCorrectiveRag({
    environment: { ...process.env, ...ISOLATED },
    knowledgeBase: recordedBase(stage),
    model: new RecordedModel(stage),
    // The passages are those that the writer was given: nothing is to be judged or searched again.
    settings: { thresholds: { autoApproveMaxItems: 100 }, maxIterations: 0, webSearch: "off" },
    checkpointer: false,
  });
}

/** Says what was recorded, whatever it is asked. */
class RecordedModel extends SimpleChatModel {
  constructor(private readonly stage: Readonly<Stage>) {
    super({});
  }

  override _llmType(): string {
    return "recorded";
  }

  override async _call(): Promise<string> {
    return this.stage.record?.answer ?? "";
  }
}

/** Finds all recorded passages for any query, in their order. */
function recordedBase(stage: Readonly<Stage>): KnowledgeBase {
  return {
    name: "recorded",
    modes: ["keyword"],
    search: async (_mode, { limit }) =>
      (stage.record?.evidence ?? []).slice(0, limit).map(({ title, text }, index) => ({
        passage: {
          id: `${stage.record?.id ?? ""}-${index}`,
          text,
          title,
          path: `recorded/${index}.txt`,
          kind: "text",
        },
        scores: [{ value: 1 / (index + 1), scale: "bm25", by: "recorded" }],
      })),
    documents: async () => [],
    passagesOf: async () => [],
    version: async () => stage.record?.id ?? "",
    stats: async () => ({ documents: 1, passages: 1 }),
    close: async () => undefined,
  };
}
