import { describe, expect, it } from "@jest/globals";
import { KnowledgeBaseError } from "../../src/retrieval/knowledge-base.js";
import { openAiEmbedder, type OpenAiEmbedderOptions } from "../../src/retrieval/embedders.js";
import { scriptedFetch, type ScriptedAnswer } from "../support/scripted-fetch.js";

/** Two dimensions: the length of the text, and one. */
const lengths: ScriptedAnswer = (body) => {
  const input =
    typeof body === "object" && body !== null && "input" in body && Array.isArray(body.input)
      ? body.input
      : [Reflect.get(Object(body), "input")];
  return {
    headers: { "content-type": "application/json" },
    body: {
      data: input.map((text: unknown, index) => ({
        index,
        embedding: [String(text).length, 1],
      })),
    },
  };
};

async function embedderWith(
  answers: readonly ScriptedAnswer[],
  options: Partial<OpenAiEmbedderOptions> = {},
) {
  const scripted = scriptedFetch(...answers);
  return {
    ...scripted,
    embedder: await openAiEmbedder({
      model: "test-embed",
      apiKey: "sk-secret",
      fetch: scripted.fetch,
      ...options,
    }),
  };
}

describe("OpenAI-compatible embeddings", () => {
  it("ask for floats at the configured address", async () => {
    const { embedder, calls } = await embedderWith([lengths], {
      baseUrl: "http://localhost:11434/v1/",
    });
    expect(await embedder.embedDocuments(["a", "bbb", "cc"])).toEqual([
      [1, 1],
      [3, 1],
      [2, 1],
    ]);
    expect(calls[0]?.url).toBe("http://localhost:11434/v1/embeddings");
    expect(calls[0]?.body).toEqual({
      model: "test-embed",
      input: ["a", "bbb", "cc"],
      encoding_format: "float",
    });
    expect(calls[0]?.headers.get("authorization")).toBe("Bearer sk-secret");
  });

  it("send no key of the environment", async () => {
    const { embedder, calls } = await embedderWith([lengths], { apiKey: undefined });
    await embedder.embedQuery("x");
    expect(calls[0]?.headers.get("authorization")).toBe("Bearer none");
  });

  it("are requested again after 429 and 500, but not after a refusal", async () => {
    const patient = await embedderWith([
      { status: 429, body: "slow down", headers: { "retry-after": "0" } },
      { status: 500, body: "" },
      lengths,
    ]);
    expect(await patient.embedder.embedQuery("abc")).toEqual([3, 1]);
    const refused = await embedderWith([{ status: 400, body: { error: { message: "too long" } } }]);
    await expect(refused.embedder.embedQuery("abc")).rejects.toThrow(/too long/);
    expect(refused.calls).toHaveLength(1);
  });

  it.each([
    [
      { status: 401, body: { error: { message: "Incorrect API key provided: sk-secret" } } },
      /CRAG_EMBEDDING_API_KEY/,
    ],
    [{ status: 404, body: { error: { message: "model not found" } } }, /EMBEDDING_MODEL/],
    [{ body: { vectors: [] } }, /EMBEDDING_BASE_URL/],
    [{ body: "<html>" }, /EMBEDDING_BASE_URL/],
  ])("fail with a hint at the setting: %j", async (answer, hint) => {
    const { embedder } = await embedderWith([answer]);
    const failure = await embedder.embedQuery("abc").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KnowledgeBaseError);
    expect(failure).toMatchObject({
      message: expect.stringContaining("test-embed"),
      hint: expect.stringMatching(hint),
    });
    expect(String(failure)).not.toContain("sk-secret");
  });

  it("that are too few are refused", async () => {
    const { embedder } = await embedderWith([{ body: { data: [{ index: 0, embedding: [1] }] } }]);
    await expect(embedder.embedDocuments(["a", "b"])).rejects.toThrow(KnowledgeBaseError);
  });

  it("have a time limit, and stop at once when the run is cancelled", async () => {
    const slow = await embedderWith([{ never: true }], { timeoutInMs: 20, maxRetries: 0 });
    await expect(slow.embedder.embedQuery("abc")).rejects.toThrow(/test-embed failed/);
    const cancelled = await embedderWith([{ never: true }]);
    await expect(
      cancelled.embedder.embedQuery("abc", AbortSignal.timeout(20)),
    ).rejects.toMatchObject({ name: "TimeoutError" });
    expect(cancelled.calls).toHaveLength(1);
  });
});
