import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { Environment } from "../settings/environment.js";
import type { RunSettings } from "../settings/run-settings.js";
import type { Reasoner } from "../reasoning/reasoner.js";
import type { JudgeModel } from "../grading/judge/model.js";
import { lazily } from "./lazily.js";

export interface Reasoners {
  readonly kind: "model" | "embedded";
  reasonerFor(settings: RunSettings): Promise<Reasoner>;
}

/** A model where one was passed in or the environment has a key or a base URL; else the embedded reasoner. Both are loaded on first use. */
export function createReasoners({
  environment,
  model,
  evaluationModel,
  calibration,
}: {
  environment: Environment;
  model?: BaseChatModel | "embedded";
  evaluationModel?: BaseChatModel;
  calibration: () => { judge: JudgeModel };
}): Reasoners {
  const embedded = lazily(async () => {
    const { createEmbeddedReasoner } = await import("../reasoning/embedded/embedded-reasoner.js");
    return createEmbeddedReasoner({ judgeModel: calibration().judge });
  });
  const configured =
    environment.OPENAI_API_KEY !== undefined || environment.OPENAI_BASE_URL !== undefined;
  if (model === "embedded" || (model === undefined && !configured))
    return { kind: "embedded", reasonerFor: () => embedded() };

  const timeoutInMs = environment.LLM_TIMEOUT_SECONDS * 1000;
  const byModel = lazily(async () => {
    const [{ createModelReasoner }, { createModelSource }] = await Promise.all([
      import("../model/model-reasoner.js"),
      import("../model/chat-model.js"),
    ]);
    const models =
      model === undefined
        ? createModelSource({
            baseUrl: environment.OPENAI_BASE_URL,
            apiKey: environment.OPENAI_API_KEY,
            timeoutInMs,
            defaultModel: environment.LLM_MODEL,
          })
        : { answer: model, grade: evaluationModel ?? model };
    return createModelReasoner({ models, embedded: await embedded(), timeoutInMs });
  });
  return { kind: "model", reasonerFor: () => byModel() };
}
