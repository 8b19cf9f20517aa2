/** Makes the vectors of the demo: what has not changed since the last time is kept. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMO_VECTORS, demoPages, DemoVectors, keyOf } from "../src/assembly/demo.js";
import { ingest } from "../src/ingest/ingest.js";
import { createReader } from "../src/reader/create-reader.js";
import { passageText } from "../src/reader/reader.js";
import { readablePassage } from "../src/retrieval/indexed-text.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";

/** Returns the texts of the demo's passages as they are embedded. */
export async function demoTexts(): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), "demo-vectors-"));
  const knowledgeBase = await openSqliteKnowledgeBase({ directory });
  try {
    await ingest({ targets: await demoPages("docs"), knowledgeBase, vectors: false });
    const documents = await knowledgeBase.documents();
    const passages = await Promise.all(documents.map(({ path }) => knowledgeBase.passagesOf(path)));
    return passages.flat().map((passage) => passageText(readablePassage(passage)));
  } finally {
    await knowledgeBase.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns the vectors in the package, by the keys of their texts. */
export async function demoVectors(): Promise<DemoVectors> {
  return DemoVectors.parse(JSON.parse(await readFile(DEMO_VECTORS, "utf8")));
}

/** Returns true if the file has been written. */
export async function writeDemoVectors(): Promise<boolean> {
  const reader = createReader();
  try {
    const { model = "", embed } = reader;
    if (embed === undefined) throw new Error("the reader has no encoder");
    const known = await demoVectors().catch(() => undefined);
    const before = known?.model === model ? known.vectors : {};
    const texts = await demoTexts();
    const missing = texts.filter((text) => !(keyOf(text) in before));
    if (missing.length === 0 && Object.keys(before).length === new Set(texts).size) return false;
    const made = await embed(missing);
    const added = missing.map((text, index) => [keyOf(text), bytesOf(made[index] ?? [])]);
    const all: Record<string, string> = { ...before, ...Object.fromEntries(added) };
    const vectors = Object.fromEntries(
      texts.map((text) => [keyOf(text), all[keyOf(text)] ?? ""]).sort(),
    );
    await writeFile(DEMO_VECTORS, `${JSON.stringify({ model, vectors }, undefined, 1)}\n`);
    return true;
  } finally {
    await reader.close();
  }
}

/** A vector's direction is all that counts, so that its largest number may be 127. */
function bytesOf(vector: ArrayLike<number>): string {
  const values = Array.from(vector);
  const largest = Math.max(...values.map(Math.abs)) || 1;
  return Buffer.from(Int8Array.from(values, (x) => Math.round((x / largest) * 127))).toString(
    "base64",
  );
}
