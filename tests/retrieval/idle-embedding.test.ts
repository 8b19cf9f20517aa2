import { describe, expect, it } from "@jest/globals";
import type {
  EmbedPendingOptions,
  WritableKnowledgeBase,
} from "../../src/retrieval/knowledge-base.js";
import { createIdleEmbedding } from "../../src/retrieval/sqlite/idle-embedding.js";

/** Embeds until it is stopped, and notes what happened to it. */
function endless() {
  const seen = { opened: 0, closed: 0, stopped: 0 };
  const open = async (): Promise<WritableKnowledgeBase> => {
    seen.opened += 1;
    const embedPending = ({ signal }: EmbedPendingOptions = {}): Promise<void> =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => {
          seen.stopped += 1;
          reject(new Error("stopped"));
        });
      });
    const unused = () => Promise.reject(new Error("unused"));
    return {
      name: "test",
      modes: ["keyword"],
      embedPending,
      search: unused,
      documents: unused,
      passagesOf: unused,
      version: unused,
      stats: unused,
      put: unused,
      remove: unused,
      close: async () => void (seen.closed += 1),
    };
  };
  return { seen, open };
}

const quiet = () => new Promise((resolve) => setTimeout(resolve, 30));

describe("embedding while idle", () => {
  it("starts after a quiet period, stops for a search, and resumes afterwards", async () => {
    const { seen, open } = endless();
    const idle = createIdleEmbedding({ isNeeded: () => true, open, idleInMs: 1 });
    idle.touch();
    await quiet();
    expect(seen).toEqual({ opened: 1, closed: 0, stopped: 0 });
    idle.touch();
    await quiet();
    expect(seen).toEqual({ opened: 2, closed: 1, stopped: 1 });
    await idle.stop();
    expect(seen).toEqual({ opened: 2, closed: 2, stopped: 2 });
  });

  it("no longer stops for searches once it has waited for long", async () => {
    const { seen, open } = endless();
    const patience = { idleInMs: 1, longestWaitInMs: 0 };
    const idle = createIdleEmbedding({ isNeeded: () => true, open, ...patience });
    idle.touch();
    await quiet();
    idle.touch();
    await quiet();
    expect(seen).toEqual({ opened: 1, closed: 0, stopped: 0 });
    await idle.stop();
  });

  it("does nothing if nothing is missing, and tries again after a failure", async () => {
    const { seen, open } = endless();
    const needless = createIdleEmbedding({ isNeeded: () => false, open, idleInMs: 1 });
    needless.touch();
    await quiet();
    expect(seen.opened).toBe(0);
    let tries = 0;
    const refused = createIdleEmbedding({
      isNeeded: () => true,
      open: () => Promise.reject(new Error(`read-only ${(tries += 1)}`)),
      idleInMs: 1,
    });
    for (let round = 0; round < 3; round += 1) {
      refused.touch();
      await quiet();
    }
    expect(tries).toBe(3);
  });

  it("tries again even if the failure comes after the longest wait", async () => {
    let tries = 0;
    const refused = createIdleEmbedding({
      isNeeded: () => true,
      open: () => Promise.reject(new Error(`read-only ${(tries += 1)}`)),
      idleInMs: 1,
      longestWaitInMs: 0,
    });
    refused.touch();
    await quiet();
    refused.touch();
    await quiet();
    expect(tries).toBe(2);
  });
});
