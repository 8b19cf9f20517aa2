import type { WritableKnowledgeBase } from "../knowledge-base.js";

/** By then an answer is usually out, and an `ask` process has ended. */
const IDLE_IN_MS = 10_000;
/** On a busy server vectors are made in spite of searches after this time. */
const LONGEST_WAIT_IN_MS = 300_000;

/** Makes missing vectors while there are no searches. */
export interface IdleEmbedding {
  /** Reports a search: work stops after its batch and waits for the next quiet period. */
  touch(): void;
  stop(): Promise<void>;
}

/** @param open opens a writable connection */
export function createIdleEmbedding({
  isNeeded,
  open,
  idleInMs = IDLE_IN_MS,
  longestWaitInMs = LONGEST_WAIT_IN_MS,
}: {
  isNeeded: () => boolean;
  open: () => Promise<WritableKnowledgeBase>;
  idleInMs?: number;
  longestWaitInMs?: number;
}): IdleEmbedding {
  let timer: NodeJS.Timeout | undefined;
  let controller = new AbortController();
  let done = Promise.resolve();
  let isOver = false;
  let waitingSince = Infinity;

  const work = async ({ signal }: AbortController): Promise<void> => {
    try {
      const store = await open();
      try {
        await store.embedPending?.({ signal });
      } finally {
        await store.close();
      }
    } catch {
      // Stopped, or the file or the encoder failed: the next quiet period tries again.
    }
    if (!signal.aborted) waitingSince = Infinity;
  };
  const halt = (): void => {
    clearTimeout(timer);
    controller.abort();
  };
  return {
    touch() {
      if (Date.now() - waitingSince >= longestWaitInMs) return;
      halt();
      if (isOver || !isNeeded()) {
        waitingSince = Infinity;
        return;
      }
      waitingSince = Math.min(waitingSince, Date.now());
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
