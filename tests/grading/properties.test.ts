import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { PROFILE_NAMES } from "../../src/settings/run-settings.js";
import { PROFILES } from "../../src/grading/profiles.js";
import { decided, item } from "./evidence.js";

const RANK = { GENERATE: 2, REFINE: 1, RE_RETRIEVE: 0 } as const;
const profile = fc.constantFrom(...PROFILE_NAMES);
const score = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.constantFrom(0, 0.3, 0.5, 0.7, 0.75, 1),
);
const FIXED = { seed: 20261121, numRuns: 2_000 };

describe("decisions", () => {
  it("are total: any scores, any state of the loop, one of three actions and a confidence in 0–1", () => {
    const anyNumber = fc.oneof(
      fc.double(),
      fc.constantFrom(Number.NaN, Infinity, -Infinity, -1, 2),
    );
    fc.assert(
      fc.property(
        profile,
        fc.array(anyNumber, { maxLength: 8 }),
        fc.record({
          iteration: fc.nat(6),
          maxIterations: fc.nat(5),
          roundWasNew: fc.boolean(),
          untriedStrategies: fc.subarray(["vector", "web"] as const),
          stepsLeft: fc.integer({ min: -3, max: 40 }),
          webAvailable: fc.boolean(),
        }),
        (name, scores, state) => {
          const { evaluation, context, discarded } = decided(name, scores, {
            ...state,
            untriedStrategies: [...state.untriedStrategies],
          });
          expect(Object.keys(RANK)).toContain(evaluation.action);
          for (const value of [evaluation.score, evaluation.confidence])
            expect(value >= 0 && value <= 1).toBe(true);
          expect(context.length + discarded.length).toBe(scores.length);
          if (evaluation.action !== "GENERATE")
            expect(state.iteration < state.maxIterations && state.stepsLeft >= 5).toBe(true);
        },
      ),
      FIXED,
    );
  });

  it("never get worse when the score of an item that is already kept rises", () => {
    fc.assert(
      fc.property(
        profile,
        fc.array(score, { minLength: 1, maxLength: 6 }),
        fc.nat(5),
        score,
        (name, scores, position, raised) => {
          const at = position % scores.length;
          const before = scores[at] ?? 0;
          fc.pre(raised >= before && before >= PROFILES[name].defaults.keep);
          const action = decided(name, scores).evaluation.action;
          const after = decided(
            name,
            scores.map((each, index) => (index === at ? raised : each)),
          ).evaluation.action;
          expect(RANK[after]).toBeGreaterThanOrEqual(RANK[action]);
        },
      ),
      FIXED,
    );
  });

  it("jump where an item crosses 0.3: it is kept from there on, and lowers the mean of the others", () => {
    expect(decided("adaptive", [0.8, 0.3 - 1e-9]).evaluation).toMatchObject({
      score: 0.8,
      action: "GENERATE",
    });
    expect(decided("adaptive", [0.8, 0.3]).evaluation).toMatchObject({
      score: 0.55,
      action: "REFINE",
    });
  });

  it("bound the rounds with a judge that always says 0.5, and with one that always fails", () => {
    for (const name of PROFILE_NAMES) {
      for (const scores of [[0.5], []]) {
        let iteration = 0;
        while (
          decided(name, scores, { evidence: [item("a")], iteration, maxIterations: 3 }).evaluation
            .action !== "GENERATE"
        )
          iteration += 1;
        expect(iteration).toBeLessThanOrEqual(3);
      }
    }
  });
});
