import type { WritableKnowledgeBase } from "../knowledge-base.js";

/** By then an answer is usually out, and an `ask` process has ended. */
const IDLE_IN_MS = 10_000;

/** Makes missing vectors while there are no searches. */
export interface IdleEmbedding {
  /** Reports a search: work stops after its batch and waits for the next quiet period. */
  touch(): void;
  stop(): Promise<void>;
}

/** @param open opens a writable connection; if that fails, no more vectors are made */
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
