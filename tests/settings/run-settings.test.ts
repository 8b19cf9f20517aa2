import { describe, expect, it } from "@jest/globals";
import { PROFILES } from "../../src/grading/profiles.js";
import type { ContextValues } from "../../src/settings/context.js";
import { readEnvironment } from "../../src/settings/environment.js";
import { completeSettings, resolveSettings } from "../../src/settings/run-settings.js";
import type { SettingsInput } from "../../src/settings/table.js";

const FITTED = { abstainBelow: 0.2, correct: 0.55, incorrect: 0.3, keep: 0.1 };
const resolved = (context: ContextValues, given: SettingsInput = {}) =>
  resolveSettings({
    settings: completeSettings(given),
    context,
    profiles: PROFILES,
    fitted: FITTED,
  });

describe("the settings of a run", () => {
  it("are the run's own, else the agent's, else the defaults", () => {
    expect(resolved({}).topK).toBe(5);
    expect(resolved({}, { topK: 8 }).topK).toBe(8);
    expect(resolved({ top_k: 2 }, { topK: 8 }).topK).toBe(2);
    expect(resolved({ budget: { seconds: 9 } }, { budget: { tokens: 7 } }).budget).toEqual({
      modelCalls: 12,
      tokens: 7,
      seconds: 9,
      webSearches: 3,
    });
  });

  it("allow twice the model calls in quality thorough", () => {
    expect(resolved({ quality: "thorough" }).budget.modelCalls).toBe(24);
    expect(resolved({ quality: "thorough" }, { budget: { modelCalls: 6 } }).budget.modelCalls).toBe(
      6,
    );
  });

  it.each([
    [{ max_iterations: 4, quality: "quick" }, { maxIterations: 2 }, 4],
    [{ quality: "quick" }, { maxIterations: 5 }, 1],
    [{}, { maxIterations: 5, quality: "quick" }, 5],
    [{}, { quality: "thorough" }, 4],
    [{}, {}, 3],
    [{ profile: "signals" }, {}, 1],
  ] as const)("correct at most as %j and %j say: %i times", (context, given, limit) => {
    expect(resolved(context, given).maxIterations).toBe(limit);
  });

  it("take thresholds from the run, else the settings, else the profile's defaults", () => {
    const given = { thresholds: { correct: 0.6 } };
    const holistic = resolved({ profile: "holistic" }, given);
    expect(holistic.thresholds).toMatchObject({ correct: 0.6, incorrect: 0.5 });
    expect(resolved({ thresholds: { keep: 0.1 } }, given).thresholds).toMatchObject({
      correct: 0.6,
      keep: 0.1,
    });
    expect(resolved({ thresholds: { correct: 0.8 } }, given).thresholds.correct).toBe(0.8);
  });

  it("take a threshold under a design's own name for its profile alone", () => {
    const { settings } = readEnvironment({
      KB_AGENT_GENERATE_THRESHOLD: "0.8",
      KB_AGENT_VECTOR_SCORE_THRESHOLD: "0.75",
      CRAG_RELEVANCE_THRESHOLD: "0.6",
      CRAG_AMBIGUOUS_THRESHOLD: "0.4",
    });
    expect(resolved({ profile: "holistic" }, settings).thresholds).toMatchObject({
      correct: 0.6,
      incorrect: 0.4,
    });
    const adaptive = resolved({}, settings).thresholds;
    expect(adaptive).toMatchObject({ correct: 0.8, incorrect: 0.3, vectorScore: 0.75 });
    expect(resolved({ profile: "three_action" }, settings).thresholds.correct).toBe(0.7);
    const every = { ...settings, thresholds: { correct: 0.65 } };
    expect(resolved({ profile: "holistic" }, every).thresholds.correct).toBe(0.65);
  });

  it("use fitted thresholds as the embedded judge's defaults", () => {
    expect(resolved({}).embeddedThresholds.correct).toBe(0.55);
    expect(resolved({}).thresholds.correct).toBe(0.7);
    // The probability of a good passage may be low where a model would grade it high.
    expect(resolved({}).embeddedThresholds.keep).toBe(0.1);
    expect(resolved({}).thresholds.keep).toBe(0.3);
    expect(resolved({}, { thresholds: { correct: 0.9 } }).embeddedThresholds.correct).toBe(0.9);
  });

  it.each([
    [{}, {}, undefined, undefined],
    [{}, { model: "m" }, "m", "m"],
    [{ model: "r" }, { model: "m" }, "r", "r"],
    [{ quality: "quick" }, { model: "m", quickModel: "q" }, "q", "q"],
    [{ quality: "thorough" }, { model: "m", thoroughJudgeModel: "j" }, "m", "j"],
    [{ quality: "balanced" }, { model: "m", thoroughJudgeModel: "j" }, "m", "m"],
    [{ quality: "thorough" }, {}, undefined, "gpt-4o"],
    [{}, { model: "m", judgeModel: "j" }, "m", "j"],
  ] as const)("name the models of %j with %j", (context, given, writes, judges) => {
    const { model, judgeModel } = resolved(context, given);
    expect([model, judgeModel]).toEqual([writes, judges]);
  });
});
