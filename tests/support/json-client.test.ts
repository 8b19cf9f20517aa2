import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { requestJson, type JsonRequest } from "../../src/support/json-client.js";
import { scriptedFetch, type ScriptedAnswer } from "./scripted-fetch.js";

const ask = async (
  answers: readonly ScriptedAnswer[],
  more: Partial<JsonRequest<{ ok: boolean }>> = {},
) => {
  const scripted = scriptedFetch(...answers);
  const result = await requestJson({
    url: "https://api.example.org/v1?q=private",
    body: { q: 1 },
    schema: z.object({ ok: z.boolean() }),
    apiKey: "sk-secret",
    timeoutInMs: 20,
    maxBytes: 1_000,
    initialDelayInMs: 1,
    fetch: scripted.fetch,
    ...more,
  }).catch((error: unknown) => error);
  return { result, calls: scripted.calls };
};

describe("the JSON client", () => {
  it("returns an answer that fits the schema", async () => {
    expect((await ask([{ body: { ok: true } }])).result).toEqual({ ok: true });
  });

  it.each([
    ["HTML", { body: "<!doctype html><p>log in</p>" }, "malformed", /an HTML page where JSON/],
    ["nothing", { body: "" }, "malformed", /an empty body/],
    ["plain text with 500", { status: 500, body: "upstream died" }, "server", /500: "upstream/],
    ["a form with 400", { status: 400, body: { error: { message: "no" } } }, "rejected", /: no$/],
    ["another form", { body: { yes: 1 } }, "malformed", /unknown form: ok/],
    ["an error with 200", { body: { error: "rate limit" } }, "rate_limited", /rate limit/],
    ["a wrong key with 200", { body: { error: "Invalid API key" } }, "unauthorized", /API key/],
    [
      "a text that is too long with 200",
      { body: { error: "invalid request: the text is longer than 512 tokens" } },
      "malformed",
      /512 tokens/,
    ],
    ["a repeated key", { status: 401, body: "bad sk-secret" }, "unauthorized", /bad \[key\]/],
    ["a redirect", { status: 302, body: "" }, "rejected", /redirects are not followed/],
    ["no end", { body: "x".repeat(2_000) }, "malformed", /longer than/],
    ["silence", { never: true }, "timeout", /no answer within 20 ms/],
    ["a broken line", { error: new TypeError("fetch failed") }, "network", /fetch failed/],
  ] as const)("names %s", async (_name, answer, failure, message) => {
    const { result } = await ask([answer]);
    expect(result).toMatchObject({ name: "HttpError", failure, code: `http_${failure}` });
    expect(String(result)).toMatch(message);
    expect(String(result)).not.toMatch(/sk-secret|private/);
  });

  it("sends a name and a password of the address as a header, and never shows them", async () => {
    const url = "https://ann:p%40ssword@api.example.org/v1";
    const { calls, result } = await ask([{ status: 401, body: "not p@ssword" }], {
      url,
      apiKey: undefined,
    });
    expect(calls[0]?.url).toBe("https://api.example.org/v1");
    const basic = Buffer.from("ann:p@ssword").toString("base64");
    expect(calls[0]?.headers.get("authorization")).toBe(`Basic ${basic}`);
    expect(String(result)).toMatch(/^HttpError: api\.example\.org answered 401: "not \[key\]"/);
    const keyed = await ask([{ body: { ok: true } }], { url });
    expect(keyed.calls[0]?.headers.get("authorization")).toBe("Bearer sk-secret");
  });

  it("retries temporary failures only", async () => {
    const passing = await ask([{ status: 503, body: "" }, { body: { ok: true } }], {
      maxRetries: 1,
    });
    expect(passing.result).toEqual({ ok: true });
    const refused = await ask([{ status: 403, body: "" }], { maxRetries: 3 });
    expect(refused.calls).toHaveLength(1);
  });
});
