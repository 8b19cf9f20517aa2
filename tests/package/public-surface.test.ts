import { expect, it } from "@jest/globals";
import { readFile } from "node:fs/promises";
import * as surface from "../../src/index.js";

/** What other projects may build on. A name that goes away or comes here is a decision, not an accident. */
const VALUES = [
  "AgentState",
  "CorrectiveRagError",
  "CorrectiveRetriever",
  "KnowledgeBaseError",
  "UserError",
  "correctiveRagTool",
  "createCorrectiveRag",
  "fromRetriever",
  "fromVectorStore",
  "ingest",
  "openSqliteKnowledgeBase",
  "profiles",
  "readFilter",
  "renderSource",
  "withPrincipal",
];

it("exports exactly these values", () => {
  expect(Object.keys(surface).sort()).toEqual(VALUES);
});

it("names every export and has no default", async () => {
  const source = await readFile("src/index.ts", "utf8");
  expect(source).not.toMatch(/export \*|export default/);
});
