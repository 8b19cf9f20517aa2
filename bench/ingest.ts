/** Staying in step: a large folder of which little changed, a watched folder, a source that changes between runs. */
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ingest } from "../src/ingest/ingest.js";
import type { IngestReport } from "../src/ingest/report.js";
import { watchPaths } from "../src/ingest/watch.js";
import type { WritableKnowledgeBase } from "../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { generator, syntheticPassages } from "./synthetic-passages.js";

type Counts = Pick<IngestReport, "added" | "updated" | "unchanged" | "removed">;

export interface IngestBenchReport {
  /** A folder: read whole, read again as it is, and after one file in a hundred was changed. */
  folder: (Counts & {
    run: "first" | "nothing changed" | "one in a hundred changed";
    seconds: number;
  })[];
  watched: {
    files: number;
    /** Files written, changed, renamed and deleted. */
    changes: number;
    changing_seconds: number;
    /** Runs of the ingestion meanwhile. */
    runs: number;
    /** From the last change to the end of the run that took it over. */
    seconds_behind: number;
    /** Files of which the knowledge base then holds another text, or none, or which are gone. */
    differences: number;
  };
  source: {
    documents: number;
    runs: number;
    /** Documents that were new, different or gone in one of the runs. */
    changes: number;
    /** Runs that counted anything else, or left anything else in the knowledge base. */
    mistakes: number;
    seconds_per_run: number;
  };
}

export interface IngestBenchOptions {
  /** Small numbers: to see that it works. */
  quick?: boolean;
  onProgress?: (message: string) => void;
}

/** Measures the ingestion without vectors, which the encoder makes afterwards. */
export async function runIngestBench({
  quick = false,
  onProgress,
}: IngestBenchOptions = {}): Promise<IngestBenchReport> {
  onProgress?.("a folder");
  const folder = await inNewFolder((place) => benchFolder(place, quick ? 200 : 10_000));
  onProgress?.("a watched folder");
  const watched = await inNewFolder((place) => benchWatch(place, quick ? 50 : 1_000));
  onProgress?.("a source");
  const source = await inNewFolder((place) => benchSource(place, quick ? 100 : 1_000));
  return { folder, watched, source };
}

interface Place {
  /** For files; empty. */
  folder: string;
  knowledgeBase: WritableKnowledgeBase;
}

async function inNewFolder<T>(bench: (place: Place) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(path.join(tmpdir(), "bench-ingest-"));
  const folder = path.join(directory, "docs");
  await mkdir(folder);
  const knowledgeBase = await openSqliteKnowledgeBase({ directory: path.join(directory, "kb") });
  try {
    return await bench({ folder, knowledgeBase });
  } finally {
    await knowledgeBase.close();
    await rm(directory, { recursive: true });
  }
}

/** Texts of about 300 words, endlessly. */
function* texts(): Generator<string> {
  for (;;)
    for (const batch of syntheticPassages(3_000, 3))
      yield `# ${batch[0]?.title ?? ""}\n\n${batch.map(({ text }) => text).join("\n\n")}\n`;
}

const EVERY = 100;

async function benchFolder(
  { folder, knowledgeBase }: Place,
  count: number,
): Promise<IngestBenchReport["folder"]> {
  const text = texts();
  const files = Array.from({ length: count }, (_, at) =>
    path.join(folder, String(at % EVERY), `${at}.md`),
  );
  for (let part = 0; part < Math.min(EVERY, count); part++)
    await mkdir(path.join(folder, String(part)));
  for (const file of files) await writeFile(file, nextOf(text));
  const run = async (name: IngestBenchReport["folder"][number]["run"]) => {
    const report = await ingest({ targets: [folder], knowledgeBase, vectors: false });
    return { run: name, ...countsOf(report), seconds: round(report.took_ms / 1_000) };
  };
  const runs = [await run("first"), await run("nothing changed")];
  for (const [at, file] of files.entries())
    if (at % EVERY === 0) await writeFile(file, `${nextOf(text)}\nChanged.\n`);
  return [...runs, await run("one in a hundred changed")];
}

/** From one change of a watched folder to the next. */
const PAUSE_IN_MS = 20;

async function benchWatch(
  { folder, knowledgeBase }: Place,
  changes: number,
): Promise<IngestBenchReport["watched"]> {
  const text = texts();
  const random = generator(3);
  const pick = (): string => [...held.keys()][Math.floor(random() * held.size)] ?? "";
  const held = new Map<string, string>();
  let created = 0;
  const write = async (name: string): Promise<void> => {
    held.set(name, `${nextOf(text)}\nText ${(created += 1)}.\n`);
    await writeFile(path.join(folder, name), held.get(name) ?? "");
  };
  for (let at = 0; at < changes / 5; at++) await write(`${created}.md`);
  const end = new AbortController();
  let runs = 0;
  let inStepAt = 0;
  const take = async (): Promise<void> => {
    await ingest({ targets: [folder], knowledgeBase, vectors: false });
    runs += 1;
    inStepAt = performance.now();
  };
  const watching = watchPaths([folder], take, { signal: end.signal });
  const started = performance.now();
  let changedAt = started;
  const files = held.size;
  for (let change = 0; change < changes; change++) {
    const [kind, name] = [change % 4, pick()];
    if (kind === 0) await write(`${created}.md`);
    else if (kind === 1) await write(name);
    else if (kind === 2) {
      const renamed = `${(created += 1)}.md`;
      await rename(path.join(folder, name), path.join(folder, renamed));
      held.set(renamed, held.get(name) ?? "");
      held.delete(name);
    } else {
      await rm(path.join(folder, name));
      held.delete(name);
    }
    changedAt = performance.now();
    await wait(PAUSE_IN_MS);
  }
  // Nothing is said of the last run: it is the last if none follows for so long.
  while (performance.now() - Math.max(changedAt, inStepAt) < 5_000) await wait(100);
  end.abort();
  await watching;
  return {
    ...{ files, changes, runs },
    changing_seconds: round((changedAt - started) / 1_000),
    seconds_behind: round((inStepAt - changedAt) / 1_000),
    differences: await differences(folder, held, knowledgeBase),
  };
}

async function differences(
  folder: string,
  held: ReadonlyMap<string, string>,
  knowledgeBase: WritableKnowledgeBase,
): Promise<number> {
  const documents = await knowledgeBase.documents();
  const isGone = ({ absolutePath = "" }): boolean => !held.has(path.relative(folder, absolutePath));
  let different = documents.filter(isGone).length;
  for (const [name] of held) {
    const document = documents.find((each) => each.absolutePath === path.join(folder, name));
    const stored = document && (await knowledgeBase.passagesOf(document.path)).at(-1)?.text;
    const last = (await readFile(path.join(folder, name), "utf8")).trim().split("\n").at(-1) ?? "";
    if (stored?.endsWith(last) !== true) different += 1;
  }
  return different;
}

const SOURCE_RUNS = 20;

async function benchSource(
  { knowledgeBase }: Place,
  documents: number,
): Promise<IngestBenchReport["source"]> {
  const text = texts();
  const random = generator(4);
  const held = new Map<number, string>();
  const wiki = {
    load: async () => [...held].map(([id, pageContent]) => ({ pageContent, metadata: { id } })),
  };
  let created = 0;
  const add = (): void => void held.set((created += 1), `${nextOf(text)} ${created}`);
  for (let at = 0; at < documents; at++) add();
  await ingest({ targets: [], knowledgeBase, loaders: { wiki }, vectors: false });
  let [changes, mistakes, milliseconds] = [0, 0, 0];
  for (let run = 0; run < SOURCE_RUNS; run++) {
    const before = new Map(held);
    for (const [id, old] of before) {
      const luck = random();
      if (luck < 0.01) held.delete(id);
      else if (luck < 0.03) held.set(id, `${old} and ${run}`);
      else if (luck < 0.04) add();
    }
    const truth: Counts = {
      added: [...held.keys()].filter((id) => !before.has(id)).length,
      updated: [...held].filter(([id, now]) => before.has(id) && before.get(id) !== now).length,
      unchanged: [...held].filter(([id, now]) => before.get(id) === now).length,
      removed: [...before.keys()].filter((id) => !held.has(id)).length,
    };
    const report = await ingest({ targets: [], knowledgeBase, loaders: { wiki }, vectors: false });
    const stored = (await knowledgeBase.documents()).map((each) => each.path).sort();
    const isRight =
      JSON.stringify(countsOf(report)) === JSON.stringify(truth) &&
      stored.join() ===
        [...held.keys()]
          .map((id) => `wiki/${id}`)
          .sort()
          .join();
    if (!isRight) mistakes += 1;
    changes += truth.added + truth.updated + truth.removed;
    milliseconds += report.took_ms;
  }
  const seconds_per_run = round(milliseconds / SOURCE_RUNS / 1_000);
  return { documents, runs: SOURCE_RUNS, changes, mistakes, seconds_per_run };
}

function countsOf({ added, updated, unchanged, removed }: Counts): Counts {
  return { added, updated, unchanged, removed };
}

function nextOf(text: Generator<string>): string {
  return String(text.next().value);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
