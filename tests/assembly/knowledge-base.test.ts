import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeEmbeddings } from "@langchain/core/utils/testing";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { ingest, openSqliteKnowledgeBase } from "../../src/index.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fill-"));
  await writeFile(join(folder, "canteen.md"), "# Canteen\n\nThe canteen opens at noon.\n");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("ingestion from code", () => {
  it("makes vectors with the shipped encoder, as the command line does", async () => {
    const knowledgeBase = await openSqliteKnowledgeBase({ directory: join(folder, "kb") });
    const { embedded } = await ingest({ targets: ["canteen.md"], cwd: folder, knowledgeBase });
    expect(embedded).toBe(1);
    expect(await knowledgeBase.stats()).toMatchObject({ embedding: expect.anything() });
    const [hit] = await knowledgeBase.search("vector", { query: "When is lunch?", limit: 1 });
    expect(hit?.passage.text).toContain("noon");
    await knowledgeBase.close();
  });

  it("takes LangChain's embeddings instead", async () => {
    const embeddings = new FakeEmbeddings();
    const knowledgeBase = await openSqliteKnowledgeBase({
      directory: join(folder, "kb"),
      embeddings,
    });
    await ingest({ targets: ["canteen.md"], cwd: folder, knowledgeBase });
    expect((await knowledgeBase.stats()).embedding?.model).toMatch(/FakeEmbeddings/);
    await knowledgeBase.close();
  });

  it("fetches public pages only", async () => {
    const site = createServer((_, response) => void response.end("<p>Secret.</p>"));
    await new Promise<void>((done) => site.listen(0, "127.0.0.1", done));
    const address = site.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
    const knowledgeBase = await openSqliteKnowledgeBase({ directory: join(folder, "kb") });
    const { failed } = await ingest({ targets: [url], knowledgeBase });
    expect(failed).toEqual([
      { path: url, reason: expect.stringMatching(/private|not public|address/) },
    ]);
    await knowledgeBase.close();
    site.close();
  });
});
