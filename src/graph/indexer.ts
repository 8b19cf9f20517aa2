/** A graph of one step that ingests documents, so that the API server can do so too. */
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { hintOf } from "../support/errors.js";
import type { IngestProgress, IngestReport } from "../ingest/ingest.js";

export type IngestTargets = (
  targets: readonly string[],
  options: { signal?: AbortSignal; onProgress: (progress: IngestProgress) => void },
) => Promise<IngestReport>;

const IndexerState = Annotation.Root({
  targets: Annotation<string[]>,
  report: Annotation<IngestReport | null>,
  /** One line with the problem and its solution; null on success. */
  error: Annotation<string | null>,
});

const IndexerInput = z.object({
  targets: z
    .array(z.string())
    .default([])
    .describe("Paths, folders, globs or URLs, as the server sees them."),
});
const IndexerOutput = z.object({
  report: z
    .custom<IngestReport>()
    .nullable()
    .describe("Documents that were added, updated, unchanged or removed, and why others failed."),
  error: z.string().nullable().describe("What was wrong with the targets or the knowledge base."),
});

/** @param ingestTargets reports its progress, which goes to the custom stream */
export function buildIndexer(ingestTargets: IngestTargets) {
  return new StateGraph({ state: IndexerState, input: IndexerInput, output: IndexerOutput })
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
