import { describe, expect, it } from "@jest/globals";
import { checkLive } from "../../evals/check-live.js";
import { startModelServer } from "../support/model-server.js";

// Whole runs of the agent, on machines that do other things besides.

describe("npm run check:live", () => {
  it("says step by step what an endpoint can and cannot do, and asks twenty questions", async () => {
    const server = await startModelServer({ temperament: "tools" });
    const lines: string[] = [];
    try {
      const report = await checkLive({
        environment: {
          OPENAI_BASE_URL: server.baseUrl,
          LLM_MODEL: "test-model",
          EMBEDDING_MODEL: "vectors",
        },
        tell: (line) => void lines.push(line),
      });
      expect(Object.fromEntries(report.steps.map(({ step, ok }) => [step, ok]))).toEqual({
        "answers at all": true,
        "reports its tokens": true,
        streams: true,
        "keeps a JSON schema": false,
        "calls a function": true,
        "writes plain JSON": true,
        "embeds (vectors)": true,
      });
      expect(report.asked).toBe(20);
      expect(report.right).toBeGreaterThan(5);
      expect(lines.join("\n")).toMatch(/NO {3}keeps a JSON schema +.*refused the form/);
    } finally {
      await server.close();
    }
  });

  it("asks no questions where nothing answers", async () => {
    const server = await startModelServer();
    server.fail({ kind: "unauthorised" });
    try {
      const report = await checkLive({
        environment: { OPENAI_BASE_URL: server.baseUrl, LLM_MODEL: "test-model" },
      });
      expect(report).toMatchObject({
        asked: 0,
        steps: [
          { step: "answers at all", ok: false, note: expect.stringContaining("refused the key") },
        ],
      });
    } finally {
      await server.close();
    }
  });

  it("says in one line that there is no endpoint", async () => {
    await expect(checkLive({ environment: {} })).rejects.toThrow("there is no endpoint to check");
  });
});
