import { z } from "zod";
import { integer, perRun, setting, share, text, words, type SettingsTable } from "../setting.js";

export const PROFILE_NAMES = [
  "adaptive",
  "signals",
  "holistic",
  "adequacy",
  "three_action",
] as const;
export const QUALITIES = ["quick", "balanced", "thorough"] as const;

/** Steps that can be switched off to measure their worth. */
export const ABLATIONS = [
  "grading",
  "filtering",
  "refinement",
  "web",
  "reranking",
  "guard",
] as const;

/** The most that anybody can ask for. */
export const MAX_CORRECTIONS = 20;

/** Judgment of the evidence, and corrections. */
export const GRADING_SETTINGS = {
  profile: perRun(
    z.enum(PROFILE_NAMES),
    "How evidence is judged. adaptive: rules, then all passages in one call. " +
      "signals: without a model. holistic: the whole set at once. " +
      "adequacy: is it enough, and what is missing? " +
      "three_action: passage by passage, the best one counts.",
    { default: "adaptive", nodes: ["grade_evidence"] },
  ),
  quality: perRun(
    z.enum(QUALITIES),
    "quick: 1 correction, cheaper model; balanced: 2; " +
      "thorough: 4, stronger judge, HyDE, a second answer.",
    {
      aliases: ["RAG_QUALITY"],
      defaultMeaning: "balanced's models, and the profile's own number of corrections",
    },
  ),
  maxIterations: perRun(
    integer(0, MAX_CORRECTIONS),
    "Maximum number of corrections, each of which searches again.",
    {
      aliases: ["KB_AGENT_MAX_ITERATIONS", "MAX_RAG_LOOPS"],
      defaultMeaning: "by quality, else 3; 1 in signals, holistic and three_action",
    },
  ),
  thresholds: {
    description: "Thresholds that replace those of the profile.",
    settings: {
      correct: perRun(share, "CORRECT from here; in three_action above it.", {
        env: "CRAG_CORRECT_THRESHOLD",
        defaultMeaning: "0.7; 0.75 in adequacy",
      }),
      incorrect: perRun(share, "INCORRECT below here; in signals up to it.", {
        env: "CRAG_INCORRECT_THRESHOLD",
        defaultMeaning: "0.3; 0.5 in holistic",
      }),
      keep: perRun(share, "Items below this are removed.", {
        env: "CRAG_KEEP_THRESHOLD",
        defaultMeaning: "0.3",
      }),
      vectorScore: perRun(
        share,
        "Fast path high_vector_score: vector hits from this cosine are approved without a judge.",
        { env: "CRAG_VECTOR_SCORE_THRESHOLD", defaultMeaning: "0.8" },
      ),
      autoApproveMaxItems: perRun(
        integer(0, 100),
        "Fast path few_context: up to this many items are approved without a judge.",
        { env: "CRAG_AUTO_APPROVE_MAX_ITEMS", defaultMeaning: "2" },
      ),
    },
  },
  adaptive: {
    description: "Thresholds of adaptive alone, under the names of its design.",
    settings: {
      correct: perRun(share, "CORRECT from here.", { env: "KB_AGENT_GENERATE_THRESHOLD" }),
      vectorScore: perRun(share, "Cosine from which vector hits are approved.", {
        env: "KB_AGENT_VECTOR_SCORE_THRESHOLD",
      }),
      autoApproveMaxItems: perRun(integer(0, 100), "Up to this many items are approved.", {
        env: "KB_AGENT_AUTO_APPROVE_MAX_ITEMS",
      }),
    },
  },
  holistic: {
    description: "Thresholds of holistic alone, under the names of its design.",
    settings: {
      correct: perRun(share, "CORRECT from here.", { env: "CRAG_RELEVANCE_THRESHOLD" }),
      incorrect: perRun(share, "INCORRECT below here.", { env: "CRAG_AMBIGUOUS_THRESHOLD" }),
    },
  },
  reader: setting(
    text,
    "Reads the evidence: trained (an encoder), lexical (words alone), or a folder with an encoder.",
    { default: "trained" },
  ),
  calibrationFile: setting(
    text,
    "File made by `npm run calibrate`: calibration and thresholds fitted to your questions.",
  ),
  gradeBatchSize: setting(integer(20, 500), "Items per batch grading call.", { default: 40 }),
  gradeConcurrency: setting(
    integer(1, 64),
    "Concurrent grading calls, where the evidence takes several.",
    { default: 4 },
  ),
  policyWords: setting(
    words,
    "Words that no answer may contain: a sentence that does is withheld (policy_blocked).",
  ),
  switchedOff: perRun(z.array(z.enum(ABLATIONS)), "Steps to leave out, for comparisons only.", {
    env: null,
  }),
} as const satisfies SettingsTable;
