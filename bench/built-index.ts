/** Indexes of made-up passages, built for the benchmark or found where it built them before. */
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Embedder } from "../src/reader/embedder.js";
import type { WritableKnowledgeBase } from "../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { syntheticPassages } from "./synthetic-passages.js";

/** An index, the embedder that it was made with, and how fast that was. */
export interface BuiltIndex {
  directory: string;
  embedder: Embedder | undefined;
  /** Passages a second. */
  perSecond: number;
}

export interface BuildIndexOptions {
  directory: string;
  size: number;
  /** Of the vectors; 0 leaves vectors out. */
  dimensions: number;
  onProgress?: (message: string) => void;
}

const BATCH = 500;
/** How fast an index was built, beside it: written last, so that one without it is unfinished. */
const RATE_FILE = "passages-a-second";

/** Builds an index in this folder, unless it is there. */
export async function buildIndex({
  directory,
  size,
  dimensions,
  onProgress,
}: BuildIndexOptions): Promise<BuiltIndex> {
  const embedder = dimensions > 0 ? hashEmbedder(dimensions) : undefined;
  const rateFile = path.join(directory, RATE_FILE);
  if (existsSync(rateFile))
    return { directory, embedder, perSecond: Number(await readFile(rateFile, "utf8")) };
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const knowledgeBase = await openSqliteKnowledgeBase({ directory, embedder });
  const started = performance.now();
  await fill(knowledgeBase, size, onProgress);
  await knowledgeBase.embedPending?.();
  await knowledgeBase.close();
  const perSecond = size / ((performance.now() - started) / 1000);
  await writeFile(rateFile, String(perSecond));
  return { directory, embedder, perSecond };
}

async function fill(
  knowledgeBase: WritableKnowledgeBase,
  size: number,
  onProgress: BuildIndexOptions["onProgress"],
): Promise<void> {
  let stored = 0;
  for (const batch of syntheticPassages(size, BATCH)) {
    await knowledgeBase.put(
      batch.map((passage) => ({
        record: {
          path: passage.path,
          hash: passage.id,
          kind: "text",
          title: passage.title,
          metadata: passage.metadata,
          bytes: passage.text.length,
        },
        passages: [passage],
      })),
    );
    stored += batch.length;
    if (stored % 10_000 === 0) onProgress?.(`${size}: ${stored} stored`);
  }
}

/** Vectors that cost nothing to make, the same for the same text. */
function hashEmbedder(dimensions: number): Embedder {
  const embed = (text: string): number[] => {
    const vector = new Array<number>(dimensions).fill(0);
    for (let index = 0; index < text.length; index++) {
      const place = (text.charCodeAt(index) * 31 + index) % dimensions;
      vector[place] = (vector[place] ?? 0) + 1;
    }
    return vector;
  };
  return {
    model: `hash-${dimensions}`,
    embedDocuments: async (texts) => texts.map(embed),
    embedQuery: async (text) => embed(text),
  };
}
