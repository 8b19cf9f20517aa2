import type { Settings } from "../settings/table.js";
import { DEFAULT_MODEL, type RunSettings } from "../settings/run-settings.js";
import type { Reasoner } from "../reasoning/reasoner.js";
import type { ChatModel } from "../model/endpoint.js";
import type { Prompts } from "../model/prompt.js";
import type { Reader } from "../reader/reader.js";
import { lazily } from "./lazily.js";

export interface Reasoners {
  readonly kind: "model" | "embedded";
  reasonerFor(settings: RunSettings): Promise<Reasoner>;
}

/** A model where one was passed in or the environment has a key or a base URL; else the embedded reasoner. Both are loaded on first use. */
export function createReasoners({
  settings,
  model,
  evaluationModel,
  prompts,
  reader,
}: {
  settings: Settings;
  model?: ChatModel | "embedded";
  evaluationModel?: ChatModel;
  prompts?: Prompts;
  reader: () => Promise<Reader>;
}): Reasoners {
  const embedded = lazily(async () => {
    const { createEmbeddedReasoner } = await import("../reasoning/embedded/embedded-reasoner.js");
    return createEmbeddedReasoner({ reader: await reader() });
  });
  const configured = settings.openaiApiKey !== undefined || settings.openaiBaseUrl !== undefined;
  if (model === "embedded" || (model === undefined && !configured))
    return { kind: "embedded", reasonerFor: () => embedded() };

  const timeoutInMs = settings.modelTimeoutSeconds * 1000;
  const byModel = lazily(async () => {
    const { createModelSource, fixedModels } = await import("../model/chat-model.js");
    const { createModelReasoner } = await import("../model/model-reasoner.js");
    const source =
      model === undefined
        ? createModelSource({
            baseUrl: settings.openaiBaseUrl,
            apiKey: settings.openaiApiKey,
            timeoutInMs,
            defaultModel: settings.model ?? DEFAULT_MODEL,
          })
        : fixedModels({ answer: model, grade: evaluationModel ?? model });
    return createModelReasoner({ source, prompts, embedded: await embedded(), timeoutInMs });
  });
  return { kind: "model", reasonerFor: () => byModel() };
}
