/** A graph of one step that ingests documents, for `langgraph.json` and the API server. */
import "dotenv/config";
import { END, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { fetchPageFrom } from "./assembly/adapters.js";
import { openForWriting } from "./assembly/knowledge-base.js";
import { explainMistakes } from "./assembly/options.js";
import type { IngestOptions } from "./ingest/ingest.js";
import type { IngestReport } from "./ingest/report.js";
import { readEnvironment } from "./settings/environment.js";
import { completeSettings } from "./settings/run-settings.js";
import { anything } from "./state/agent-state.js";
import { hintOf } from "./support/errors.js";

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

const settings = explainMistakes(() => completeSettings(readEnvironment(process.env).settings));

async function ingestTargets(
  targets: readonly string[],
  options: Pick<IngestOptions, "signal" | "onProgress">,
): Promise<IngestReport> {
  const { ingest } = await import("./ingest/ingest.js");
  const knowledgeBase = await openForWriting({ settings });
  const { indexRoots: roots } = settings;
  const fetchPage = fetchPageFrom(settings);
  try {
    return await ingest({ targets, knowledgeBase, roots, fetchPage, ...options });
  } finally {
    await knowledgeBase.close();
  }
}

export const graph = new StateGraph({
  state: IndexerState,
  input: IndexerState.pick({ targets: true }),
  output: IndexerState.pick({ report: true, error: true }),
})
  .addNode("ingest", async ({ targets }, config) => {
    if (targets.length === 0)
      return { report: null, error: "no targets were given: send `targets` with paths or URLs" };
    try {
      const report = await ingestTargets(targets, {
        signal: config.signal,
        // Progress goes to the custom stream.
        onProgress: (progress) => config.writer?.({ type: "ingest_progress", ...progress }),
      });
      return { report, error: null };
    } catch (error) {
      config.signal?.throwIfAborted();
      if (!(error instanceof Error)) throw error;
      const hint = hintOf(error);
      return { report: null, error: error.message + (hint === undefined ? "" : ` (${hint})`) };
    }
  })
  .addEdge(START, "ingest")
  .addEdge("ingest", END)
  .compile({ name: "indexer" });
