/** What the designs ask for beyond the adaptive loop's scenarios, through the compiled graph and a model endpoint on real HTTP. */
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Serialized } from "@langchain/core/load/serializable";
import { tool } from "@langchain/core/tools";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { passageBase } from "../../evals/live/passage-base.js";
import { PASSAGES } from "../../evals/live/questions.js";
import type { CorrectiveRagOptions } from "../../src/corrective-rag.js";
import { startModelServer, type ModelServer } from "../support/model-server.js";
import { observedAgent, type ObservedAgent } from "../support/observed-agent.js";
import { startSearchServer, type SearchServer } from "../support/search-servers.js";

// Whole runs of the agent, on machines that do other things besides.

const QUESTION = "How high is Mount Ashen on Velmora?";

let server: ModelServer;
let search: SearchServer;
let observed: ObservedAgent;
beforeAll(async () => {
  server = await startModelServer();
  search = await startSearchServer("searxng", {
    rows: [1, 2, 3, 4, 5].map((n) => ({
      title: `Page ${n}`,
      url: `https://pages.example/${n}`,
      text: `Mount Ashen, says page ${n}, is 1,208 metres high.`,
    })),
  });
});
afterAll(async () => {
  await server.close();
  await search.close();
});
beforeEach(() => {
  server.reset();
  // Whichever source says it is cited, documents and tools before pages.
  server.script("answer", ({ user }) => {
    const source = [...user.matchAll(/<source id="(\d+)">\n([\s\S]*?)\n<\/source>/g)].find(
      ([, , text = ""]) => text.includes("1,208"),
    );
    return source === undefined
      ? "UNANSWERABLE: no source says how high."
      : `Mount Ashen is 1,208 metres high [${source[1]}].`;
  });
  search.requests.length = 0;
  observed = agentWith();
});
afterEach(() => observed.agent.close());

function agentWith({ environment = {}, ...options }: CorrectiveRagOptions = {}): ObservedAgent {
  return observedAgent({
    environment: {
      OPENAI_BASE_URL: server.baseUrl,
      LLM_MODEL: "test-model",
      KB_AGENT_AUTO_APPROVE_MAX_ITEMS: "0",
      ...environment,
    },
    knowledgeBase: passageBase(PASSAGES),
    ...options,
  });
}

async function again(options: CorrectiveRagOptions): Promise<void> {
  await observed.agent.close();
  observed = agentWith(options);
}

const tasks = (): string[] => server.requests.map(({ task }) => task);

describe("signals", () => {
  it("returns class, confidence, reasoning and suggested action, and costs no model call to judge", async () => {
    const { result } = await observed.ask(QUESTION, { profile: "signals", web_search: "off" });
    expect(result.details?.evaluation).toMatchObject({
      label: expect.stringMatching(/^(?:CORRECT|AMBIGUOUS|INCORRECT)$/),
      confidence: expect.any(Number),
      reasoning: expect.stringMatching(
        /^The evidence scores 0\.\d\d \(thresholds 0\.7 and 0\.3\): /,
      ),
      suggested_action: expect.stringMatching(
        /^(?:refine_and_use|combine_with_web_search|trigger_web_search)$/,
      ),
    });
    expect(tasks()).not.toContain("relevance_scores");
  });

  it("judges before anything is generated, and adds far less than 300 ms", async () => {
    const added: number[] = [];
    for (let run = 0; run < 5; run++) {
      const { events } = await observed.ask(QUESTION, { profile: "signals", web_search: "off" });
      const at = (type: string): number =>
        Date.parse(events.find((event) => event.type === type)?.at ?? "");
      expect(at("rag_iteration")).toBeLessThanOrEqual(at("answer_delta"));
      added.push(at("evidence_graded") - at("tool_call"));
    }
    // The quickest of five, with passages that were read before: a busy machine makes any one wait.
    expect(Math.min(...added)).toBeLessThan(300);
  });
});

describe("holistic", () => {
  const verdict = (relevance_score: number, relevance_label: string): void =>
    server.script("relevance_verdict", {
      relevance_score,
      relevance_label,
      confidence: 0.66,
      reasoning: "It says how high.",
    });

  it("judges the whole set in one call that returns score, label, confidence and reasoning", async () => {
    verdict(0.9, "relevant");
    const { result } = await observed.ask(QUESTION, { profile: "holistic" });
    expect(tasks()).toEqual(["relevance_verdict", "answer"]);
    expect(result.details).toMatchObject({
      label: "correct",
      evaluation: {
        score: 0.9,
        confidence: 0.66,
        reasoning: expect.stringContaining("It says how high"),
      },
    });
  });

  it("goes by the score if the label disagrees", async () => {
    verdict(0.9, "irrelevant");
    const { result } = await observed.ask(QUESTION, { profile: "holistic" });
    expect(result.details?.label).toBe("correct");
  });

  it("takes both thresholds from the environment", async () => {
    verdict(0.6, "");
    await again({ environment: { CRAG_RELEVANCE_THRESHOLD: "0.6" } });
    expect((await observed.ask(QUESTION, { profile: "holistic" })).result.details?.label).toBe(
      "correct",
    );
    await again({ environment: { CRAG_AMBIGUOUS_THRESHOLD: "0.65" } });
    expect(
      (await observed.ask(QUESTION, { profile: "holistic", web_search: "off" })).of(
        "rag_iteration",
      )[0]?.label,
    ).toBe("INCORRECT");
  });

  it("asks for three web results, each with title, address and text", async () => {
    verdict(0.1, "irrelevant");
    await again({ environment: { SEARXNG_URL: search.url } });
    const { result, window } = await observed.ask(QUESTION, { profile: "holistic" });
    const web = [...(result.details?.kept ?? []), ...(result.details?.discarded ?? [])].filter(
      ({ source }) => source.kind === "web",
    );
    expect(web).toHaveLength(3);
    for (const n of [1, 2, 3])
      expect(window + JSON.stringify(web)).toContain(`https://pages.example/${n}`);
  });

  it("answers with LLM_MODEL and at most 500 tokens", async () => {
    verdict(0.9, "relevant");
    await observed.ask(QUESTION, { profile: "holistic" });
    const body = server.requests.find(({ task }) => task === "answer")?.body;
    expect(body).toMatchObject({ model: "test-model" });
    expect([body?.["max_tokens"], body?.["max_completion_tokens"]]).toContain(500);
  });
});

describe("adequacy", () => {
  const adequacy = (
    ...verdicts: readonly {
      score: number;
      adequate: boolean;
      tool_needed?: string;
      hints?: string[];
    }[]
  ): void => {
    let turn = 0;
    server.script("adequacy_verdict", () => ({
      tool_needed: null,
      hints: [],
      reasoning: "as scripted",
      ...verdicts[Math.min(turn++, verdicts.length - 1)],
    }));
  };

  it("goes back with the judge's hints while the evidence is inadequate, and keeps what it has", async () => {
    adequacy(
      { score: 0.4, adequate: false, hints: ["lighthouse Quellin"] },
      { score: 0.8, adequate: true },
    );
    const { result, of } = await observed.ask(QUESTION, { profile: "adequacy", web_search: "off" });
    expect(of("rag_iteration").map(({ action }) => action)).toEqual(["REFINE", "GENERATE"]);
    expect(result.details?.discarded).toEqual([]);
    const queries = result.details?.tools
      .filter(({ round }) => round === 1)
      .map(({ args }) => JSON.stringify(args));
    expect(queries?.join()).toMatch(/lighthouse|Quellin/);
    expect(result.details?.kept.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["geography.md", "history.md"]),
    );
  });

  it("calls the tool that the judge needs first, and takes its result as evidence that is graded like the rest", async () => {
    const heights = tool(
      async ({ mountain }: { mountain: string }) =>
        `${mountain} was measured again in 2024: 1,211 metres.`,
      {
        name: "height_register",
        description: "The register of mountain heights.",
        schema: z.object({ mountain: z.string() }),
      },
    );
    await again({ tools: [heights] });
    adequacy(
      { score: 0.9, adequate: true, tool_needed: "height_register" },
      { score: 0.9, adequate: true },
    );
    // At first the planner sees no use for it.
    let planned = 0;
    server.script("tool_calls", () => ({
      calls:
        planned++ === 0
          ? []
          : [
              {
                tool: "height_register",
                arguments_json: JSON.stringify({ mountain: "Mount Ashen" }),
              },
            ],
      reason: "asked for",
    }));
    const { result, of } = await observed.ask(QUESTION, { profile: "adequacy", web_search: "off" });
    expect(of("rag_iteration")[0]).toMatchObject({ action: "REFINE" });
    expect(
      result.details?.tools.filter(({ round }) => round === 1).map(({ tool: name }) => name),
    ).toContain("height_register");
    expect(
      server.requests.filter(({ task }) => task === "adequacy_verdict").at(-1)?.user,
    ).toContain("1,211 metres");
    expect(result.details?.kept.some(({ source }) => source.kind === "tool")).toBe(true);
  });

  it("answers from what there is after the last loop", async () => {
    adequacy({ score: 0.2, adequate: false, hints: ["harbour"] });
    const { result } = await observed.ask(QUESTION, {
      profile: "adequacy",
      max_iterations: 1,
      web_search: "off",
    });
    expect(result.outcome).toMatchObject({
      status: "success",
      causes: expect.arrayContaining(["max_iterations"]),
    });
    expect(result.answer).toContain("1,208");
  });

  it("takes 4 calls if it stays in doubt: evidence of the third correction is used without a verdict", async () => {
    adequacy({ score: 0.5, adequate: false, hints: ["harbour", "census", "lighthouse"] });
    const { result } = await observed.ask("How high is Mount Ashen, and who climbed it first?", {
      profile: "adequacy",
      web_search: "off",
    });
    expect(tasks().filter((task) => task !== "plan")).toEqual([
      ...Array.from({ length: 3 }, () => "adequacy_verdict"),
      "answer",
    ]);
    expect(result.details?.rounds.map(({ label }) => label)).toEqual(
      Array.from({ length: 4 }, () => "ambiguous".toUpperCase()),
    );
    expect(result.outcome.causes).toContain("max_iterations");
  });

  it.each([
    ["quick", "small-model", "small-model", 1],
    ["balanced", "test-model", "test-model", 2],
    ["thorough", "judge-model", "test-model", 4],
  ] as const)(
    "trades quality for cost: %s judges with %s, answers with %s, corrects %i times at most",
    async (quality, judge, writer, limit) => {
      await again({
        environment: { LLM_MODEL_QUICK: "small-model", LLM_MODEL_EVALUATION: "judge-model" },
      });
      const { result } = await observed.ask(QUESTION, {
        profile: "adequacy",
        quality,
        self_consistency: false,
        hyde: false,
      });
      expect(result.details?.max_iterations).toBe(limit);
      const modelOf = (wanted: string): string | undefined =>
        server.requests.find(({ task }) => task === wanted)?.model;
      expect([modelOf("adequacy_verdict"), modelOf("answer")]).toEqual([judge, writer]);
    },
  );

  it("serves the same search again from the cache", async () => {
    await observed.ask(QUESTION, { profile: "adequacy" });
    const { result } = await observed.ask(QUESTION, { profile: "adequacy" });
    expect(result.details?.tools.some(({ cached }) => cached)).toBe(true);
  });
});

describe("three_action", () => {
  it("grades each document in a call of its own: k + 1 calls when one is good, whatever the others are", async () => {
    server.script("relevance_score", ({ user }) => ({ score: user.includes("1,208") ? 0.9 : 0.1 }));
    const { result } = await observed.ask(QUESTION, { profile: "three_action" });
    const graded = Object.keys(result.details?.scores ?? {}).length;
    expect(graded).toBeGreaterThan(2);
    expect(tasks().filter((task) => task === "relevance_score")).toHaveLength(graded);
    expect(server.requests).toHaveLength(graded + 1);
    expect(result.details).toMatchObject({ max_score: 0.9, label: "correct" });
  });

  it("judges what a correction brings in one call: k + 3 calls when the web is asked", async () => {
    await again({ environment: { SEARXNG_URL: search.url } });
    server.script("relevance_score", { score: 0.1 });
    server.script("relevance_scores", { scores: [0.9, 0.8, 0.7] });
    const { result } = await observed.ask(QUESTION, { profile: "three_action" });
    const graded = result.details?.rounds[0]?.discarded.length ?? 0;
    expect(graded).toBeGreaterThan(2);
    expect(tasks().slice(graded)).toEqual(["web_query", "relevance_scores", "answer"]);
  });

  it("clamps scores to 0–1, and a document whose score is missing counts 0.5", async () => {
    server.script("relevance_score", ({ user }) =>
      user.includes("1,208")
        ? { score: 1.4 }
        : user.includes("18,340")
          ? { verdict: "who knows" }
          : { score: -3 },
    );
    const { result, of } = await observed.ask(QUESTION, {
      profile: "three_action",
      web_search: "off",
    });
    expect(result.details?.scores).toMatchObject({ "geography.md": 1, "people.md": 0.5 });
    expect(new Set(result.details?.relevance_scores)).toEqual(new Set([1, 0.5, 0]));
    expect(of("grade_parse_failure")).toHaveLength(1);
  });

  it("extracts key points of web text if asked for, each tied to its source, and rewrites the query to keywords", async () => {
    await again({ environment: { SEARXNG_URL: search.url } });
    server.script("relevance_score", ({ user }) => ({
      score: user.includes("says page") ? 0.9 : 0.1,
    }));
    const { result, window } = await observed.ask(QUESTION, {
      profile: "three_action",
      key_points: true,
    });
    expect(tasks()).toEqual(expect.arrayContaining(["web_query", "key_points"]));
    expect(window).toMatch(/• .*Mount Ashen, says page 1/);
    expect(result.citations[0]).toMatchObject({ status: "supported", source: { kind: "web" } });
  });

  it("searches with the question's own words if the query cannot be rewritten", async () => {
    await again({ environment: { SEARXNG_URL: search.url } });
    server.script("relevance_score", { score: 0.1 });
    server.fail({ kind: "nonsense" }, { task: "web_query" });
    await observed.ask(QUESTION, { profile: "three_action" });
    expect(search.requests[0]?.url.searchParams.get("q")).toMatch(/Mount Ashen/);
  });

  it("returns everything that its response object has", async () => {
    const { result, window } = await observed.ask(QUESTION, { profile: "three_action" });
    expect(result).toMatchObject({
      answer: expect.stringContaining("1,208"),
      sources: [
        expect.objectContaining({
          title: "Geography of Velmora",
          label: "[SOURCE:geography.md:L1]",
        }),
      ],
      details: {
        label: "correct",
        action: "GENERATE",
        max_score: 0.9,
        relevance_scores: expect.arrayContaining([0.9]),
        context_used: window,
      },
    });
    expect(window).toContain("1,208 metres");
  });
});

class Tracer extends BaseCallbackHandler {
  readonly name = "tracer";
  readonly runs = new Map<string, { name: string; parent: string | undefined }>();

  override handleChainStart(
    _chain: Serialized,
    _inputs: unknown,
    id: string,
    parent?: string,
    _tags?: string[],
    _metadata?: unknown,
    _type?: string,
    name?: string,
  ): void {
    this.runs.set(id, { name: name ?? "", parent });
  }
  override handleChatModelStart(
    _model: Serialized,
    _messages: unknown,
    id: string,
    parent?: string,
  ): void {
    this.runs.set(id, { name: "model", parent });
  }
  /** The name of the outermost run above. */
  rootOf(id: string): string | undefined {
    const run = this.runs.get(id);
    return run?.parent === undefined ? run?.name : this.rootOf(run.parent);
  }
}

it("shows tracers each node and each model call, all under one run", async () => {
  const tracer = new Tracer();
  await observed.agent.graph.invoke(
    { question: QUESTION },
    { callbacks: [tracer], context: { web_search: "off" } },
  );
  const names = [...tracer.runs.values()].map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "rewrite_question",
      "analyze_and_route",
      "plan",
      "tools",
      "grade_evidence",
      "synthesize",
      "guard_answer",
    ]),
  );
  expect(names.filter((name) => name === "model").length).toBeGreaterThanOrEqual(2);
  expect(new Set([...tracer.runs.keys()].map((id) => tracer.rootOf(id)))).toEqual(
    new Set(["corrective_rag"]),
  );
});
