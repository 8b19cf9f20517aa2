/**
 * `bench reader`: how long one question's evidence is read, with the vectors of the passages at
 * hand as an index holds them, so that only the question is encoded; how long the claims of an
 * answer take; and how quickly passages are encoded.
 */
import { readdir, readFile } from "node:fs/promises";
import { createReader } from "../src/reader/create-reader.js";
import type { ReadablePassage, Reader } from "../src/reader/reader.js";
import { sentences } from "../src/text/sentences.js";
import { latencyOf, type Latency } from "./latency.js";

export interface ReaderReport {
  rows: {
    reader: "trained" | "lexical";
    passages: number;
    /** Of one passage, about. */
    tokens: number;
    /** Milliseconds for one question. */
    p50: number;
    p95: number;
  }[];
  /** Ten sentences held against five passages. */
  support_10: Latency;
  encoding: { passages_per_second: number };
  /** Of the whole process, the runtime's threads included. */
  memory_mb: number;
}

const FOLDER = "docs";
const WORDS = 100;
/** Word pieces of the encoder to a word of these docs. */
const TOKENS_PER_WORD = 1.4;
const WARM_UP = 10;
const ENCODED = 64;

export async function runReaderBench({ quick = false } = {}): Promise<ReaderReport> {
  const next = freshPassages(await sentencesIn(FOLDER));
  const rounds = quick ? 5 : 60;
  const readers = { trained: createReader(), lexical: createReader({ model: "lexical" }) };
  const rows: ReaderReport["rows"] = [];
  try {
    const encoding = await encodingSpeed(readers.trained, next, quick ? 8 : ENCODED);
    for (const reader of ["trained", "lexical"] as const)
      for (const passages of [5, 20]) {
        const measured = await judging(readers[reader], next, passages, rounds);
        rows.push({ reader, passages, tokens: Math.round(WORDS * TOKENS_PER_WORD), ...measured });
      }
    const support = await supporting(readers.trained, next, rounds);
    const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
    return { rows, support_10: support, encoding, memory_mb: memory };
  } finally {
    await readers.trained.close();
  }
}

type Next = () => ReadablePassage;

/** Each question and each passage is new, so that nothing but the vectors is remembered. */
async function judging(
  reader: Reader,
  next: Next,
  count: number,
  rounds: number,
): Promise<Latency> {
  const took: number[] = [];
  for (let round = 0; round < rounds + WARM_UP; round += 1) {
    const passages = Array.from({ length: count }, next);
    const vectors = await reader.embed?.(passages.map(({ text }) => text.slice(0, 80)));
    if (vectors !== undefined) reader.remember?.(passages, vectors);
    const question = `What does the document say about ${next().title}?`;
    const begun = performance.now();
    await reader.relevance({ question, passages });
    if (round >= WARM_UP) took.push(performance.now() - begun);
  }
  return latencyOf(took);
}

async function supporting(reader: Reader, next: Next, rounds: number): Promise<Latency> {
  const took: number[] = [];
  for (let round = 0; round < rounds + WARM_UP; round += 1) {
    const evidence = Array.from({ length: 5 }, next);
    const claims = Array.from({ length: 10 }, () => next().text.slice(0, 120));
    const begun = performance.now();
    await reader.support({ claims, evidence });
    if (round >= WARM_UP) took.push(performance.now() - begun);
  }
  return latencyOf(took);
}

async function encodingSpeed(
  reader: Reader,
  next: Next,
  count: number,
): Promise<ReaderReport["encoding"]> {
  await reader.embed?.([next().text]);
  const texts = Array.from({ length: count }, () => next().text);
  const begun = performance.now();
  await reader.embed?.(texts);
  const seconds = (performance.now() - begun) / 1000;
  return { passages_per_second: Number((count / seconds).toFixed(1)) };
}

interface Counted {
  readonly text: string;
  readonly words: number;
}

async function sentencesIn(folder: string): Promise<Counted[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".md")).sort();
  const texts = await Promise.all(names.map((name) => readFile(`${folder}/${name}`, "utf8")));
  return texts
    .flatMap((text) =>
      sentences(text).map((each) => ({
        text: each.text,
        words: each.text.split(/\s+/u).length,
      })),
    )
    .filter(({ words }) => words > 4);
}

/** Passages of about a hundred words; no two are the same, and each run draws the same. */
function freshPassages(sentences: readonly Counted[]): Next {
  let state = 7;
  // A linear congruential generator (Numerical Recipes).
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return () => {
    const chosen: string[] = [];
    for (let words = 0; words < WORDS;) {
      const { text, words: own } = sentences[Math.floor(random() * sentences.length)] ?? {
        text: "nothing at all to be found here",
        words: 7,
      };
      chosen.push(text);
      words += own;
    }
    return { title: (chosen[0] ?? "").slice(0, 40), text: chosen.join(" ") };
  };
}
