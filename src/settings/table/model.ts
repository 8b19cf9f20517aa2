import { z } from "zod";
import type { SettingsTable } from "../setting.js";
import { flag, integer, seconds, text, url } from "./shapes.js";

/** What happens to sentences that the evidence does not carry. */
export const GUARD_MODES = ["strict", "standard", "mark", "off"] as const;

/** The language model. None is needed: without a model, a key and a base URL the agent runs embedded. */
export const MODEL_SETTINGS = {
  model: {
    schema: text,
    scope: "run",
    aliases: ["LLM_MODEL"],
    defaultMeaning: "gpt-4o-mini where there is a key or a base URL, else none",
    ownNamespaceOnly: true,
    nodes: ["synthesize"],
    description:
      "Model that writes the answers, and judges unless another one is named for that: a name at the endpoint, or provider:name (anthropic:claude-sonnet-4-5).",
  },
  quickModel: {
    schema: text,
    scope: "process",
    aliases: ["LLM_MODEL_QUICK"],
    defaultMeaning: "the model",
    description: "Cheaper model for quality quick.",
  },
  judgeModel: {
    schema: text,
    scope: "run",
    defaultMeaning: "the model",
    ownNamespaceOnly: true,
    nodes: ["grade_evidence"],
    description: "Model that judges the evidence.",
  },
  thoroughJudgeModel: {
    schema: text,
    scope: "process",
    aliases: ["LLM_MODEL_EVALUATION"],
    defaultMeaning: "gpt-4o at OpenAI itself where no model is named, else the model",
    description: "Stronger model that judges in quality thorough, where no judge is named.",
  },
  openaiApiKey: {
    schema: text,
    scope: "process",
    env: "OPENAI_API_KEY",
    secret: true,
    description: "Key of the model endpoint.",
  },
  openaiBaseUrl: {
    schema: url,
    scope: "process",
    env: "OPENAI_BASE_URL",
    defaultMeaning: "OpenAI's own",
    description:
      "Any OpenAI-compatible endpoint: Ollama (http://localhost:11434/v1), vLLM, llama.cpp, LM Studio or a gateway.",
  },
  maxAnswerTokens: {
    schema: integer(16, 32_000),
    scope: "run",
    default: 500,
    nodes: ["synthesize"],
    description: "Tokens of an answer at most.",
  },
  modelTimeoutSeconds: {
    schema: seconds,
    scope: "process",
    default: 30,
    description: "Time limit of one model call.",
  },
  modelFallback: {
    schema: z.enum(["on", "off"]),
    scope: "run",
    default: "on",
    description:
      "on: when the endpoint fails, the embedded reasoner takes over and the answer says so. off: the run fails.",
  },
  selfConsistency: {
    schema: flag,
    scope: "run",
    defaultMeaning: "on in quality thorough, else off",
    nodes: ["synthesize"],
    description:
      "Write two answers at different temperatures; if they disagree, go round once more.",
  },
  guard: {
    schema: z.enum(GUARD_MODES),
    scope: "run",
    default: "standard",
    nodes: ["guard_answer"],
    description:
      "standard: sentences that nothing supports are withdrawn, uncertain ones marked. strict: a model looks at the marked ones too. mark: nothing is withdrawn. off: no check.",
  },
} as const satisfies SettingsTable;
