/** Vectors that passages still lack: made in batches, each stored in a transaction of its own. */
import { passageText } from "../../reader/reader.js";
import { checkSizes, readablePassage } from "../indexed-text.js";
import {
  KnowledgeBaseError,
  PassageSchema,
  type EmbedPendingOptions,
  type Embedder,
  type WritableKnowledgeBase,
} from "../knowledge-base.js";
import type { Database } from "./database.js";
import { PASSAGE_COLUMNS, PASSAGES, type Meta } from "./schema.js";
import {
  createVectorTable,
  dropVectors,
  isOtherVersion,
  openVectorTable,
  storedEmbedding,
  type VectorExtension,
} from "./vectors.js";

/** Passages at a time: a second or two of work on a slow machine. */
const BATCH = 32;

/** Counts the passages without a vector. */
export function pendingCount(database: Database): number {
  return Number(database.all("SELECT count(*) AS n FROM pending_vectors")[0]?.["n"]);
}

/**
 * Embeds all pending passages. Another process may remove documents meanwhile, or embed as well.
 * @throws KnowledgeBaseError when the model fails or its vectors do not fit; the signal's reason
 */
export async function embedPending(
  {
    database,
    meta,
    embedder,
    extension,
  }: { database: Database; meta: Meta; embedder: Embedder; extension: VectorExtension },
  { onProgress, signal }: EmbedPendingOptions,
): Promise<void> {
  const { file } = database;
  const { model } = embedder;
  const stored = storedEmbedding(database, meta);
  if (stored !== undefined && isOtherVersion(model, stored.model)) dropVectors(database, meta);
  const total = pendingCount(database);
  let done = 0;
  let table = await openVectorTable(database, meta, extension);
  for (;;) {
    signal?.throwIfAborted();
    const batch = database.all(
      `SELECT ${PASSAGE_COLUMNS} FROM ${PASSAGES} JOIN pending_vectors v ON p.id = v.passage
       ORDER BY p.id LIMIT ${BATCH}`,
    );
    if (batch.length === 0) return;
    const texts = batch.map((row) => passageText(readablePassage(PassageSchema.parse(row))));
    const vectors = await embedder.embedDocuments(texts, signal);
    const dimensions = vectors[0]?.length;
    if (vectors.length !== texts.length || dimensions === undefined)
      throw new KnowledgeBaseError(
        `${model} gave ${vectors.length} vectors for ${texts.length} texts`,
      );
    const size = { model, dimensions };
    const into = (table ??= await createVectorTable(database, meta, size, extension));
    if (into === undefined)
      throw new KnowledgeBaseError(
        `The vectors of ${file} were stored with sqlite-vec, which does not load on this machine`,
        "Ingest into a new directory with --kb, or on the machine that made this one.",
      );
    const index = storedEmbedding(database, meta);
    if (index !== undefined) checkSizes(index, model, vectors);
    database.transaction(() => {
      batch.forEach(({ row }, index) => {
        const vector = vectors[index];
        const still = database.all(
          "DELETE FROM pending_vectors WHERE passage = ? RETURNING passage",
          [Number(row)],
        );
        if (still.length > 0 && vector !== undefined) into.insert(Number(row), vector);
      });
      meta.revise();
    });
    done += batch.length;
    onProgress?.({ done, total: Math.max(total, done) });
  }
}

/** Quiet time after which it goes on: an answer is mostly out by then, and `ask` is gone. */
const IDLE_IN_MS = 3_000;

/** Makes missing vectors while nobody searches. */
export interface IdleEmbedding {
  /** Somebody searched: what is under way stops after its batch, and waits for quiet again. */
  touch(): void;
  stop(): Promise<void>;
}

/** @param open opens a connection that may write; where that fails, words go on alone */
export function createIdleEmbedding({
  isNeeded,
  open,
  idleInMs = IDLE_IN_MS,
}: {
  isNeeded: () => boolean;
  open: () => Promise<WritableKnowledgeBase>;
  idleInMs?: number;
}): IdleEmbedding {
  let timer: NodeJS.Timeout | undefined;
  let controller = new AbortController();
  let done = Promise.resolve();
  let isOver = false;

  const work = async ({ signal }: AbortController): Promise<void> => {
    try {
      const store = await open();
      try {
        await store.embedPending?.({ signal });
      } finally {
        await store.close();
      }
    } catch {
      isOver ||= !signal.aborted;
    }
  };
  const halt = (): void => {
    clearTimeout(timer);
    controller.abort();
  };
  return {
    touch() {
      halt();
      if (isOver || !isNeeded()) return;
      timer = setTimeout(() => {
        controller = new AbortController();
        const mine = controller;
        done = done.then(() => work(mine));
      }, idleInMs);
      timer.unref();
    },
    async stop() {
      isOver = true;
      halt();
      await done;
    },
  };
}
