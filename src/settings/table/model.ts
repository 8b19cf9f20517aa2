import { z } from "zod";
import { flag, integer, seconds, setting, text, url, type SettingsTable } from "../setting.js";

/** The language model. Without a model, a key and a base URL the agent runs embedded. */
export const MODEL_SETTINGS = {
  model: setting(
    text,
    "Model that writes the answers, and judges unless another is named for that: a name at the endpoint, or provider:name (anthropic:claude-sonnet-4-5).",
    {
      scope: "run",
      aliases: ["LLM_MODEL"],
      defaultMeaning: "gpt-4o-mini if there is a key or a base URL, else none",
      contextOnly: true,
      nodes: ["synthesize"],
    },
  ),
  quickModel: setting(text, "Cheaper model for quality quick.", {
    aliases: ["LLM_MODEL_QUICK"],
    defaultMeaning: "the model",
  }),
  judgeModel: setting(text, "Model that judges the evidence.", {
    scope: "run",
    defaultMeaning: "the model",
    contextOnly: true,
    nodes: ["grade_evidence"],
  }),
  thoroughJudgeModel: setting(
    text,
    "Stronger model that judges in quality thorough, unless a judge is named.",
    {
      aliases: ["LLM_MODEL_EVALUATION"],
      defaultMeaning: "gpt-4o at OpenAI itself if no model is named, else the model",
    },
  ),
  openaiApiKey: setting(text, "Key of the model endpoint.", {
    env: "OPENAI_API_KEY",
    secret: true,
  }),
  openaiBaseUrl: setting(
    url,
    "Any OpenAI-compatible endpoint: Ollama (http://localhost:11434/v1), vLLM, llama.cpp, LM Studio or a gateway.",
    { env: "OPENAI_BASE_URL", defaultMeaning: "OpenAI's own" },
  ),
  maxAnswerTokens: setting(integer(16, 32_000), "Maximum length of an answer in tokens.", {
    scope: "run",
    default: 500,
    nodes: ["synthesize"],
  }),
  modelTimeoutSeconds: setting(seconds, "Time limit of one model call.", { default: 30 }),
  modelFallback: setting(
    z.enum(["on", "off"]),
    "on: when the endpoint fails, the embedded reasoner takes over and the answer says so. off: the run fails.",
    { scope: "run", default: "on" },
  ),
  selfConsistency: setting(
    flag,
    "Write two answers at different temperatures; if they disagree, search once more.",
    { scope: "run", defaultMeaning: "on in quality thorough, else off", nodes: ["synthesize"] },
  ),
  guard: setting(
    z.enum(["strict", "standard", "mark", "off"]),
    "standard: sentences without support are marked; withdrawn is only what cannot stay. strict: what no source supports is withdrawn, and a model checks the marked sentences. mark: nothing is withdrawn. off: no check.",
    { scope: "run", default: "standard", nodes: ["guard_answer"] },
  ),
  sourcesInText: setting(
    flag,
    "Append the sources to the text of the answer, for chat clients that show no citations.",
    { scope: "run", default: false, nodes: ["guard_answer"] },
  ),
} as const satisfies SettingsTable;
