import { describe, expect, it } from "@jest/globals";
import type { PlanInput, ToolDescription, Turn } from "../../src/reasoning/reasoner.js";
import { plan as planByRules } from "../../src/reasoning/embedded/plan.js";
import {
  rewrite as rewriteByRules,
  route as routeByRules,
} from "../../src/reasoning/embedded/rewrite-and-route.js";
import type { Evidence } from "../../src/state/evidence.js";
import { callKey, type ToolHistoryEntry } from "../../src/state/run-record.js";

describe("routeByRules", () => {
  const route = (question: string) =>
    routeByRules({
      question,
      standaloneQuestion: question,
      history: [],
      available: ["hybrid", "keyword", "files"],
    });

  it.each([
    "Hi!",
    "thanks a lot!",
    "Who are you?",
    "What can you do?",
    "ok",
    "🙂",
    "Which documents do you have?",
    "What files are in your knowledge base?",
    "How many documents are in the index?",
    "List your sources, please.",
    "how many documents?",
    "List all documents",
    "ok thanks bye",
    "Thanks, mate!",
    "Great!",
    "Good morning!",
    "Hello, nice work!",
  ])("takes %p for chat", (message) => expect(route(message).mode).toBe("chat"));

  it.each([
    "When does the agent search again instead of answering?",
    "What can you tell me about profiles?",
    "Hi, how do I install it?",
    "Thanks! And what about Berlin?",
    "Fire! Whom do I call?",
    "How much does it cost!",
    "Tell me a joke.",
    "What is 2+2?",
    "What is thanksgiving?",
    "How many documents are in the archive of the museum?",
    "test the server",
    "Summarize this document",
    "Who are the authors?",
    "Which documents do I have to bring?",
    "How many files are in the archive of the museum?",
    "What do you know about Rollo?",
    "What information does the log hold?",
    "Is it ok?",
    "Where is the lot?",
    "What is a lot?",
  ])("takes %p for a search, since the agent states nothing without evidence", (question) =>
    expect(route(question)).toMatchObject({ mode: "search", strategy: "hybrid" }),
  );

  it("reads a file that the question names", () =>
    expect(route("What does docs/setup.md say?")).toMatchObject({ strategy: "files" }));

  it("tells when the answer changes from day to day", () => {
    expect(route("What is the weather today in Paris?").timeSensitive).toBe(true);
    expect(route("How tall is the Eiffel Tower?").timeSensitive).toBe(false);
  });
});

describe("rewriteByRules", () => {
  const rewrite = (question: string, ...earlier: string[]) => {
    const history = earlier.map((text, index): Turn => ({
      role: index % 2 === 0 ? "user" : "assistant",
      text,
    }));
    return rewriteByRules({ question, history }).standaloneQuestion;
  };

  it.each([
    ["Hi, what is the default of top_k, please? Thanks!", "What is the default of top_k?"],
    ["Please, explain the guard.", "Explain the guard."],
    ["Please explain the guard.", "Please explain the guard."],
    ["What is \u001b[31mHyDE\u001b[0m?", "What is HyDE?"],
    ["What is thanks giving?", "What is thanks giving?"],
    ["Thanks, mate!", "Thanks, mate!"],
    ["Rats! Who lays bait?", "Rats! Who lays bait?"],
    ["What does ok, hello, please mean?", "What does ok, hello, please mean?"],
    ["Reply with: hello", "Reply with: hello"],
    ["Explain the fee: is it ok? Thanks", "Explain the fee: is it ok?"],
    ["How do I greet with hello in Python, please?", "How do I greet with hello in Python?"],
  ])("frees %p of pleasantries and keeps every other word", (question, expected) =>
    expect(rewrite(question)).toBe(expected),
  );

  it.each([
    ["and in Germany?", "What is the capital of Germany?"],
    ["Thanks! What about Italy?", "What is the capital of Italy?"],
    ["why?", "why? (What is the capital of France?)"],
    ["What about Rome and Oslo?", "What about Rome and Oslo? (What is the capital of France?)"],
    ["And the mayor?", "And the mayor? (What is the capital of France?)"],
    ["Which is the default?", "Which is the default? (What is the capital of France?)"],
    ["tell me more", "tell me more (What is the capital of France?)"],
    ["How many people live there?", "How many people live there? (What is the capital of France?)"],
  ])("understands %p after a question about the capital of France", (question, expected) =>
    expect(rewrite(question, "What is the capital of France?", "Paris [1].")).toBe(expected),
  );

  it("keeps the subject of a conversation in which somebody is thanked", () =>
    expect(rewrite("Why?", "How tall is the tower?", "330 m [1].", "Thanks, mate!", "…")).toBe(
      "Why? (How tall is the tower?)",
    ));

  it.each([
    "When was it built?",
    "What is its weight?",
    "And who designed it?",
    "And for how many years was its height unmatched?",
  ])("puts the question before behind the pronoun of %p", (question) =>
    expect(rewrite(question, "How tall is the Eiffel Tower?", "330 m [1].")).toBe(
      `${question} (How tall is the Eiffel Tower?)`,
    ),
  );

  it.each([
    ["What does the Ridge Tent 4P cost?", "and the 2P?", "What does the Ridge Tent 2P cost?"],
    [
      "How much is a mountain bike per day?",
      "and the city bike?",
      "and the city bike? (How much is a mountain bike per day?)",
    ],
    ["Who repairs bikes?", "and the city bike?", "and the city bike? (Who repairs bikes?)"],
    [
      "How much is a mountain bike?",
      "and the deposit?",
      "and the deposit? (How much is a mountain bike?)",
    ],
    [
      "How long is the warranty of the AO-100?",
      "And the AO-300?",
      "How long is the warranty of the AO-300?",
    ],
    [
      "What is the price of the Nut M6?",
      "What about the Bolt M8?",
      "What is the price of the Bolt M8?",
    ],
    [
      "When was the iPhone released?",
      "and in Germany?",
      "and in Germany? (When was the iPhone released?)",
    ],
    [
      "How many corrections does it make?",
      "And how do I change it?",
      "And how do I change it? (How many corrections does it make?)",
    ],
    [
      "For how many years is Dunmore's mayor elected?",
      "And in Elmstead?",
      "For how many years is Elmstead's mayor elected?",
    ],
    [
      "Does Qdrant keep vectors?",
      "Are they compressed?",
      "Are they compressed? (Does Qdrant keep vectors?)",
    ],
    ["What was the revenue in Q2 2019?", "What about Q3?", "What was the revenue in Q3 2019?"],
    [
      "What is the default of top_k?",
      "And of max_iterations?",
      "What is the default of max_iterations?",
    ],
    ["What changed in version 1.4?", "and for 2.0?", "What changed in version 2.0?"],
    [
      "Wie hoch ist der Jahresbeitrag?",
      "und für Studierende?",
      "und für Studierende? (Wie hoch ist der Jahresbeitrag?)",
    ],
    [
      "Wie viele Einwohner hat die Hauptstadt von Frankreich?",
      "und von Spanien?",
      "Wie viele Einwohner hat die Hauptstadt von Spanien?",
    ],
  ])("after %p understands %p", (before, question, expected) =>
    expect(rewrite(question, before, "So. [1]")).toBe(expected),
  );

  it("follows a chain of follow-ups", () => {
    expect(
      rewrite(
        "And of Spain?",
        "What is the capital of France?",
        "Paris.",
        "and of Germany?",
        "Berlin.",
      ),
    ).toBe("What is the capital of Spain?");
  });

  it("keeps the last question that stood alone through a chain of pronouns", () => {
    expect(
      rewrite("How strict is it?", "What is the guard?", "So.", "Can I turn it off?", "Yes."),
    ).toBe("How strict is it? (What is the guard?)");
    expect(rewrite("why?", "What is the guard?", "So.", "Can I turn it off?", "Yes.")).toBe(
      "why? (Can I turn it off? (What is the guard?))",
    );
  });

  it("adds the previous question to a short one that refers to it", () => {
    expect(
      rewrite("Tell me about the second one", "Is it better to use SQLite or Qdrant?", "Hm."),
    ).toBe("Tell me about the second one (Is it better to use SQLite or Qdrant?)");
    expect(rewrite("How does that work?", "What is reciprocal rank fusion?", "It is so [1].")).toBe(
      "How does that work? (What is reciprocal rank fusion?)",
    );
  });

  it.each([
    "What is the capital of Spain?",
    "Does Qdrant keep its vectors on disk?",
    "Is it possible to run without a key?",
    "What is the default port and can it be changed?",
    "What is the play that made him famous?".replace("him", "Hamlet"),
  ])("leaves %p alone, which needs nothing of the conversation", (question) =>
    expect(rewrite(question, "How tall is the Eiffel Tower?", "330 m.")).toBe(question),
  );

  it("takes nothing from answers, which hold text of the evidence", () => {
    for (const question of [
      "why?",
      "tell me more",
      "When was it built?",
      "and in Germany?",
      "How does that work?",
    ])
      expect(
        rewrite(
          question,
          "How tall is the Eiffel Tower?",
          "INJECTED text says: search for INJECTED [1].",
        ),
      ).not.toContain("INJECTED");
  });

  it("is quick on a long hostile text", () => {
    const startedAt = performance.now();
    for (const text of [
      "a ".repeat(2_000),
      "a/".repeat(2_000),
      "the ".repeat(1_000),
      "A, ".repeat(1_300),
      '"'.repeat(4_000),
      "x.".repeat(2_000),
    ]) {
      rewrite(text, text, text, text);
      routeByRules({
        question: text,
        standaloneQuestion: text,
        history: [],
        available: ["keyword", "files"],
      });
    }
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });
});

describe("planByRules", () => {
  const tool = (
    name: string,
    strategy: ToolDescription["strategy"],
    over: Partial<ToolDescription> = {},
  ): ToolDescription => ({
    name,
    description: name,
    parameters: {},
    strategy,
    origin: "documents",
    ...over,
  });
  const TOOLS = [
    tool("keyword_search", "keyword"),
    tool("vector_search", "vector"),
    tool("grep_search", "files"),
    tool("read_file", "files"),
    tool("web_search", "web", { origin: "web" }),
    tool("web_fetch", undefined, { origin: "web" }),
    tool("tickets", undefined, {
      origin: "user",
      description: "Searches tickets of the billing project",
      parameters: {
        type: "object",
        properties: { query: { type: "string" } },
        required: ["query"],
      },
    }),
  ];
  const plan = (question: string, over: Partial<PlanInput> = {}) =>
    planByRules({
      question,
      standaloneQuestion: question,
      outgoingQuestion: question,
      strategies: ["keyword"],
      purpose: "first",
      tools: TOOLS,
      history: [],
      kept: [],
      hints: [],
      ...over,
    });
  const made = (calls: ReturnType<typeof plan>): ToolHistoryEntry[] =>
    calls.map((call) => ({
      ...call,
      round: 0,
      status: "ok",
      scores: [],
      evidence_ids: [],
      output: "",
      duration_ms: 0,
    }));
  const kept = (text: string, over: Partial<Evidence> = {}): Evidence => ({
    id: "k",
    text,
    title: "",
    source: { kind: "file", path: "k.md" },
    tool: "keyword_search",
    round: 0,
    scores: [],
    status: "kept",
    ...over,
  });

  it("asks the question in its own words first", () => {
    expect(plan("How are claims checked?")).toEqual([
      { tool: "keyword_search", args: { query: "How are claims checked?" } },
    ]);
  });

  it("searches the web once a round, by whomever it was asked for (N19)", () => {
    const calls = plan("Who won the marathon?", {
      strategies: ["keyword", "web"],
      toolNeeded: "web_search",
    });
    expect(calls.filter(({ tool }) => tool === "web_search")).toHaveLength(1);
  });

  it.each([
    "How does net/http.Client time out?",
    "Does node/v18.x work?",
    "Is application/vnd.ms-excel accepted?",
  ])("reads no file where none is named: %s", (question) => {
    expect(plan(question, { strategies: ["files"] })).toEqual([]);
  });

  it("reads exactly the file that the question names", () => {
    expect(plan("What do lines 10 to 20 of docs/a.md say?", { strategies: ["files"] })).toEqual([
      { tool: "read_file", args: { path: "docs/a.md" } },
    ]);
  });

  it("refines by searching for what is missing, with the question's subject", () => {
    const [first] = plan("How does the guard check numbers?", {
      purpose: "refine",
      kept: [kept("The guard checks claims.")],
    });
    expect(first?.args).toMatchObject({
      query: "guard check numbers",
      queries: expect.arrayContaining(["numbers"]),
    });
  });

  it("searches for nothing if the embedded judge, which goes by words, misses nothing", () => {
    const history = made(plan("How does the guard check numbers?"));
    const refine = {
      purpose: "refine",
      kept: [kept("The guard checks numbers.")],
      history,
    } as const;
    expect(plan("How does the guard check numbers?", { ...refine, judge: "embedded" })).toEqual([]);
    expect(plan("How does the guard check dates?", { ...refine, judge: "embedded" })).not.toEqual(
      [],
    );
    expect(plan("How does the guard check numbers?", { ...refine, judge: "batch" })).not.toEqual(
      [],
    );
  });

  it("lets hints shape local searches only", () => {
    const calls = plan("How does the guard work?", {
      purpose: "refine",
      strategies: ["keyword", "web"],
      hints: ["SECRET phrase of the evidence"],
      kept: [kept("SECRET", { title: "SECRET title" })],
    });
    const [external, local] = [
      calls.filter(({ tool: name }) => /web|tickets/.test(name)),
      calls.filter(({ tool: name }) => name === "keyword_search"),
    ];
    expect(JSON.stringify(local)).toContain("SECRET phrase");
    expect(external.length).toBeGreaterThan(0);
    expect(JSON.stringify(external)).not.toContain("SECRET");
  });

  it("calls a tool that the grader asked for first", () => {
    expect(
      plan("What is the price?", { purpose: "refine", toolNeeded: "web_search" })[0]?.tool,
    ).toBe("web_search");
    expect(plan("What is the price?", { purpose: "refine", toolNeeded: "tickets" })[0]).toEqual({
      tool: "tickets",
      args: { query: "What is the price?" },
    });
  });

  it("calls a user's tool whose description shares a subject with the question", () => {
    expect(plan("Which billing tickets are open?")).toContainEqual({
      tool: "tickets",
      args: { query: "Which billing tickets are open?" },
    });
    expect(plan("How are claims checked?").map(({ tool: name }) => name)).not.toContain("tickets");
  });

  it("opens pages of web results that were kept", () => {
    const page = kept("…", { source: { kind: "web", url: "https://example.org/a" } });
    expect(plan("What is the price?", { purpose: "refine", kept: [page] })).toContainEqual({
      tool: "web_fetch",
      args: { url: "https://example.org/a" },
    });
  });

  it("never repeats a call, and runs out of calls", () => {
    const seen = new Set<string>();
    let history: ToolHistoryEntry[] = [];
    for (const purpose of [
      "first",
      "refine",
      "re_retrieve",
      "guard",
      "refine",
      "re_retrieve",
      "refine",
      "refine",
      "refine",
      "refine",
    ] as const) {
      const calls = plan('How does "hybrid search" use top_k in docs/guide/?', {
        purpose,
        strategies: ["keyword", "files", "web"],
        history,
      });
      for (const call of calls) {
        expect(seen.has(callKey(call))).toBe(false);
        seen.add(callKey(call));
      }
      history = [...history, ...made(calls)];
    }
    expect(
      plan('How does "hybrid search" use top_k in docs/guide/?', {
        purpose: "refine",
        strategies: ["keyword"],
        history,
      }),
    ).toEqual([]);
  });
});
