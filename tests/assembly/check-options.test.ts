import { describe, expect, it } from "@jest/globals";
import { BaseRetriever } from "@langchain/core/retrievers";
import { correctiveRagTool, createCorrectiveRag, UserError } from "../../src/index.js";

const environment = { KB_AGENT_AUDIT_LOG_PATH: "off" };

/** What a caller in JavaScript may write. */
function made(options: object): unknown {
  return createCorrectiveRag({ environment, ...options });
}

class NoRetriever extends BaseRetriever {
  lc_namespace = ["test"];
}

describe("a caller without a compiler", () => {
  it("learns of an unknown option, and where a setting belongs", () => {
    expect(() => made({ retreiver: new NoRetriever() })).toThrow(
      'createCorrectiveRag has no option "retreiver"',
    );
    for (const [options, hint] of [
      [{ prompts: { anwser: { instructions: "Be short." } } }, "did you mean answer?"],
      [{ edges: { afterGradnig: () => "plan" } }, "did you mean afterGrading?"],
      [{ nodes: { xyz: {} } }, "there are afterGrading, beforeAnswer, afterGuard"],
    ] as const)
      expect(() => made(options)).toThrow(expect.objectContaining({ hint }));
    try {
      made({ topK: 3 });
      throw new Error("it was accepted");
    } catch (error) {
      expect(error).toBeInstanceOf(UserError);
      expect(error).toMatchObject({
        message: expect.stringContaining('"topK"'),
        hint: expect.stringContaining("settings: { topK: … }"),
      });
    }
  });

  it.each([
    [{ model: 4 }, /^the option model of createCorrectiveRag is not valid: it is no name and/],
    [{ model: "gpt-4o" }, /^the model "gpt-4o" has neither a provider nor an endpoint$/],
    [{ model: "groq:llama-4" }, /^the model groq:llama-4 needs @langchain\/groq: not installed$/],
    [
      { settings: { thresholds: { correct: 0.4, incorrect: 0.6 } } },
      /^the threshold for INCORRECT \(0\.6\) is above the one for CORRECT \(0\.4\)$/,
    ],
    [{ settings: { reranker: "cohere" } }, /^the reranker cohere needs a key$/],
    [{ settings: { embeddingModel: "e5" } }, /^the embedding model e5 has no endpoint$/],
    [{ settings: { webProviders: ["tavily"] } }, /tavily, but TAVILY_API_KEY is not set$/],
    [{ settings: { topk: 3 } }, /^there is no setting "topk": did you mean topK\?$/],
    [{ settings: { topK: 0 } }, /^the setting topK is not valid: /],
    [
      { settings: { budget: { second: 3 } } },
      /^there is no setting "budget\.second": did you mean budget\.seconds\?$/,
    ],
    [{ profile: {} }, /^the option profile of createCorrectiveRag is not valid: it is no profile/],
    [{ prompts: { answer: "Be short." } }, /^the option prompts\.answer /],
    [{ budget: { second: 3 } }, /^there is no setting "budget\.second": did you mean/],
    [{ budget: { modelCalls: -1 } }, /^the setting budget\.modelCalls is not valid: /],
    [{ settings: { indexRoots: [] } }, /^the setting indexRoots is not valid: a list with/],
    [{ profile: "admin" }, /^the setting profile is not valid: .*"adaptive"/],
    [{ knowledgeBase: 5 }, /^the option knowledgeBase .* no folder and no knowledge base$/],
    [{ knowledgeBase: { search: () => [] } }, /^the option knowledgeBase /],
    [{ knowledgeBase: "" }, /^the option knowledgeBase /],
    [{ retriever: {} }, /^the option retriever .* it has no method invoke$/],
    [{ vectorStore: null }, /^the option vectorStore .* it has no method similaritySearch/],
    [{ tools: [{}] }, /^the option tools\.0 of createCorrectiveRag is not valid: /],
    [{ tools: "x" }, /^the option tools /],
    [{ webSearch: "always" }, /^the setting webSearch is not valid: .*"auto"/],
    [{ webSearch: 3 }, /^the option webSearch /],
    [{ checkpointer: "x" }, /^the option checkpointer /],
    [{ policy: ["word"] }, /^the option policy /],
  ])("learns of a malformed option: %p", (options, message) => {
    expect(() => made(options)).toThrow(message);
    expect(() => made(options)).toThrow(UserError);
  });

  it("learns of an invalid name for a tool", () => {
    const agent = createCorrectiveRag({ environment, model: "embedded" });
    expect(() => correctiveRagTool(agent, { name: "our handbook" })).toThrow(
      '"our handbook" is not a valid name for a tool',
    );
  });

  it("learns that only one source of evidence is searched", () => {
    expect(() => made({ retriever: new NoRetriever(), knowledgeBase: "kb" })).toThrow(
      "was given knowledgeBase and retriever",
    );
  });

  it("learns in one line of an unknown or invalid setting of a run", async () => {
    const agent = createCorrectiveRag({ environment, model: "embedded" });
    const wrong = (settings: object): Promise<unknown> => agent.ask("When?", { context: settings });
    await expect(wrong({ profile: "nope" })).rejects.toThrow(
      /^the setting profile for a run is not valid: .*"adaptive"/,
    );
    await expect(wrong({ profil: "signals" })).rejects.toThrow(
      'there is no setting "profil" for a run: did you mean profile?',
    );
    await expect(wrong({ budget: { seconds: -1 } })).rejects.toThrow(
      /^the setting budget\.seconds for a run is not valid: /,
    );
    await expect(wrong({ thresholds: { corect: 0.2 } })).rejects.toThrow(
      'there is no setting "thresholds.corect" for a run',
    );
    await expect(agent.events("When?", { context: { top_k: 0 } }).next()).rejects.toThrow(
      UserError,
    );
  });
});
