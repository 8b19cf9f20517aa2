import { describe, expect, it } from "@jest/globals";
import { retry, retryAfterInMs } from "../../src/support/waiting.js";

function failing(times: number) {
  const state = { attempts: 0, waits: [] as number[] };
  const options = {
    attempt: () =>
      state.attempts++ < times
        ? Promise.reject(new Error(`failure ${state.attempts}`))
        : Promise.resolve("done"),
    waitFor: () => 0,
    clock: { sleep: (delay: number) => Promise.resolve(void state.waits.push(delay)) },
    random: () => 1,
    initialDelayInMs: 100,
  };
  return { state, options };
}

describe("retrying", () => {
  it("waits twice as long each time, and returns the first success", async () => {
    const { state, options } = failing(3);
    expect(await retry({ ...options, maxRetries: 3 })).toBe("done");
    expect(state.waits).toEqual([100, 200, 400]);
  });

  it("spreads the waits, at most by half", async () => {
    const { state, options } = failing(2);
    await retry({ ...options, random: () => 0 });
    expect(state.waits).toEqual([50, 100]);
  });

  it("gives up after the last retry with the last error", async () => {
    const { state, options } = failing(9);
    await expect(retry({ ...options, maxRetries: 2 })).rejects.toThrow("failure 3");
    expect(state.attempts).toBe(3);
  });

  it("does not retry a permanent failure", async () => {
    const { state, options } = failing(9);
    await expect(retry({ ...options, waitFor: () => undefined })).rejects.toThrow("failure 1");
    expect(state.waits).toEqual([]);
  });

  it("waits as long as the server asks, and gives up beyond its own limit", async () => {
    const { state, options } = failing(1);
    await retry({ ...options, waitFor: () => 3_000 });
    const greedy = failing(1);
    const tooLong = retry({
      ...greedy.options,
      waitFor: () => 3_600_000,
      maxDelayInMs: 5_000,
    });
    await expect(tooLong).rejects.toThrow("failure 1");
    expect([state.waits, greedy.state.waits]).toEqual([[3_000], []]);
  });

  it("stops when cancelled, before an attempt and during a wait", async () => {
    const { state, options } = failing(9);
    await expect(
      retry({ ...options, signal: AbortSignal.abort(new Error("cancelled")) }),
    ).rejects.toThrow("cancelled");
    expect(state.attempts).toBe(0);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("cancelled")), 10);
    const waiting = {
      ...failing(9).options,
      clock: undefined,
      initialDelayInMs: 60_000,
      maxDelayInMs: 60_000,
    };
    await expect(retry({ ...waiting, signal: controller.signal })).rejects.toThrow("cancelled");
  });
});

describe("Retry-After", () => {
  it.each([
    ["2", 2_000],
    ["0", 0],
    ["Wed, 21 Oct 2015 07:28:05 GMT", 5_000],
    ["Wed, 21 Oct 2015 07:27:00 GMT", 0],
    ["soon", undefined],
    ["-1", undefined],
    ["", undefined],
    [null, undefined],
  ])("%s means %s ms", (header, expected) => {
    expect(retryAfterInMs(header, Date.parse("Wed, 21 Oct 2015 07:28:00 GMT"))).toBe(expected);
  });
});
