import type { WritableKnowledgeBase } from "../knowledge-base.js";

/** Quiet time after which it goes on: an answer is mostly out by then, and `ask` is gone. */
const IDLE_IN_MS = 3_000;

/** Makes missing vectors while nobody searches. */
export interface IdleEmbedding {
  /** Somebody searched: what is under way stops after its batch, and waits for quiet again. */
  touch(): void;
  stop(): Promise<void>;
}

/**
 * @param open opens a connection that may write; where that fails, as on read-only media, words go on alone
 */
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
  let working = { controller: new AbortController(), done: Promise.resolve() };
  let failed = false;

  const work = async (signal: AbortSignal): Promise<void> => {
    const store = await open();
    try {
      await store.embedPending?.({ signal });
    } finally {
      await store.close();
    }
  };
  const start = (): void => {
    const controller = new AbortController();
    const done = work(controller.signal).catch(() => {
      failed ||= !controller.signal.aborted;
    });
    working = { controller, done };
  };
  const halt = (): void => {
    clearTimeout(timer);
    working.controller.abort();
  };
  return {
    touch() {
      halt();
      if (failed || !isNeeded()) return;
      timer = setTimeout(() => void working.done.then(start), idleInMs);
      timer.unref();
    },
    async stop() {
      failed = true;
      halt();
      await working.done;
    },
  };
}
