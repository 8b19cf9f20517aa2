/** The ingestion graph, set up from the environment: `langgraph.json` points here. */
import "dotenv/config";
import { delimiter } from "node:path";
import { explainMistakes } from "./assembly/explain-mistakes.js";
import { openForWriting } from "./assembly/knowledge-base.js";
import { fetchPageFrom } from "./assembly/web-search.js";
import { readEnvironment } from "./settings/environment.js";
import { buildIndexer } from "./graph/indexer.js";

const environment = explainMistakes(() => readEnvironment(process.env));

export const graph = buildIndexer(async (targets, options) => {
  const { ingest } = await import("./ingest/ingest.js");
  const knowledgeBase = await openForWriting({ environment });
  try {
    return await ingest({
      targets,
      knowledgeBase,
      roots: indexRoots(process.env["CRAG_INDEX_ROOTS"]),
      fetchPage: fetchPageFrom(environment),
      ...options,
    });
  } finally {
    await knowledgeBase.close();
  }
});

/**
 * Returns the folders in which targets must lie, for whoever reaches the server may name them: by
 * default the folder that the server was started in.
 */
function indexRoots(named = ""): string[] {
  const folders = named.split(delimiter).filter((folder) => folder !== "");
  return folders.length > 0 ? folders : ["."];
}
