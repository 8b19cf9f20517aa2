/** A graph of one step that ingests documents, for `langgraph.json`: the API server can do so too. */
import "dotenv/config";
import { END, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { fetchPageFrom } from "./assembly/adapters.js";
import { openForWriting } from "./assembly/knowledge-base.js";
import { explainMistakes } from "./assembly/options.js";
import type { IngestProgress, IngestReport } from "./ingest/ingest.js";
import { readEnvironment } from "./settings/environment.js";
import { completeSettings } from "./settings/run-settings.js";
import { anything } from "./state/channel.js";
import { hintOf } from "./support/errors.js";

type IngestTargets = (
  targets: readonly string[],
  options: { signal?: AbortSignal; onProgress: (progress: IngestProgress) => void },
) => Promise<IngestReport>;

const IndexerState = z.object({
  targets: z
    .array(z.string())
    .default([])
    .describe("Paths, folders, globs or URLs, as the server sees them."),
  report: anything<IngestReport | null>()
    .default(null)
    .describe("Documents that were added, updated, unchanged or removed, and why others failed."),
  error: z
    .string()
    .nullable()
    .default(null)
    .describe("One line with the problem and its solution; null on success."),
});

/** @param ingestTargets reports its progress, which goes to the custom stream */
function buildIndexer(ingestTargets: IngestTargets) {
  const input = IndexerState.pick({ targets: true });
  const output = IndexerState.pick({ report: true, error: true });
  return new StateGraph({ state: IndexerState, input, output })
    .addNode("ingest", async ({ targets }, config) => {
      if (targets.length === 0)
        return { report: null, error: "no targets were given: send `targets` with paths or URLs" };
      try {
        const report = await ingestTargets(targets, {
          signal: config.signal,
          onProgress: (progress) => config.writer?.({ type: "ingest_progress", ...progress }),
        });
        return { report, error: null };
      } catch (error) {
        config.signal?.throwIfAborted();
        if (!(error instanceof Error)) throw error;
        const hint = hintOf(error);
        return {
          report: null,
          error: hint === undefined ? error.message : `${error.message} (${hint})`,
        };
      }
    })
    .addEdge(START, "ingest")
    .addEdge("ingest", END)
    .compile({ name: "indexer" });
}

const settings = explainMistakes(() => completeSettings(readEnvironment(process.env).settings));

export const graph = buildIndexer(async (targets, options) => {
  const { ingest } = await import("./ingest/ingest.js");
  const knowledgeBase = await openForWriting({ settings });
  try {
    return await ingest({
      targets,
      knowledgeBase,
      roots: settings.indexRoots,
      fetchPage: fetchPageFrom(settings),
      ...options,
    });
  } finally {
    await knowledgeBase.close();
  }
});
