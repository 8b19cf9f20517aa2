/**
 * `eval users`: questions in users' words over whole documentation sources, without a model. Is the truth found, is it on the screen, and is what is
 * asserted right?
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { createCorrectiveRag, type CorrectiveRagResult } from "../src/corrective-rag.js";
import { createReader } from "../src/reader/create-reader.js";
import type { Reader } from "../src/reader/reader.js";
import { openSqliteKnowledgeBase } from "../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import type { StoredDocument } from "../src/retrieval/knowledge-base.js";
import { readJsonLines } from "./json-lines.js";
import { UserError } from "../src/support/errors.js";
import { contentTerms } from "../src/text/analyse.js";
import { oneLine } from "../src/text/words.js";
import { ISOLATED } from "./ask-question.js";
import { createBm25 } from "./bm25.js";
import { cachedEmbedder } from "./cached-embedder.js";
import { evenlySpread } from "./evenly-spread.js";
import { quantile } from "./statistics.js";

const PassageRecord = z.object({
  id: z.string(),
  source: z.string(),
  path: z.string(),
  position: z.number(),
  title: z.string(),
  heading: z.string().nullish(),
  text: z.string(),
  sentences: z.array(z.string()).nullish(),
});
type PassageRecord = z.infer<typeof PassageRecord>;

const QuestionRecord = z.object({
  source: z.string(),
  passage: z.string(),
  question: z.string(),
  answerable: z.boolean(),
  sentences: z.array(z.number()),
});
const PoolRecord = z.object({
  source: z.string(),
  question: z.string(),
  /** 2 answers fully, 1 in part. */
  answers: z.record(z.string(), z.number()),
});

/** A question with what answers it; nothing for an unanswerable one. */
interface Asked {
  source: string;
  question: string;
  /** Ids of the passages that answer fully. */
  full: ReadonlySet<string>;
  /** Sentences that are the answer. */
  gold: readonly string[];
}

/** The usual choice for passages (Anserini). */
const BM25 = { k1: 0.9, b: 0.4 };

/** What one question came to. */
interface Outcome {
  source: string;
  answerable: boolean;
  /** Place of the first passage that answers fully, from 0; Infinity if it was not found. */
  rank: number;
  plainRank: number;
  onScreen: boolean;
  asserted: boolean;
  right: boolean;
  nothing: boolean;
  tookMs: number;
}

type Truth = Record<"truth_at_1" | "truth_at_3" | "truth_at_5", number>;

interface Figures extends Truth {
  n: number;
  unanswerable: number;
  truth_on_screen: number;
  asserted: number;
  asserted_right: number;
  unanswerable_asserted: number;
  nothing_near: number;
  latency_ms: { p50: number; p95: number };
  plain: Truth;
}

export type UsersReport = Figures & { by_source: Record<string, Figures> };

/** @throws UserError when the folder is not of the format */
export async function runUsersEval({
  directory,
  limit,
  pool = false,
  onProgress,
}: {
  directory: string;
  /** Questions of each source, spread evenly. */
  limit?: number;
  /** Only the questions whose pooled passages were all judged. */
  pool?: boolean;
  onProgress?: (done: number, total: number) => void;
}): Promise<UsersReport> {
  const passages = await readPassages(directory);
  const all = pool ? await pooled(directory) : await labeled(directory, passages);
  const sources = [...new Set(all.map(({ source }) => source))];
  const asked = new Map(
    sources.map((source) => [
      source,
      evenlySpread(
        all.filter((each) => each.source === source),
        limit,
      ),
    ]),
  );
  const total = [...asked.values()].reduce((sum, { length }) => sum + length, 0);
  const outcomes: Outcome[] = [];
  for (const [source, questions] of asked)
    await askSource(
      passages.filter((passage) => passage.source === source),
      questions,
      (outcome) => {
        outcomes.push(outcome);
        onProgress?.(outcomes.length, total);
      },
    );
  const bySource = sources.map((source): [string, Figures] => [
    source,
    figuresOf(outcomes.filter((outcome) => outcome.source === source)),
  ]);
  return { ...figuresOf(outcomes), by_source: Object.fromEntries(bySource) };
}

export async function readPassages(directory: string): Promise<PassageRecord[]> {
  return readJsonLines(join(directory, "passages.jsonl"), PassageRecord, "passages");
}

export async function pooled(directory: string): Promise<Asked[]> {
  const records = await readJsonLines(join(directory, "pool.jsonl"), PoolRecord, "judged pools");
  return records.map(({ source, question, answers }) => ({
    source,
    question,
    full: new Set(Object.entries(answers).flatMap(([id, grade]) => (grade === 2 ? [id] : []))),
    gold: [],
  }));
}

export async function labeled(
  directory: string,
  passages: readonly PassageRecord[],
): Promise<Asked[]> {
  const records = await readJsonLines(
    join(directory, "questions.jsonl"),
    QuestionRecord,
    "questions",
  );
  const known = new Map(passages.map((passage) => [passage.id, passage]));
  return records.map(({ source, passage, question, answerable, sentences }) => ({
    source,
    question,
    full: new Set(answerable ? [passage] : []),
    gold: sentences.flatMap((index) => known.get(passage)?.sentences?.[index] ?? []),
  }));
}

/** Makes the index of one source in a folder of its own; `close` removes it and closes the reader. */
export async function openSource(passages: readonly PassageRecord[], reader: Reader) {
  const folder = await mkdtemp(join(tmpdir(), "eval-users-"));
  const knowledgeBase = await openSqliteKnowledgeBase({
    directory: folder,
    embedder: cachedEmbedder(reader),
  });
  await knowledgeBase.put(documentsOf(passages));
  await knowledgeBase.embedPending?.();
  return {
    knowledgeBase,
    async close() {
      await knowledgeBase.close();
      await reader.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Asks the questions of one source; the index is made before, and only a question's time counts. */
async function askSource(
  passages: readonly PassageRecord[],
  questions: readonly Asked[],
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  if (passages.length === 0) throw new UserError("the questions name a source without passages");
  const reader = createReader({ model: process.env["CRAG_READER"] });
  const { knowledgeBase, close } = await openSource(passages, reader);
  const agent = createCorrectiveRag({
    model: "embedded",
    knowledgeBase,
    reader,
    environment: { ...process.env, ...ISOLATED },
  });
  try {
    const texts = passages.map(({ title, heading, text }) =>
      contentTerms(`${title} ${heading ?? ""} ${text}`),
    );
    const search = createBm25(texts, BM25);
    // The first question loads the encoder.
    await agent.ask(passages[0]?.title ?? "");
    for (const asked of questions) {
      const begun = performance.now();
      const result = await agent.ask(asked.question);
      const tookMs = performance.now() - begun;
      const plain = search(contentTerms(asked.question), 5).map((at) => passages[at]?.id ?? "");
      onOutcome(outcomeOf(asked, result, plain, tookMs));
    }
  } finally {
    await agent.close();
    await close();
  }
}

function documentsOf(passages: readonly PassageRecord[]): StoredDocument[] {
  const byPath = new Map<string, PassageRecord[]>();
  for (const passage of passages)
    byPath.set(passage.path, [...(byPath.get(passage.path) ?? []), passage]);
  return [...byPath].map(([path, own]) => {
    const kind = "markdown" as const;
    const title = own[0]?.title ?? path;
    const ordered = own.toSorted((a, b) => a.position - b.position);
    return {
      record: { path, hash: path, kind, title, bytes: 0 },
      passages: ordered.map(({ id, text, title: above, heading }) => ({
        id,
        text,
        title: above,
        path,
        kind,
        ...(heading && { heading }),
      })),
    };
  });
}

export function outcomeOf(
  { source, full, gold }: Asked,
  { answer, citations, passages, outcome, details }: CorrectiveRagResult,
  plain: readonly string[],
  tookMs: number,
): Outcome {
  const scored = [...(details?.kept ?? []), ...(details?.discarded ?? [])];
  const ranked = [
    ...passages.map(({ evidence_id: id }) => id),
    ...citations.map(({ evidence_id: id }) => id),
    ...scored.toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0)).map(({ id }) => id),
  ];
  const asserted = outcome.status === "success";
  const said = oneLine(answer);
  const isTrue = ({ evidence_id: id }: { evidence_id: string }): boolean => full.has(id);
  const right =
    asserted &&
    (citations.some(isTrue) || gold.some((sentence) => said.includes(oneLine(sentence))));
  return {
    source,
    answerable: full.size > 0,
    rank: rankOf([...new Set(ranked)], full),
    plainRank: rankOf(plain, full),
    onScreen: right || passages.some(isTrue),
    asserted,
    right,
    nothing: outcome.status === "abstained",
    tookMs,
  };
}

function rankOf(ids: readonly string[], full: ReadonlySet<string>): number {
  const at = ids.findIndex((id) => full.has(id));
  return at === -1 ? Infinity : at;
}

export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const answerable = outcomes.filter((each) => each.answerable);
  const others = outcomes.filter((each) => !each.answerable);
  const asserted = answerable.filter((each) => each.asserted);
  const times = outcomes.map(({ tookMs }) => tookMs);
  const truth = (rank: (outcome: Outcome) => number): Truth => {
    const at = (k: number): number => share(answerable, (each) => rank(each) < k);
    return { truth_at_1: at(1), truth_at_3: at(3), truth_at_5: at(5) };
  };
  return {
    n: outcomes.length,
    unanswerable: others.length,
    ...truth(({ rank }) => rank),
    truth_on_screen: share(answerable, ({ onScreen }) => onScreen),
    asserted: asserted.length / Math.max(1, answerable.length),
    asserted_right: share(asserted, ({ right }) => right),
    unanswerable_asserted: share(others, (each) => each.asserted),
    nothing_near: share(answerable, ({ nothing }) => nothing),
    latency_ms: { p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
    plain: truth(({ plainRank }) => plainRank),
  };
}

function share(items: readonly Outcome[], holds: (item: Outcome) => boolean): number {
  return items.length === 0 ? 0 : items.filter(holds).length / items.length;
}
