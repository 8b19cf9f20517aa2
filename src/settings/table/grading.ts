import { z } from "zod";
import type { SettingsTable } from "../setting.js";
import { integer, share, text, words } from "./shapes.js";

export const PROFILE_NAMES = [
  "adaptive",
  "signals",
  "holistic",
  "adequacy",
  "three_action",
] as const;
export const QUALITIES = ["quick", "balanced", "thorough"] as const;

/** Steps that an ablation can switch off, to see what each buys. */
export const ABLATIONS = [
  "grading",
  "filtering",
  "refinement",
  "web",
  "reranking",
  "guard",
] as const;

/** How evidence is judged, and how often a run corrects itself. */
export const GRADING_SETTINGS = {
  profile: {
    schema: z.enum(PROFILE_NAMES),
    scope: "run",
    default: "adaptive",
    nodes: ["grade_evidence"],
    description: "How evidence is judged; see docs/how-it-works.md.",
  },
  quality: {
    schema: z.enum(QUALITIES),
    scope: "run",
    aliases: ["RAG_QUALITY"],
    defaultMeaning: "balanced's models, and the profile's own number of corrections",
    description:
      "quick: 1 correction and the cheaper model; balanced: 2; thorough: 4, the stronger judge, HyDE and self-consistency.",
  },
  maxIterations: {
    schema: integer(0, 20),
    scope: "run",
    aliases: ["KB_AGENT_MAX_ITERATIONS", "MAX_RAG_LOOPS"],
    defaultMeaning: "by quality, else 3; 1 in signals, holistic and three_action",
    description: "Corrections at most.",
  },
  thresholds: {
    description: "Cut-offs of the profile at hand; each defaults to the profile's own.",
    settings: {
      correct: {
        schema: share,
        scope: "run",
        env: null,
        description: "CORRECT from here.",
      },
      incorrect: {
        schema: share,
        scope: "run",
        env: null,
        description: "INCORRECT below here.",
      },
      keep: {
        schema: share,
        scope: "run",
        env: null,
        description: "An item below this is removed.",
      },
      vectorScore: {
        schema: share,
        scope: "run",
        env: null,
        description: "Fast path: cosine from which vector hits are approved.",
      },
      autoApproveMaxItems: {
        schema: integer(0, 100),
        scope: "run",
        env: null,
        description: "Fast path: up to so many items are approved.",
      },
    },
  },
  vectorScoreThreshold: {
    schema: share,
    scope: "process",
    aliases: ["KB_AGENT_VECTOR_SCORE_THRESHOLD"],
    defaultMeaning: "0.8",
    description:
      "adaptive: fast path high_vector_score, the cosine from which vector hits are approved without a judge.",
  },
  autoApproveMaxItems: {
    schema: integer(0, 100),
    scope: "process",
    aliases: ["KB_AGENT_AUTO_APPROVE_MAX_ITEMS"],
    defaultMeaning: "2",
    description:
      "adaptive: fast path few_context, up to so many items are approved without a judge.",
  },
  generateThreshold: {
    schema: share,
    scope: "process",
    aliases: ["KB_AGENT_GENERATE_THRESHOLD"],
    defaultMeaning: "0.7",
    description: "adaptive: CORRECT from this mean of the kept items (inclusive).",
  },
  keepThreshold: {
    schema: share,
    scope: "process",
    aliases: ["KB_AGENT_KEEP_THRESHOLD"],
    defaultMeaning: "0.3",
    description: "An item below this is removed; in adaptive a mean below it is INCORRECT.",
  },
  relevanceThreshold: {
    schema: share,
    scope: "process",
    defaultMeaning: "0.7",
    description: "holistic: relevant from here (inclusive).",
  },
  ambiguousThreshold: {
    schema: share,
    scope: "process",
    defaultMeaning: "0.5",
    description: "holistic: irrelevant below here (strict).",
  },
  correctThreshold: {
    schema: share,
    scope: "process",
    defaultMeaning: "0.7",
    description: "signals (inclusive) and three_action (strict): CORRECT from, or above, here.",
  },
  incorrectThreshold: {
    schema: share,
    scope: "process",
    defaultMeaning: "0.3",
    description: "signals (inclusive) and three_action (strict): INCORRECT up to, or below, here.",
  },
  adequacyThreshold: {
    schema: share,
    scope: "process",
    defaultMeaning: "0.75",
    description: "adequacy: adequate from here (inclusive).",
  },
  reader: {
    schema: text,
    scope: "process",
    default: "trained",
    description:
      "What reads the evidence: trained (a sentence encoder), lexical (words alone), or a folder with an encoder of your own.",
  },
  calibrationFile: {
    schema: text,
    scope: "process",
    description:
      "A file made by `corrective-rag calibrate`: calibration and thresholds fitted to your questions.",
  },
  gradeBatchSize: {
    schema: integer(20, 500),
    scope: "process",
    default: 40,
    description: "Items per batch grading call.",
  },
  gradeConcurrency: {
    schema: integer(1, 64),
    scope: "process",
    default: 4,
    description: "Grading calls at a time where each document has its own.",
  },
  policyWords: {
    schema: words,
    scope: "process",
    description:
      "Words that no answer may contain; a sentence that does is withheld, and the outcome names the cause policy_blocked.",
  },
  switchedOff: {
    schema: z.array(z.enum(ABLATIONS)),
    scope: "run",
    env: null,
    description: "Steps to leave out, for comparisons only.",
  },
} as const satisfies SettingsTable;
