/**
 * `npm run fuzz -- [MINUTES] [SEED]`: random mixtures of hostile shapes through loaders, analysis of
 * text, questions and patterns. Ends with 1 and the case as JSON as soon as one takes more time for
 * its size than it may.
 */
import { writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { createCorrectiveRag } from "../src/index.js";
import { ingest } from "../src/ingest/ingest.js";
import { LoadError } from "../src/formats/document.js";
import { parseFile } from "../src/ingest/parse-file.js";
import { globMatcher } from "../src/retrieval/search-filter.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { searchTerms } from "../src/text/analyse.js";
import { sentences } from "../src/text/sentences.js";
import { CSV, HTML, JSON_SHAPES, MARKDOWN, WORDS, type Shapes } from "../tests/hostile/shapes.js";

/** Of processor time; a quadratic case of 50 KB takes a hundred times as long. */
const MS_PER_BYTE = 0.1;
const MS_BEFORE = 2_000;
/** What does not end at all is ended from outside. */
const MS_AT_MOST = 120_000;

const [minutes = 10, seed = Date.now() % 1e9] = process.argv.slice(2).map(Number);
const random = generator(seed);
const FILES: Readonly<Record<string, Shapes>> = {
  ".txt": WORDS,
  ".md": { ...MARKDOWN, ...HTML },
  ".html": HTML,
  ".csv": CSV,
  ".json": JSON_SHAPES,
};
const QUESTION = 8_000;

interface Case {
  kind: string;
  text: string;
}

const CASES: Readonly<Record<string, () => Case>> = {
  file: () => {
    const extension = oneOf(Object.keys(FILES));
    return { kind: extension, text: mixture({ ...WORDS, ...FILES[extension] }, 60_000) };
  },
  text: () => ({ kind: "text", text: mixture(WORDS, 60_000) }),
  question: () => ({ kind: "question", text: mixture(WORDS, QUESTION) }),
  glob: () => ({ kind: "glob", text: letters("ab*?{},/.", 120) }),
};

const agent = await demoAgent();
const watch = watchdog();
const ends = Date.now() + minutes * 60_000;
const counts: Record<string, number> = {};
let slowest = { kind: "", characters: 0, ms: 0 };
while (Date.now() < ends) {
  const tried = oneOf(Object.values(CASES))();
  const size = Buffer.byteLength(tried.text);
  watch.postMessage(tried);
  // Processor time: others may be busy on this machine as well.
  const started = process.cpuUsage();
  await run(tried);
  const used = process.cpuUsage(started);
  const ms = (used.user + used.system) / 1_000;
  watch.postMessage(undefined);
  counts[tried.kind] = (counts[tried.kind] ?? 0) + 1;
  if (ms > slowest.ms) slowest = { kind: tried.kind, characters: tried.text.length, ms };
  if (ms > MS_BEFORE + size * MS_PER_BYTE) fail(tried, ms);
}
process.stdout.write(`${JSON.stringify({ seed, minutes, cases: counts, slowest })}\n`);
process.exit(0);

async function run({ kind, text }: Case): Promise<void> {
  if (kind === "text") {
    searchTerms(text);
    sentences(text);
  } else if (kind === "question") await agent.ask(text);
  else if (kind === "glob") globMatcher(text)("a/b/".repeat(250));
  else
    await parseFile({ file: `a${kind}`, path: "a", bytes: Buffer.from(text) }).catch(
      (error: unknown) => {
        if (!(error instanceof LoadError) || /reading it/.test(error.message)) throw error;
      },
    );
}

function mixture(shapes: Shapes, characters: number): string {
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
    oneOf(Object.values(shapes))(Math.ceil((characters / 3) * random() ** 2)),
  );
  return parts.join(oneOf(["", " ", "\n", "\n\n", "<p>", ","]));
}

function letters(alphabet: string, longest: number): string {
  const length = 1 + Math.floor(random() * longest);
  return Array.from({ length }, () => oneOf(Array.from(alphabet))).join("");
}

function oneOf<T>(items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError("nothing to choose from");
  return item;
}

/** Mulberry32: a run can be repeated by its seed. */
function generator(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

async function demoAgent(): Promise<ReturnType<typeof createCorrectiveRag>> {
  const directory = await mkdtemp(path.join(tmpdir(), "fuzz-"));
  const knowledgeBase = await openSqliteKnowledgeBase({ directory });
  await ingest({ targets: ["docs"], knowledgeBase });
  // The encoder reads at most so many tokens of a text, in a thread of its own, and its first texts
  // take seconds whatever they are.
  return createCorrectiveRag({ knowledgeBase, settings: { reader: "lexical" } });
}

function fail(tried: Case, ms: number): never {
  writeFileSync("fuzz-case.json", JSON.stringify(tried));
  process.stderr.write(
    `${tried.kind} of ${tried.text.length} characters took ${ms} ms: fuzz-case.json\n`,
  );
  process.exit(1);
}

/** Another thread, since this one may hang. */
function watchdog(): Worker {
  const code = `
    let timer;
    require("node:worker_threads").parentPort.on("message", (tried) => {
      clearTimeout(timer);
      if (tried === undefined) return;
      timer = setTimeout(() => {
        require("node:fs").writeFileSync("fuzz-case.json", JSON.stringify(tried));
        require("node:fs").writeSync(2, tried.kind + " did not end: fuzz-case.json\\n");
        process.kill(process.pid, "SIGKILL");
      }, ${MS_AT_MOST});
    });`;
  return new Worker(code, { eval: true });
}
