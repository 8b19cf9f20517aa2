/** The demo knowledge base: the agent's own documentation, kept apart from whatever a user ingests. */
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { SPLITTER_VERSION } from "../ingest/split.js";
import {
  KnowledgeBaseError,
  type Embedder,
  type KnowledgeBase,
} from "../retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../retrieval/sqlite/open-sqlite-knowledge-base.js";

/** In the folder of the demo: which docs it was made of. */
const STAMP_FILE = "made-of.json";

/**
 * Opens the demo, brought up to date with the docs. While neither the docs nor the package changed since the last time, it is opened as it is:
 * reading and comparing every document again would make up a good part of the start.
 *
 * @param root the folder of the package
 */
export async function openDemo({
  directory,
  root,
  embedder,
}: {
  directory: string;
  root: string;
  embedder?: Embedder;
}): Promise<KnowledgeBase> {
  const docs = join(root, "docs");
  const options = { directory: resolve(directory), embedder, embedWhenIdle: true };
  const stamp = await stampOf(docs, root);
  const stampFile = resolve(directory, STAMP_FILE);
  if (stamp === (await readFile(stampFile, "utf8").catch(() => undefined))) {
    try {
      return await openSqliteKnowledgeBase({ ...options, readOnly: true });
    } catch (error) {
      // Gone or damaged: what follows makes it anew, or says why it cannot.
      if (!(error instanceof KnowledgeBaseError)) throw error;
    }
  }
  const { ingest } = await import("../ingest/ingest.js");
  const knowledgeBase = await openSqliteKnowledgeBase(options);
  const pages = await demoPages(docs);
  await ingest({ targets: pages, knowledgeBase, cwd: root, vectors: false });
  // Pages of an earlier version: ingestion takes out what has gone from folders only.
  const present = new Set(pages.map((page) => relative(root, page).split(sep).join("/")));
  const stored = (await knowledgeBase.documents()).map(({ path }) => path);
  await knowledgeBase.remove(stored.filter((path) => !present.has(path)));
  // Without a stamp the next start compares again, which is slower but no mistake.
  await writeFile(stampFile, stamp).catch(() => undefined);
  return knowledgeBase;
}

/** Indexes, requirements, prompts and tables of measurements explain nothing, but hold the words of all that does. */
const NO_EXPLANATION = /^(?:README|specification|prompts|model-path|bench-.*)\.md$/;

/** The pages that explain the agent to its users. */
export async function demoPages(docs: string): Promise<string[]> {
  const names = await readdir(docs, { recursive: true });
  return names
    .filter((name) => name.endsWith(".md") && !NO_EXPLANATION.test(name))
    .map((name) => join(docs, name));
}

/** Changes whenever the passages made of the docs could: with the package, the way of splitting, and the name, size or time of any file. */
async function stampOf(docs: string, root: string): Promise<string> {
  const files = (await readdir(docs, { recursive: true })).sort();
  const facts = await Promise.all(
    files.map(async (file) => {
      const { mtimeMs, size } = await stat(join(docs, file));
      return [file, mtimeMs, size] as const;
    }),
  );
  const manifest: unknown = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const version =
    typeof manifest === "object" && manifest !== null && "version" in manifest
      ? manifest.version
      : undefined;
  return JSON.stringify({ version, splitter: SPLITTER_VERSION, root, files: facts });
}
