/** Runs a sentence encoder in threads, so that it never blocks the event loop. */
import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { startWorker } from "../support/packages.js";
import { abortable, systemClock } from "../support/waiting.js";
import type { Embedder } from "./embedder.js";
import { readEncoderConfig } from "./encoder-files.js";
import type { EncoderRequest, EncoderResponse, ModelFile } from "./encoder-files.js";
import type { JointPair, JointScores, ReadTogether } from "./joint-layout.js";

/** What a thread computes for texts or pairs of texts; each result is remembered. */
interface Work<Item, Result extends object> {
  readonly cache: LRUCache<string, Result>;
  /** A batch at most: items, and characters when padded to the longest. */
  readonly most: { readonly items: number; readonly characters: number };
  /** If the runtime is single-threaded, a further thread takes part for each so many items. */
  readonly share: number;
  /** What a thread that is started for this work loads at once. */
  readonly first: ModelFile;
  readonly ask: (thread: Thread, items: Item[]) => Promise<readonly Result[]>;
}

/**
 * On two processors two threads read the passages of a question in six tenths of the time and an
 * index in two thirds. Each takes about 150 MB.
 */
const MOST_THREADS = 4;

/** How long a thread outlives its last use, for programs that soon ask again. */
const KEPT_WARM_IN_MS = 10_000;

/**
 * What a batch may take, the loading of the model included: a foreign encoder may loop or grow. A
 * large one without the native runtime takes half a minute.
 */
const LIMITS = { seconds: 60, megabytes: 1_500 };
/** How long a closing reader waits for a batch. */
const PATIENCE_IN_MS = 5_000;

/** An embedder that can be given vectors which are known already, those of an index. */
interface Encoder extends Embedder {
  remember(texts: readonly string[], vectors: readonly Float32Array[]): void;
  /** Loads what a question needs. */
  prepare(): void;
  /** Reads questions or claims together with passages; absent without a joint reader. */
  readonly readTogether?: ReadTogether;
}

const shared = new Map<string, ReturnType<typeof startEncoder> & { readers: number }>();

/**
 * Creates an encoder whose threads and cache all readers of this process share.
 * @throws UserError when the folder holds no encoder
 */
export function createEncoder(folder: string, limits = LIMITS): Encoder {
  const entry = shared.get(folder) ?? { ...startEncoder(folder, limits), readers: 0 };
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
function startEncoder(folder: string, limits: typeof LIMITS) {
  const { name, version, joint } = readEncoderConfig(folder);
  const threads: Thread[] = [];
  let dismissal: NodeJS.Timeout | undefined;

  const start = (first: ModelFile): void => void threads.push(new Thread(folder, limits, first));
  const endFrom = (index: number): void => {
    for (const thread of threads.splice(index)) thread.end(new Error("the encoder is closed"));
  };
  /** Frees the memory of further threads once there is no more work for them. */
  const dismissLater = (): void => {
    clearTimeout(dismissal);
    dismissal = setTimeout(() => {
      if (threads.slice(1).every(({ load }) => load === 0)) endFrom(1);
      else dismissLater();
    }, KEPT_WARM_IN_MS).unref();
  };
  /** Returns threads for so many items, the idlest first; starts one more if all are busy. */
  const threadsFor = (items: number, share: number, first: ModelFile): Thread[] => {
    if (items === 0) return [];
    const most = threads[0]?.isSingleThreaded ? Math.min(MOST_THREADS, availableParallelism()) : 1;
    const useful = Math.max(1, Math.min(Math.floor(items / share), most));
    const isFree = threads.some(({ load }) => load === 0);
    const needed = isFree ? useful : Math.max(useful, Math.min(threads.length + 1, most));
    while (threads.length < needed) start(first);
    return threads.toSorted((a, b) => a.load - b.load).slice(0, useful);
  };

  const encoding: Work<string, Float32Array> = {
    // About 30 MB.
    cache: new LRUCache({ max: 20_000 }),
    // Larger batches gain nothing on two cores, and the runtime keeps the memory of its largest.
    most: { items: 8, characters: 2_400 },
    share: 8,
    first: "model.onnx",
    async ask(thread, texts) {
      const answer = await thread.ask({ texts });
      return "vectors" in answer ? answer.vectors : [];
    },
  };
  const reading: Work<JointPair, JointScores> = {
    cache: new LRUCache({ max: 5_000 }),
    most: { items: 5, characters: 7_000 },
    share: 2,
    first: "joint.onnx",
    async ask(thread, pairs) {
      const answer = await thread.ask({ pairs });
      const readings = "readings" in answer ? answer.readings : [];
      if (!readings.every((each) => Number.isFinite(each.passage + each.support)))
        throw new Error("the joint reader returned scores that are no numbers");
      return readings;
    },
  };

  /** Returns one result for each item, in order. */
  const run = async <Item, Result extends object>(
    items: readonly Item[],
    { cache, most, share, first, ask }: Work<Item, Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result[]> => {
    signal?.throwIfAborted();
    const keys = items.map(keyOf);
    const found = new Map(keys.map((key) => [key, cache.get(key)]));
    const byKey = new Map(items.map((item, index) => [keys[index] ?? "", item]));
    const missing = [...byKey].filter(([key]) => found.get(key) === undefined);
    const chosen = threadsFor(missing.length, share, first);
    const each = Math.min(most.items, Math.ceil(missing.length / chosen.length));
    const lengthOf = ([, item]: (typeof missing)[0]): number => JSON.stringify(item).length;
    const todo = batches(missing, lengthOf, { ...most, items: each });
    const work = async (thread: Thread): Promise<void> => {
      for (const batch of todo) {
        const asked = batch.map(([, item]) => item);
        // A further thread may find no memory.
        const instead = async (error: unknown): ReturnType<typeof ask> => {
          if (threads[0] === undefined || thread === threads[0]) throw error;
          return ask(threads[0], asked);
        };
        const results = await abortable(ask(thread, asked).catch(instead), signal);
        for (const [index, [key]] of batch.entries()) {
          const result = results[index];
          if (result === undefined) throw new Error("the encoder returned too little");
          cache.set(key, result);
          found.set(key, result);
        }
      }
    };
    try {
      await Promise.all(chosen.map(work));
    } finally {
      if (chosen.some((thread) => thread !== threads[0])) dismissLater();
    }
    return keys.flatMap((key) => found.get(key) ?? []);
  };

  return {
    encoder: {
      model: version === undefined ? name : `${name}@${version}`,
      embedDocuments: (texts, signal) => run(texts, encoding, signal),
      embedQuery: async (text, signal) => (await run([text], encoding, signal))[0] ?? [],
      remember(texts, vectors) {
        for (const [index, text] of texts.entries()) {
          const vector = vectors[index];
          if (vector !== undefined) encoding.cache.set(keyOf(text), vector);
        }
      },
      prepare() {
        if (threads.length > 0) return;
        start("model.onnx");
        if (joint === undefined || availableParallelism() === 1) return;
        start("joint.onnx");
        dismissLater();
      },
      ...(joint && { readTogether: (pairs, signal) => run(pairs, reading, signal) }),
    } satisfies Encoder,
    /** Lets running batches finish, since the native runtime would abort the exiting process. */
    async rest() {
      const patience = new AbortController();
      const all = Promise.all(threads.map(({ last }) => last));
      await Promise.race([all, systemClock.sleep(PATIENCE_IN_MS, patience.signal)]);
      patience.abort();
    },
    end: () => endFrom(0),
  };
}

type Answer = Exclude<EncoderResponse, { error: string }>;

/** A thread with the encoder, which answers in the order asked. */
class Thread {
  isSingleThreaded = false;
  private readonly worker: Worker;
  private readonly waiting: {
    resolve: (answer: Answer) => void;
    reject: (error: Error) => void;
  }[] = [];
  private failure: Error | undefined;
  private limit: NodeJS.Timeout | undefined;
  /** Settles with what was asked last. */
  last: Promise<unknown> = Promise.resolve();

  constructor(
    folder: string,
    private readonly limits: typeof LIMITS,
    first: ModelFile,
  ) {
    this.worker = startWorker("./encoder-worker", import.meta.url, {
      workerData: { folder, first },
      resourceLimits: { maxOldGenerationSizeMb: limits.megabytes },
    });
    this.worker.on("message", (response: EncoderResponse) => this.answer(response));
    this.worker.on("error", (error) => this.end(error));
    this.worker.on("exit", (code) =>
      this.end(new Error(`the encoder's thread ended with code ${code}`)),
    );
    // After the listeners, which keep the process alive.
    this.worker.unref();
  }

  /** Batches that wait or are under way. */
  get load(): number {
    return this.waiting.length;
  }

  ask(request: EncoderRequest): Promise<Answer> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const answered = new Promise<Answer>((resolve, reject) => {
      this.waiting.push({ resolve, reject });
    });
    this.last = answered.catch(() => undefined);
    if (this.waiting.length === 1) this.watch();
    this.worker.ref();
    this.worker.postMessage(request);
    return answered;
  }

  /** Ends the thread: what waits, and whatever is asked later, fails with this error. */
  end(error: Error): void {
    // A thread that was ended reports its exit.
    if (this.failure !== undefined) return;
    this.failure = error;
    clearTimeout(this.limit);
    for (const { reject } of this.waiting.splice(0)) reject(error);
    void this.worker.terminate();
  }

  /** Gives the next batch its time. */
  private watch(): void {
    const { seconds } = this.limits;
    clearTimeout(this.limit);
    if (this.load === 0) return;
    const end = (): void => this.end(new Error(`it took longer than ${seconds} s`));
    this.limit = setTimeout(end, seconds * 1_000).unref();
  }

  private answer(response: EncoderResponse): void {
    const asked = this.waiting.shift();
    this.watch();
    if (this.load === 0) this.worker.unref();
    if ("error" in response) asked?.reject(new Error(response.error));
    else {
      this.isSingleThreaded = response.isSingleThreaded;
      asked?.resolve(response);
    }
  }
}

/** Puts items of like length together, so that little is padded; the longest come first. */
function* batches<Item>(
  items: readonly Item[],
  lengthOf: (item: Item) => number,
  most: Work<unknown, object>["most"],
): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items.toSorted((a, b) => lengthOf(b) - lengthOf(a))) {
    const padded = (batch.length + 1) * lengthOf(batch[0] ?? item);
    if (batch.length > 0 && (batch.length >= most.items || padded > most.characters)) {
      yield batch;
      batch = [];
    }
    batch.push(item);
  }
  if (batch.length > 0) yield batch;
}

const keyOf = (item: unknown): string =>
  createHash("sha1").update(JSON.stringify(item)).digest("base64");
