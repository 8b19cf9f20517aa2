import { describe, expect, it } from "@jest/globals";
import { measureSet } from "../../src/reader/signals.js";

describe("the signals of a set", () => {
  it("are the best of its passages, also log-odds below zero", () => {
    const set = measureSet([
      { joint: -3, cosine: 0.2 },
      { joint: -1, cosine: 0.1 },
    ]);
    expect(set).toEqual({ joint: -1, cosine: 0.2 });
    expect(measureSet([])).toEqual({});
  });
});
