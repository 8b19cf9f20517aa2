/** Runs a sentence encoder in threads, so that it never blocks the event loop. */
import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { startWorker } from "../support/start-worker.js";
import { abortable } from "../support/waiting.js";
import type { Embedder } from "./embedder.js";
import { readEncoderConfig, type EncoderRequest, type EncoderResponse } from "./encoder-files.js";
import type { JointPair, JointScores } from "./joint-layout.js";

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

/** Readings, and pairs of like length that are read at once. */
const CACHED_READINGS = 5_000;
const PAIRS = { texts: 5, characters: 6_000 };

/** How long a thread outlives its last use, for programs that soon ask again. */
const KEPT_WARM_IN_MS = 10_000;

/** An embedder that can be given vectors which are known already, those of an index. */
export interface Encoder extends Embedder {
  remember(texts: readonly string[], vectors: readonly Float32Array[]): void;
  /** Reads questions or claims together with passages; absent without a joint reader. */
  readTogether?(pairs: readonly JointPair[], signal?: AbortSignal): Promise<JointScores[]>;
}

const shared = new Map<string, ReturnType<typeof startEncoder> & { readers: number }>();

/**
 * Creates an encoder whose threads and cache all readers of this process share.
 * @throws UserError when the folder holds no encoder
 */
export function createEncoder(folder: string): Encoder {
  const entry = shared.get(folder) ?? { ...startEncoder(folder), readers: 0 };
  shared.set(folder, entry);
  entry.readers += 1;
  let open = true;
  return {
    ...entry.encoder,
    async close() {
      if (!open) return;
      open = false;
      entry.readers -= 1;
      if (entry.readers === 0) await entry.rest();
      setTimeout(() => {
        if (entry.readers > 0 || shared.get(folder) !== entry) return;
        shared.delete(folder);
        entry.end();
      }, KEPT_WARM_IN_MS).unref();
    },
  };
}

/**
 * Runs the encoder in a folder. Its thread starts with the first text and keeps no process alive.
 * Each call has one batch under way in a thread, so a question waits for one batch of an index. A
 * thread that fails is not started again.
 */
function startEncoder(folder: string) {
  const { name, version, joint } = readEncoderConfig(folder);
  const vectors = new LRUCache<string, Float32Array>({ max: CACHED });
  const readings = new LRUCache<string, JointScores>({ max: CACHED_READINGS });
  const threads: Thread[] = [];
  let dismissal: NodeJS.Timeout | undefined;

  const threadsFor = (texts: number): Thread[] => {
    const isShared = texts >= MANY && threads[0]?.isSingleThreaded && availableParallelism() > 1;
    const wanted = isShared ? 2 : 1;
    while (threads.length < wanted) threads.push(new Thread(folder));
    return threads.slice(0, wanted);
  };
  const endFrom = (index: number): void => {
    for (const thread of threads.splice(index)) thread.end(new Error("the encoder is closed"));
  };
  /** Ends the second thread once there is no more work for it, to free its memory. */
  const dismiss = (): void => {
    if (threads[1]?.isIdle) endFrom(1);
  };

  const embed = async (
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> => {
    signal?.throwIfAborted();
    const keys = texts.map(keyOf);
    const found = new Map(keys.map((key) => [key, vectors.get(key)]));
    const byKey = new Map(texts.map((text, index) => [keys[index] ?? "", text]));
    const missing = [...byKey].filter(([key]) => found.get(key) === undefined);
    const todo = batches(missing, ([, text]) => text.length, BATCH);
    const readIn = async (thread: Thread): Promise<void> => {
      for (const batch of todo) {
        const response = thread.ask({ texts: batch.map(([, text]) => text) });
        const answer = await abortable(response, signal);
        const encoded = "vectors" in answer ? answer.vectors : [];
        for (const [index, [key]] of batch.entries()) {
          const vector = encoded[index];
          if (vector === undefined) continue;
          vectors.set(key, vector);
          found.set(key, vector);
        }
      }
    };
    const reading = missing.length > 0 ? threadsFor(missing.length) : [];
    try {
      await Promise.all(reading.map(readIn));
    } finally {
      if (reading.length > 1) {
        clearTimeout(dismissal);
        dismissal = setTimeout(dismiss, KEPT_WARM_IN_MS).unref();
      }
    }
    return keys.map((key) => found.get(key) ?? new Float32Array());
  };

  const readTogether = async (
    pairs: readonly JointPair[],
    signal: AbortSignal | undefined,
  ): Promise<JointScores[]> => {
    signal?.throwIfAborted();
    const keys = pairs.map((pair) => keyOf(JSON.stringify(pair)));
    const found = new Map(keys.map((key) => [key, readings.get(key)]));
    const missing = pairs.flatMap((pair, index): [string, JointPair][] => {
      const key = keys[index] ?? "";
      return found.get(key) === undefined ? [[key, pair]] : [];
    });
    const [thread] = missing.length > 0 ? threadsFor(1) : [];
    const lengthOf = ([, { sentences }]: [string, JointPair]): number =>
      sentences.reduce((sum, { length }) => sum + length, 0);
    for (const batch of batches(missing, lengthOf, PAIRS)) {
      const response = thread?.ask({ pairs: batch.map(([, pair]) => pair) });
      const answer = response && (await abortable(response, signal));
      for (const [index, [key]] of batch.entries()) {
        const reading = answer && "readings" in answer ? answer.readings[index] : undefined;
        if (reading === undefined || !Number.isFinite(reading.passage + reading.support))
          throw new Error("the joint reader returned no scores");
        readings.set(key, reading);
        found.set(key, reading);
      }
    }
    return keys.flatMap((key) => found.get(key) ?? []);
  };

  return {
    encoder: {
      ...(joint && { readTogether }),
      model: version === undefined ? name : `${name}@${version}`,
      embedDocuments: embed,
      embedQuery: async (text, signal) => (await embed([text], signal))[0] ?? [],
      remember(texts, known) {
        for (const [index, text] of texts.entries()) {
          const vector = known[index];
          if (vector !== undefined) vectors.set(keyOf(text), vector);
        }
      },
    } satisfies Encoder,
    /** Lets running batches finish, since the native runtime would abort the exiting process. */
    async rest() {
      await Promise.all(threads.map((thread) => thread.rest()));
    },
    end: () => endFrom(0),
  };
}

type Answer = Exclude<EncoderResponse, { error: string }>;

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

/** A thread with the encoder, which answers in the order asked. */
class Thread {
  isSingleThreaded = false;
  private readonly worker: Worker;
  private readonly waiting: Waiting[] = [];
  private failure: Error | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.worker = startWorker("./encoder-worker", import.meta.url, { workerData: folder });
    this.worker.unref();
    this.worker.on("message", (response: EncoderResponse) => this.answer(response));
    this.worker.on("error", (error) => this.end(error));
    this.worker.on("exit", (code) =>
      this.end(new Error(`the encoder's thread ended with code ${code}`)),
    );
  }

  get isIdle(): boolean {
    return this.waiting.length === 0;
  }

  ask(request: EncoderRequest): Promise<Answer> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const answered = new Promise<Answer>((resolve, reject) => {
      this.waiting.push({ resolve, reject });
    });
    this.last = answered.catch(() => undefined);
    this.worker.ref();
    this.worker.postMessage(request);
    return answered;
  }

  /** Waits for what was asked before. */
  async rest(): Promise<void> {
    await this.last;
  }

  /** Ends the thread: what waits, and whatever is asked later, fails with this error. */
  end(error: Error): void {
    this.failure ??= error;
    for (const { reject } of this.waiting.splice(0)) reject(this.failure);
    void this.worker.terminate();
  }

  private answer(response: EncoderResponse): void {
    const asked = this.waiting.shift();
    if (this.isIdle) this.worker.unref();
    if ("error" in response) asked?.reject(new Error(response.error));
    else {
      this.isSingleThreaded = response.isSingleThreaded;
      asked?.resolve(response);
    }
  }
}

/** Puts items of like length together, so that little is padded. */
function* batches<T>(
  items: readonly T[],
  lengthOf: (item: T) => number,
  most: { readonly texts: number; readonly characters: number },
): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items.toSorted((a, b) => lengthOf(a) - lengthOf(b))) {
    const padded = (batch.length + 1) * lengthOf(item);
    if (batch.length > 0 && (batch.length >= most.texts || padded > most.characters)) {
      yield batch;
      batch = [];
    }
    batch.push(item);
  }
  if (batch.length > 0) yield batch;
}

function keyOf(text: string): string {
  return createHash("sha1").update(text).digest("base64");
}
