/** The demo knowledge base, made of the agent's docs for users without documents. */
import { createHash } from "node:crypto";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { z } from "zod";
import type { Embedder, Vector } from "../reader/embedder.js";
import { KnowledgeBaseError, type KnowledgeBase } from "../retrieval/knowledge-base.js";
import { PACKAGE_ROOT, packageVersion } from "../support/packages.js";

export const DEMO_DIRECTORY = join(".corrective-rag", "demo");
/** Records, in the folder of the demo, the docs that it was made of. */
const STAMP_FILE = "made-of.json";

/**
 * Opens the demo and brings it up to date if the docs or the package changed; comparing every
 * document each time would slow down the start.
 * @param root the folder of the package
 */
export async function openDemo({
  directory,
  root = PACKAGE_ROOT,
  embedder,
}: {
  directory: string;
  root?: string;
  embedder?: Embedder;
}): Promise<KnowledgeBase> {
  const { openSqliteKnowledgeBase } =
    await import("../retrieval/sqlite/open-sqlite-knowledge-base.js");
  const docs = join(root, "docs");
  const options = { directory: resolve(directory), embedder };
  const stamp = await stampOf(docs, root);
  const stampFile = resolve(directory, STAMP_FILE);
  if (stamp === (await readFile(stampFile, "utf8").catch(() => undefined))) {
    try {
      return await openSqliteKnowledgeBase({ ...options, readOnly: true });
    } catch (error) {
      // Missing or damaged: it is rebuilt below.
      if (!(error instanceof KnowledgeBaseError)) throw error;
    }
  }
  const shipped = embedder && (await shippedVectors(root, embedder.model));
  // Its vectors are made here once; the model stays open for the questions.
  const fresh = {
    ...options,
    embedder: shipped ?? (embedder && { ...embedder, close: undefined }),
  };
  const knowledgeBase = await openSqliteKnowledgeBase(fresh).catch(async () => {
    // It may be from an earlier version, and holds nothing of the user's.
    await rm(options.directory, { recursive: true, force: true });
    return openSqliteKnowledgeBase(fresh);
  });
  try {
    const { ingest } = await import("../ingest/ingest.js");
    const pages = await demoPages(docs);
    await ingest({ targets: pages, knowledgeBase, cwd: root, vectors: false });
    // Pages of an earlier version, which ingestion only removes from ingested folders.
    const present = new Set(pages.map((page) => relative(root, page).split(sep).join("/")));
    const stored = (await knowledgeBase.documents()).map(({ path }) => path);
    await knowledgeBase.remove(stored.filter((path) => !present.has(path)));
    // Passages newer than the shipped vectors are found by their words.
    await knowledgeBase.embedPending?.().catch(() => undefined);
    // Without a stamp the next start compares again.
    await writeFile(stampFile, stamp).catch(() => undefined);
  } finally {
    await knowledgeBase.close();
  }
  return openSqliteKnowledgeBase(options);
}

/** Reference and records, which hold the words of the explanations without explaining anything. */
const NO_EXPLANATION = [
  "api.md",
  "decisions.md",
  "specification.md",
  "prompts.md",
  "model-path.md",
];

export async function demoPages(docs: string): Promise<string[]> {
  const names = await readdir(docs, { recursive: true });
  return names
    .filter((name) => name.endsWith(".md") && !name.startsWith("bench-"))
    .filter((name) => !NO_EXPLANATION.includes(name))
    .map((name) => join(docs, name));
}

/**
 * Returns the shipped vectors of the docs, which would take the encoder some ten seconds. Any other
 * text is rejected.
 */
async function shippedVectors(root: string, model: string): Promise<Embedder | undefined> {
  const text = await readFile(join(root, DEMO_VECTORS), "utf8").catch(() => undefined);
  const shipped = text === undefined ? undefined : DemoVectors.parse(JSON.parse(text));
  if (shipped?.model !== model) return undefined;
  const vectorOf = (passage: string): Vector => {
    const bytes = shipped.vectors[keyOf(passage)];
    if (bytes === undefined) throw new KnowledgeBaseError("the docs are newer than their vectors");
    return new Int8Array(Buffer.from(bytes, "base64"));
  };
  return {
    model,
    embedDocuments: async (texts) => texts.map(vectorOf),
    embedQuery: async (query) => vectorOf(query),
  };
}

/** Vectors of the docs, written by `npm run docs`. */
export const DEMO_VECTORS = join("models", "demo-vectors.json");

/** Vectors by passage text, one byte per dimension. */
export const DemoVectors = z.object({
  model: z.string(),
  vectors: z.record(z.string(), z.string()),
});

export type DemoVectors = z.output<typeof DemoVectors>;

export function keyOf(passage: string): string {
  return createHash("sha1").update(passage).digest("base64").slice(0, 12);
}

/** Changes with the package and every file of the docs. */
async function stampOf(docs: string, root: string): Promise<string> {
  const files = await Promise.all(
    (await readdir(docs, { recursive: true })).sort().map(async (file) => {
      const { mtimeMs, size } = await stat(join(docs, file));
      return [file, mtimeMs, size];
    }),
  );
  return JSON.stringify({ version: packageVersion(root), files });
}
