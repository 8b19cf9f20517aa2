import { describe, expect, it } from "@jest/globals";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { runCalls } from "../../src/tools/run-tools.js";
import { textsOf } from "../../src/support/tool-result.js";
import { userTool } from "../../src/tools/tool.js";
import { createTestScope } from "../support/test-scope.js";

const tickets = (answer: (query: string) => unknown) =>
  userTool(
    tool(({ query }: { query: string }) => answer(query), {
      name: "tickets",
      description: "Searches tickets.",
      schema: z.object({ query: z.string() }),
    }),
  );

const call = async (
  wrapped: ReturnType<typeof tickets>,
  args: Record<string, unknown> = { query: "invoice" },
) =>
  runCalls({
    calls: [{ tool: wrapped.name, args }],
    tools: [wrapped],
    question: "?",
    round: 1,
    scope: createTestScope(),
  });

describe("a user's own tool", () => {
  it("is the user's, and tells the planner its arguments as JSON schema", () => {
    const wrapped = tickets(() => "");
    expect(wrapped).toMatchObject({
      name: "tickets",
      origin: "user",
      parameters: {
        type: "object",
        properties: { query: { type: "string" } },
        required: ["query"],
      },
    });
    expect(wrapped.strategy).toBeUndefined();
  });

  it("returns ungraded evidence", async () => {
    const { evidence, entries } = await call(tickets((query) => `Ticket 7 is about an ${query}.`));
    expect(evidence).toMatchObject([
      {
        text: "Ticket 7 is about an invoice.",
        title: "tickets",
        source: { kind: "tool", path: "tickets" },
        round: 1,
        scores: [],
        status: "ungraded",
      },
    ]);
    expect(entries).toMatchObject([{ status: "ok", tool: "tickets" }]);
  });

  it("gives equal results the same id", async () => {
    const wrapped = tickets(() => "The same.");
    expect((await call(wrapped)).evidence[0]?.id).toBe((await call(wrapped)).evidence[0]?.id);
  });

  it("turns thrown errors, wrong arguments and returned errors into failures", async () => {
    const throwing = tickets(() => {
      throw new Error("the tracker is down");
    });
    expect((await call(throwing)).entries).toMatchObject([
      { status: "error", error: "the tracker is down" },
    ]);
    expect(
      (
        await call(
          tickets(() => ""),
          { wrong: 1 },
        )
      ).entries,
    ).toMatchObject([{ status: "error" }]);
    expect((await call(tickets(() => ({ error: "rate limited" })))).entries).toMatchObject([
      { status: "error", error: "rate limited" },
    ]);
  });

  it("is left behind at its time limit", async () => {
    const slow = userTool(
      tool(() => new Promise<string>(() => undefined), {
        name: "slow",
        description: "",
        schema: z.object({ query: z.string() }),
      }),
    );
    expect((await call({ ...slow, timeoutInMs: 30 })).entries).toMatchObject([
      { status: "timeout" },
    ]);
  });
});

describe("textsOf", () => {
  const CASES: readonly [what: string, result: unknown, texts: unknown[]][] = [
    ["a string", "Plain.", [{ text: "Plain." }]],
    [
      "MCP content blocks",
      {
        content: [
          { type: "text", text: "One." },
          { type: "image", data: "…" },
          { type: "text", text: "Two." },
        ],
      },
      [{ text: "One." }, { text: "Two." }],
    ],
    ["a pair of content and artifact", ["The content.", { raw: 1 }], [{ text: "The content." }]],
    [
      "LangChain documents",
      [{ pageContent: "Body.", metadata: { title: "T", source: "https://example.org/a" } }],
      [{ text: "Body.", title: "T", url: "https://example.org/a" }],
    ],
    [
      "search results",
      { results: [{ title: "T", url: "https://example.org/b", content: "Body." }] },
      [{ text: "Body.", title: "T", url: "https://example.org/b" }],
    ],
    ["JSON in a string", '[{"title": "T", "snippet": "Body."}]', [{ text: "Body.", title: "T" }]],
    ["a string that only looks like JSON", "[see below]", [{ text: "[see below]" }]],
    [
      "a record without a known text",
      { price: 5, currency: "EUR" },
      [{ text: '{"price":5,"currency":"EUR"}' }],
    ],
    [
      "an address that is none",
      { content: "Body.", url: "javascript:alert(1)" },
      [{ text: "Body." }],
    ],
    ["a number", 42, [{ text: "42" }]],
    ["nothing", null, []],
  ];

  it.each(CASES)("reads %s", (_what, result, texts) => expect(textsOf(result)).toEqual(texts));

  it("throws what an MCP tool reports as an error", () => {
    expect(() =>
      textsOf({ isError: true, content: [{ type: "text", text: "no such table" }] }),
    ).toThrow("no such table");
  });
});
