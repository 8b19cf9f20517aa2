import { z } from "zod";
import { integer, setting, share, text, words, type SettingsTable } from "../setting.js";

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
  profile: setting(
    z.enum(PROFILE_NAMES),
    "How evidence is judged. adaptive: rules, then all passages in one call. " +
      "signals: without a model. holistic: the whole set at once. " +
      "adequacy: is it enough, and what is missing? " +
      "three_action: passage by passage, the best one counts.",
    { scope: "run", default: "adaptive", nodes: ["grade_evidence"] },
  ),
  quality: setting(
    z.enum(QUALITIES),
    "quick: 1 correction, cheaper model; balanced: 2; " +
      "thorough: 4, stronger judge, HyDE, a second answer.",
    {
      scope: "run",
      aliases: ["RAG_QUALITY"],
      defaultMeaning: "balanced's models, and the profile's own number of corrections",
    },
  ),
  maxIterations: setting(
    integer(0, MAX_CORRECTIONS),
    "Maximum number of corrections, each of which searches again.",
    {
      scope: "run",
      aliases: ["KB_AGENT_MAX_ITERATIONS", "MAX_RAG_LOOPS"],
      defaultMeaning: "by quality, else 3; 1 in signals, holistic and three_action",
    },
  ),
  thresholds: {
    description: "Thresholds that replace those of the profile.",
    settings: {
      correct: setting(share, "CORRECT from here; in three_action above it.", {
        scope: "run",
        env: "CRAG_CORRECT_THRESHOLD",
        defaultMeaning: "0.7; 0.75 in adequacy",
      }),
      incorrect: setting(share, "INCORRECT below here; in signals up to it.", {
        scope: "run",
        env: "CRAG_INCORRECT_THRESHOLD",
        defaultMeaning: "0.3; 0.5 in holistic",
      }),
      keep: setting(share, "Items below this are removed.", {
        scope: "run",
        env: "CRAG_KEEP_THRESHOLD",
        defaultMeaning: "0.3",
      }),
      vectorScore: setting(
        share,
        "Fast path high_vector_score: vector hits from this cosine are approved without a judge.",
        {
          scope: "run",
          env: "CRAG_VECTOR_SCORE_THRESHOLD",
          defaultMeaning: "0.8",
        },
      ),
      autoApproveMaxItems: setting(
        integer(0, 100),
        "Fast path few_context: up to this many items are approved without a judge.",
        {
          scope: "run",
          env: "CRAG_AUTO_APPROVE_MAX_ITEMS",
          defaultMeaning: "2",
        },
      ),
    },
  },
  adaptive: {
    description: "Thresholds of adaptive alone, under the names of its design.",
    settings: {
      correct: setting(share, "CORRECT from here.", {
        scope: "run",
        env: "KB_AGENT_GENERATE_THRESHOLD",
      }),
      vectorScore: setting(share, "Cosine from which vector hits are approved.", {
        scope: "run",
        env: "KB_AGENT_VECTOR_SCORE_THRESHOLD",
      }),
      autoApproveMaxItems: setting(integer(0, 100), "Up to this many items are approved.", {
        scope: "run",
        env: "KB_AGENT_AUTO_APPROVE_MAX_ITEMS",
      }),
    },
  },
  holistic: {
    description: "Thresholds of holistic alone, under the names of its design.",
    settings: {
      correct: setting(share, "CORRECT from here.", {
        scope: "run",
        env: "CRAG_RELEVANCE_THRESHOLD",
      }),
      incorrect: setting(share, "INCORRECT below here.", {
        scope: "run",
        env: "CRAG_AMBIGUOUS_THRESHOLD",
      }),
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
  switchedOff: setting(z.array(z.enum(ABLATIONS)), "Steps to leave out, for comparisons only.", {
    scope: "run",
    env: null,
  }),
} as const satisfies SettingsTable;
