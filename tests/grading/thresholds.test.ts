import { describe, expect, it } from "@jest/globals";
import type { ProfileName } from "../../src/settings/run-settings.js";
import type { EvidenceLabel } from "../../src/state/verdict.js";
import { decided } from "./evidence.js";

const EPSILON = 1e-6;

/** The table of the profiles, comparison by comparison. */
const EDGES: readonly [profile: ProfileName, score: number, label: EvidenceLabel, why: string][] = [
  ["adaptive", 0.7, "CORRECT", "0.7 is inclusive"],
  ["adaptive", 0.7 - EPSILON, "AMBIGUOUS", "just below 0.7"],
  ["adaptive", 0.3, "AMBIGUOUS", "an item at 0.3 is kept"],
  ["adaptive", 0.3 - EPSILON, "INCORRECT", "nothing is kept below 0.3"],
  ["signals", 0.7, "CORRECT", "0.7 is inclusive"],
  ["signals", 0.7 - EPSILON, "AMBIGUOUS", "just below 0.7"],
  ["signals", 0.3 + EPSILON, "AMBIGUOUS", "just above 0.3"],
  ["signals", 0.3, "INCORRECT", "0.3 is inclusive here"],
  ["holistic", 0.7, "CORRECT", "0.7 is inclusive"],
  ["holistic", 0.7 - EPSILON, "AMBIGUOUS", "just below 0.7"],
  ["holistic", 0.5, "AMBIGUOUS", "0.5 is not below 0.5"],
  ["holistic", 0.5 - EPSILON, "INCORRECT", "just below 0.5"],
  ["adequacy", 0.75, "CORRECT", "0.75 is inclusive"],
  ["adequacy", 0.75 - EPSILON, "AMBIGUOUS", "just below 0.75"],
  ["adequacy", 0, "AMBIGUOUS", "nothing is thrown away"],
  ["three_action", 0.7 + EPSILON, "CORRECT", "above 0.7"],
  ["three_action", 0.7, "AMBIGUOUS", "0.7 is exclusive here"],
  ["three_action", 0.3, "AMBIGUOUS", "0.3 is not below 0.3"],
  ["three_action", 0.3 - EPSILON, "INCORRECT", "just below 0.3"],
];

const ACTION = { CORRECT: "GENERATE", AMBIGUOUS: "REFINE", INCORRECT: "RE_RETRIEVE" } as const;

describe("the thresholds of the profiles", () => {
  it.each(EDGES)("%s at %f is %s: %s", (profile, score, label) => {
    const { evaluation } = decided(profile, [score, score, score]);
    expect([evaluation.label, evaluation.action]).toEqual([label, ACTION[label]]);
  });

  it("takes thresholds from the settings", () => {
    const thresholds = {
      correct: 0.9,
      incorrect: 0.2,
      keep: 0.1,
      vectorScore: 0.8,
      autoApproveMaxItems: 2,
    };
    expect(decided("adaptive", [0.8], { thresholds }).evaluation.label).toBe("AMBIGUOUS");
    expect(decided("adaptive", [0.15], { thresholds }).evaluation.label).toBe("INCORRECT");
    expect(decided("adaptive", [0.1, 0.5], { thresholds }).context).toHaveLength(2);
  });

  it("takes the mean of three times 0.7 for 0.7, despite floating point", () => {
    expect((0.7 + 0.7 + 0.7) / 3).toBeLessThan(0.7);
    expect(decided("adaptive", [0.7, 0.7, 0.7]).evaluation.label).toBe("CORRECT");
  });

  it("takes the mean over the items kept, the maximum, and the score of the set", () => {
    expect(decided("adaptive", [0.9, 0.1, 0.5]).evaluation.score).toBe(0.7);
    expect(decided("three_action", [0.2, 0.8, 0.5]).evaluation.score).toBe(0.8);
    expect(decided("holistic", [0.6, 0.9]).evaluation.score).toBe(0.6);
  });

  it("goes by the set's probability in every profile but signals when the embedded judge graded", () => {
    const judgement = {
      judge: "embedded",
      scores: { a: 0.4, b: 0.4 },
      set: { score: 0.9 },
    };
    for (const profile of ["adaptive", "holistic", "adequacy", "three_action"] as const)
      expect(decided(profile, [0.4, 0.4], { judgement }).evaluation.score).toBe(0.9);
    const signals = { ...judgement, signals: { coverage: 0.5 } };
    expect(decided("signals", [0.4, 0.4], { judgement: signals }).evaluation.score).toBe(0.5);
  });

  it("is INCORRECT when the embedded judge keeps nothing, whatever its score for the set", () => {
    const judgement = {
      judge: "embedded",
      scores: { a: 0.1 },
      set: { score: 0.9 },
    };
    expect(decided("adaptive", [0.1], { judgement }).evaluation.action).toBe("RE_RETRIEVE");
  });
});
