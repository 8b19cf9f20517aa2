import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { openDemo } from "../../src/assembly/demo.js";
import { createReader } from "../../src/reader/create-reader.js";
import { readerEmbedder } from "../../src/retrieval/embedders.js";
import type { WritableKnowledgeBase } from "../../src/retrieval/knowledge-base.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "demo-"));
  await mkdir(join(folder, "docs"));
  await writeFile(join(folder, "package.json"), '{ "version": "1.0.0" }');
  await writeFile(join(folder, "docs", "bees.md"), "# Bees\n\nBees make honey in summer.\n");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the demo says of a word, and whether it can be written to: it can only after it was compared with the docs. */
async function ask(query: string): Promise<{ texts: string[]; compared: boolean }> {
  const demo = await openDemo({ directory: join(folder, "demo"), root: folder });
  const texts = (await demo.search("keyword", { query, limit: 5 })).map(
    ({ passage }) => passage.text,
  );
  const compared = await isWritable(demo);
  await demo.close();
  return { texts, compared };
}

async function isWritable(knowledgeBase: object): Promise<boolean> {
  const { remove }: Partial<Pick<WritableKnowledgeBase, "remove">> = knowledgeBase;
  return (
    (await remove?.call(knowledgeBase, ["nothing.md"]).then(
      () => true,
      () => false,
    )) === true
  );
}

describe("the demo knowledge base", () => {
  it("is made of the docs, and reused while they stay the same", async () => {
    expect(await ask("honey")).toEqual({
      texts: [expect.stringContaining("honey in summer")],
      compared: true,
    });
    expect(await ask("honey")).toEqual({
      texts: [expect.stringContaining("honey in summer")],
      compared: false,
    });
  });

  it("follows the docs and the package", async () => {
    await writeFile(join(folder, "docs", "bees.md"), "# Bees\n\nBees make honey in late spring.\n");
    expect(await ask("honey")).toEqual({
      texts: [expect.stringContaining("late spring")],
      compared: true,
    });
    await writeFile(join(folder, "package.json"), '{ "version": "1.0.1" }');
    expect((await ask("honey")).compared).toBe(true);
  });

  it("drops pages that an update of the package removed", async () => {
    await writeFile(join(folder, "docs", "wasps.md"), "# Wasps\n\nWasps build paper nests.\n");
    expect((await ask("wasps")).texts).toHaveLength(1);
    await rm(join(folder, "docs", "wasps.md"));
    expect((await ask("wasps")).texts).toEqual([]);
  });

  it("is made again if its file is gone", async () => {
    await rm(join(folder, "demo", "kb.sqlite"));
    expect(await ask("honey")).toEqual({
      texts: [expect.stringContaining("late spring")],
      compared: true,
    });
  });

  it("uses the vectors shipped with the package (npm run docs makes them)", async () => {
    const demo = await openDemo({
      directory: join(folder, "shipped"),
      embedder: readerEmbedder(createReader()),
    });
    const { embedding } = await demo.stats();
    await demo.close();
    expect(embedding).toEqual({ model: expect.any(String), dimensions: 384, pending: 0 });
  });
});
