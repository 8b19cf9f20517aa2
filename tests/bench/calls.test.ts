import { beforeAll, describe, expect, it } from "@jest/globals";
import type { CallsRow } from "../../bench/calls.js";
import { runCallsBench } from "../../bench/calls.js";

describe("model calls for one question, counted at the server", () => {
  let rows: CallsRow[];
  let labelled: CallsRow[];
  beforeAll(async () => {
    ({ rows, labelled } = await runCallsBench({ ks: [2, 5, 10] }));
  });
  const ours = (course: CallsRow["course"], turn: CallsRow["turn"]): CallsRow[] =>
    rows.filter((row) => row.system === "ours" && row.course === course && row.turn === turn);

  it("are at most 2 when the evidence is good, whatever the number of passages, and 1 on a fast path", () => {
    for (const { calls, k, tasks } of ours("CORRECT", "first"))
      expect({ k, tasks, ok: calls <= (k === 2 ? 1 : 2) }).toMatchObject({ ok: true });
  });

  it("are at most 4 when it is poor and the web is asked", () => {
    for (const { calls, k, tasks } of ours("INCORRECT", "first"))
      expect({ k, tasks, ok: calls <= 4 }).toMatchObject({ ok: true });
    expect(ours("INCORRECT", "first").some(({ tasks }) => tasks.includes("web_query"))).toBe(true);
  });

  it("are one more for a follow-up, for its rewriting", () => {
    for (const course of ["CORRECT", "AMBIGUOUS", "INCORRECT"] as const) {
      const first = ours(course, "first").map(({ calls }) => calls + 1);
      expect(ours(course, "follow_up").map(({ calls }) => calls)).toEqual(first);
    }
  });

  it.each([5, 10])("need at most twice the textbook's tokens for %d passages", (k) => {
    const tokens = (from: CallsRow[], system: CallsRow["system"]): number[] =>
      from
        .filter((row) => row.system === system && row.k === k && row.turn === "first")
        .map(({ tokens: counted }) => counted);
    for (const from of [rows, labelled]) {
      const textbook = tokens(from, "textbook");
      expect(tokens(from, "ours").filter((own, at) => own > 2 * (textbook[at] ?? 0))).toEqual([]);
    }
  });

  it("grow with the passages in the textbook pipeline only", () => {
    const calls = (system: CallsRow["system"], k: number): number | undefined =>
      rows.find(
        (row) =>
          row.system === system && row.course === "CORRECT" && row.turn === "first" && row.k === k,
      )?.calls;
    expect([calls("textbook", 2), calls("textbook", 10)]).toEqual([3, 11]);
    expect([calls("ours", 2), calls("ours", 10)]).toEqual([1, 2]);
  });
});
