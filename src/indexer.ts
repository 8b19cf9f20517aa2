/** The ingestion graph, configured from the environment, for `langgraph.json`. */
import "dotenv/config";
import { explainMistakes } from "./assembly/options.js";
import { openForWriting } from "./assembly/knowledge-base.js";
import { fetchPageFrom } from "./assembly/adapters.js";
import { readEnvironment } from "./settings/environment.js";
import { completeSettings } from "./settings/run-settings.js";
import { buildIndexer } from "./graph/indexer.js";

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
