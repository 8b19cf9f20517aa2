/** Runs a sentence encoder in threads, so that it never blocks the event loop. */
import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { startWorker } from "../support/start-worker.js";
import { abortable } from "../support/waiting.js";
import type { Embedder } from "./embedder.js";
import { readEncoderConfig, type EncoderRequest, type EncoderResponse } from "./encoder-files.js";

/** About 30 MB of vectors of 384 numbers. */
const CACHED = 20_000;
/**
 * Texts per batch, and their characters when padded to the longest. Larger batches gain nothing on
 * two cores, and the runtime keeps the memory of its largest.
 */
const BATCH = { texts: 8, characters: 2_400 };

/**
 * From so many texts on (an index), a second thread shares the work if the runtime is
 * single-threaded: half as fast again, for about 150 MB.
 */
const MANY = 32;
const MOST_THREADS = 2;

interface Batch {
  readonly id: number;
  readonly texts: readonly string[];
  readonly isOneOfMany: boolean;
  resolve(vectors: readonly Float32Array[]): void;
  reject(error: Error): void;
}

interface Thread {
  readonly worker: Worker;
  running?: Batch;
}

/** How long a thread outlives its last reader, for programs that soon ask again. */
const KEPT_WARM_IN_MS = 10_000;

interface Encoder extends Embedder {
  /** Lets running batches finish, since the native runtime would abort the exiting process. */
  rest(): Promise<void>;
}

const shared = new Map<string, { encoder: Encoder; readers: number }>();

/**
 * Creates an encoder whose threads and cache all readers of this process share.
 * @throws UserError when the folder holds no encoder
 */
export function createEncoder(folder: string): Embedder {
  const entry = shared.get(folder) ?? { encoder: startEncoder(folder), readers: 0 };
  shared.set(folder, entry);
  entry.readers += 1;
  let open = true;
  return {
    ...entry.encoder,
    async close() {
      if (!open) return;
      open = false;
      entry.readers -= 1;
      if (entry.readers === 0) await entry.encoder.rest();
      setTimeout(() => {
        if (entry.readers > 0 || shared.get(folder) !== entry) return;
        shared.delete(folder);
        void entry.encoder.close();
      }, KEPT_WARM_IN_MS).unref();
    },
  };
}

/**
 * Runs the encoder in a folder. Its thread starts with the first text, keeps no process alive, and
 * reads few texts (a question) before many (an index). A thread that fails is not started again.
 * @throws UserError when the folder holds no encoder
 */
function startEncoder(folder: string): Encoder {
  const { name, version } = readEncoderConfig(folder);
  const vectors = new LRUCache<string, Float32Array>({ max: CACHED });
  const threads: Thread[] = [];
  let mostThreads = 1;
  let failure: Error | undefined;
  const waiting: Batch[] = [];
  const pending = new Set<Promise<unknown>>();
  let lastId = 0;

  const fail = (error: Error): void => {
    failure ??= error;
    for (const thread of threads) thread.running?.reject(failure);
    for (const batch of waiting.splice(0)) batch.reject(failure);
    for (const { worker } of threads.splice(0)) void worker.terminate();
  };

  const start = (): Thread => {
    const worker = startWorker("./encoder-worker", import.meta.url, { workerData: folder });
    const thread: Thread = { worker };
    threads.push(thread);
    worker.unref();
    worker.on("message", (response: EncoderResponse) => {
      const batch = thread.running;
      if (batch?.id !== response.id) return;
      thread.running = undefined;
      worker.unref();
      if ("error" in response) batch.reject(new Error(response.error));
      else {
        batch.resolve(response.vectors);
        if (response.isSingleThreaded) mostThreads = Math.min(MOST_THREADS, availableParallelism());
      }
      runNext();
    });
    worker.on("error", fail);
    worker.on("exit", (code) => {
      if (threads.includes(thread)) fail(new Error(`the encoder's thread ended with code ${code}`));
    });
    return thread;
  };

  const isIdle = (): boolean => threads.every(({ running }) => running === undefined);

  const runNext = (): void => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const isFull = threads.length >= (next.isOneOfMany ? mostThreads : 1);
      const thread =
        threads.find(({ running }) => running === undefined) ?? (isFull ? undefined : start());
      if (thread === undefined) return;
      waiting.shift();
      thread.running = next;
      thread.worker.ref();
      thread.worker.postMessage({ id: next.id, texts: next.texts } satisfies EncoderRequest);
    }
    if (isIdle() && threads.length > 1) setTimeout(dismiss, KEPT_WARM_IN_MS).unref();
  };

  /** Ends the threads that were started for many texts, to free their memory. */
  const dismiss = (): void => {
    if (!isIdle()) return;
    for (const { worker } of threads.splice(1)) void worker.terminate();
  };

  const encode = (texts: readonly string[], of: number) => {
    const encoded = new Promise<readonly Float32Array[]>((resolve, reject) => {
      if (failure !== undefined) {
        reject(failure);
        return;
      }
      lastId += 1;
      const batch: Batch = { id: lastId, texts, isOneOfMany: of >= MANY, resolve, reject };
      // Somebody is waiting for few texts: they are a question.
      if (of <= BATCH.texts) waiting.unshift(batch);
      else waiting.push(batch);
      runNext();
    });
    pending.add(encoded);
    const done = (): boolean => pending.delete(encoded);
    encoded.then(done, done);
    return encoded;
  };

  return {
    model: version === undefined ? name : `${name}@${version}`,

    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted();
      const keys = texts.map(keyOf);
      const found = new Map(keys.map((key) => [key, vectors.get(key)]));
      const missing = new Map(
        texts.flatMap((text, index) => {
          const key = keys[index] ?? "";
          return found.get(key) === undefined ? [[key, text] as const] : [];
        }),
      );
      const all = batches(missing);
      const lane = async (): Promise<void> => {
        for (const batch of all) {
          signal?.throwIfAborted();
          const encoding = encode(
            batch.map(([, text]) => text),
            missing.size,
          );
          const encoded = await abortable(encoding, signal);
          for (const [index, [key]] of batch.entries()) {
            const vector = encoded[index];
            if (vector === undefined) continue;
            vectors.set(key, vector);
            found.set(key, vector);
          }
        }
      };
      await Promise.all(missing.size >= MANY ? [lane(), lane()] : [lane()]);
      signal?.throwIfAborted();
      return keys.map((key) => found.get(key) ?? new Float32Array());
    },

    remember(texts, known) {
      for (const [index, text] of texts.entries()) {
        const vector = known[index];
        if (vector !== undefined) vectors.set(keyOf(text), vector);
      }
    },

    async rest() {
      for (const batch of waiting.splice(0)) batch.reject(new Error("the encoder is closed"));
      await Promise.allSettled(pending);
    },

    async close() {
      const workers = threads.map(({ worker }) => worker);
      fail(new Error("the encoder is closed"));
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** Puts texts of like length together, so that little is padded. */
function* batches(texts: ReadonlyMap<string, string>): Generator<[string, string][]> {
  let batch: [string, string][] = [];
  for (const entry of [...texts].sort(([, a], [, b]) => a.length - b.length)) {
    const padded = (batch.length + 1) * entry[1].length;
    if (batch.length > 0 && (batch.length >= BATCH.texts || padded > BATCH.characters)) {
      yield batch;
      batch = [];
    }
    batch.push(entry);
  }
  if (batch.length > 0) yield batch;
}

function keyOf(text: string): string {
  return createHash("sha1").update(text).digest("base64");
}
