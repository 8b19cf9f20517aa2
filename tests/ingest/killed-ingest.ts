/** Run by the kill test as a process of its own: ingests a folder into a knowledge base, saying each file as it goes. */
import { ingest } from "../../src/ingest/ingest.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";

const [folder = "", directory = ""] = process.argv.slice(2);
const knowledgeBase = await openSqliteKnowledgeBase({ directory });
await ingest({
  targets: [folder],
  knowledgeBase,
  cwd: folder,
  onProgress: ({ done }) => void process.stdout.write(`${done}\n`),
});
await knowledgeBase.close();
