import { getEventListeners } from "node:events";
import { describe, expect, it } from "@jest/globals";
import { abortable, waitForTurn, withinTime } from "../../src/support/waiting.js";
import { createManualClock } from "./manual-clock.js";

const never = new Promise<never>(() => undefined);

describe("waiting", () => {
  it("does not wait for work that ignores its time limit", async () => {
    const clock = createManualClock();
    const waiting = withinTime(() => never, { timeoutInMs: 50, clock });
    clock.advance(50);
    await expect(waiting).rejects.toThrow("no answer within 50 ms");
  });

  it("rejects with the caller's reason when cancelled, and with the work's error otherwise", async () => {
    const cancelled = AbortSignal.abort(new Error("cancelled"));
    await expect(withinTime(() => never, { timeoutInMs: 50, signal: cancelled })).rejects.toThrow(
      "cancelled",
    );
    await expect(
      withinTime(() => Promise.reject(new Error("down")), { timeoutInMs: Infinity }),
    ).rejects.toThrow("down");
  });

  it("leaves no listener at the caller's signal", async () => {
    const { signal } = new AbortController();
    await withinTime(() => Promise.resolve(1), { timeoutInMs: 50, signal });
    await abortable(Promise.resolve(1), signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("taking turns", () => {
  it("lets other work run between any two callers", async () => {
    const order: string[] = [];
    const callers = ["first", "second", "third"].map(async (name) => {
      await waitForTurn();
      order.push(name);
    });
    const other = new Promise<void>((done) => {
      setImmediate(() => {
        order.push("a request");
        done();
      });
    });
    await Promise.all([...callers, other]);
    expect(order).toEqual(["first", "a request", "second", "third"]);
  });
});
