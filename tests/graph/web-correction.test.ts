/** Correcting from the web, through the compiled graph: a model endpoint and a search engine on real HTTP, on this machine. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { passageBase } from "../../evals/live/passage-base.js";
import type { ProfileName } from "../../src/settings/run-settings.js";
import {
  startModelServer,
  type ModelServer,
  type RecordedRequest,
} from "../support/model-server.js";
import { observedAgent, type ObservedAgent } from "../support/observed-agent.js";
import { startSearchServer, type SearchRow, type SearchServer } from "../support/search-servers.js";
import { sureReader } from "../support/sure-reader.js";

// Whole runs of the agent, on machines that do other things besides.

const QUESTION = "When was the lighthouse of Quellin built?";
const LOCAL = [
  {
    path: "history.md",
    title: "History of Quellin",
    text: "The lighthouse of Quellin was built in 1822 and burnt down in 1891.",
  },
  {
    path: "keepers.md",
    title: "Keepers",
    text: "The keepers of the lighthouse of Quellin lived beside it with their families.",
  },
  {
    path: "fish.md",
    title: "Fish market",
    text: "The fish market of Quellin opens at six and the lighthouse is seen from it.",
  },
];
const WEB: readonly SearchRow[] = [
  {
    title: "Lighthouses of the north",
    url: "https://lights.example/quellin",
    text: "The lighthouse at Quellin was built in 1822 by the harbour guild.",
  },
  {
    title: "Stone towers",
    url: "https://towers.example/list",
    text: "Stone towers of the coast: the lighthouse of Quellin was built in 1822.",
  },
];
const HEADS = {
  documents: "=== Retrieved Documents ===",
  additional: "=== Additional Web Information ===",
  web: "=== Web Search Results ===",
};

let model: ModelServer;
let search: SearchServer;
let observed: ObservedAgent;
beforeAll(async () => {
  model = await startModelServer();
  search = await startSearchServer("searxng", { rows: WEB });
});
afterAll(async () => {
  await model.close();
  await search.close();
});
beforeEach(() => {
  model.reset();
  search.requests.length = 0;
  search.behave({ rows: WEB });
  observed = agentWith();
});
afterEach(() => observed.agent.close());

function agentWith({
  web = true,
  embedded = false,
  environment = {},
}: {
  web?: boolean;
  embedded?: boolean;
  environment?: Record<string, string>;
} = {}): ObservedAgent {
  return observedAgent({
    environment: {
      KB_AGENT_AUTO_APPROVE_MAX_ITEMS: "0",
      ...(!embedded && { OPENAI_BASE_URL: model.baseUrl, LLM_MODEL: "test-model" }),
      ...(web && { SEARXNG_URL: search.url }),
      ...environment,
    },
    knowledgeBase: passageBase(LOCAL),
    ...(embedded && { reader: sureReader() }),
  });
}

/** The judge finds the local passages as good as told, and everything with the web's words in it good. */
function judgeLocalAt(score: number): void {
  const isWeb = (text: string): boolean => /guild|Stone towers/.test(text);
  const sourcesOf = ({ user }: RecordedRequest): string[] =>
    user.match(/<source [\s\S]*?<\/source>/g) ?? [];
  model.script("relevance_scores", (request) => ({
    scores: sourcesOf(request).map((text) => (isWeb(text) ? 0.9 : score)),
  }));
  model.script("relevance_score", ({ user }) => ({ score: isWeb(user) ? 0.9 : score }));
  model.script("relevance_verdict", ({ user }) => ({
    relevance_score: isWeb(user) ? 0.9 : score,
    relevance_label: "",
    confidence: 0.8,
    reasoning: "as the test says",
  }));
  model.script("adequacy_verdict", ({ user }) => ({
    score: isWeb(user) ? 0.9 : score,
    adequate: isWeb(user),
    tool_needed: null,
    hints: [],
  }));
}

const BY_MODEL = ["holistic", "three_action"] as const satisfies readonly ProfileName[];

describe.each(BY_MODEL)("%s, corrected from the web", (profile) => {
  it("INCORRECT discards the local evidence and answers from the web alone", async () => {
    judgeLocalAt(0.1);
    const { result, window, of } = await observed.ask(QUESTION, { profile });
    expect(of("rag_iteration")[0]).toMatchObject({ label: "INCORRECT", action: "RE_RETRIEVE" });
    expect(window.startsWith(HEADS.web)).toBe(true);
    expect(window).not.toContain(HEADS.documents);
    for (const { text } of LOCAL) expect(window).not.toContain(text);
    expect(result.details).toMatchObject({ web_used: true, context_form: "irrelevant" });
    expect(result.details?.kept.every(({ source }) => source.kind === "web")).toBe(true);
    expect(result.details?.discarded.map(({ source }) => source.kind)).toEqual(
      LOCAL.map(() => "file"),
    );
    expect(result.citations[0]).toMatchObject({
      status: "supported",
      source: { kind: "web", url: expect.stringMatching(/^https:\/\/(?:lights|towers)/) },
    });
    expect(result.outcome.status).toBe("success");
    expect(search.requests).toHaveLength(1);
  });

  it("AMBIGUOUS uses both, headed apart", async () => {
    judgeLocalAt(0.6);
    const { result, window, of } = await observed.ask(QUESTION, { profile });
    expect(of("rag_iteration")[0]).toMatchObject({ label: "AMBIGUOUS", action: "REFINE" });
    const [documents, web] = [window.indexOf(HEADS.documents), window.indexOf(HEADS.additional)];
    expect(documents).toBe(0);
    expect(web).toBeGreaterThan(documents);
    expect(window.slice(documents, web)).toContain("History of Quellin");
    expect(window.slice(web)).toContain("lights.example");
    expect(window).not.toContain(HEADS.web);
    expect(result.details).toMatchObject({ web_used: true, context_form: "ambiguous" });
    expect(search.requests).toHaveLength(1);
  });

  it("CORRECT uses the documents only and asks no search engine", async () => {
    judgeLocalAt(0.6);
    model.script("relevance_verdict", { relevance_score: 0.9, relevance_label: "relevant" });
    model.script("relevance_score", ({ user }) => ({ score: user.includes("1822") ? 0.9 : 0.6 }));
    const { result, window } = await observed.ask(QUESTION, { profile });
    expect(window.startsWith(HEADS.documents)).toBe(true);
    expect(window).not.toMatch(/Additional Web|Web Search/);
    expect(result.details).toMatchObject({
      web_used: false,
      iterations: 0,
      context_form: "relevant",
      label: "correct",
    });
    // The three-action pipeline hands on the best document alone.
    expect(result.details?.kept).toHaveLength(profile === "three_action" ? 1 : 3);
    expect(search.requests).toHaveLength(0);
  });

  it("without any web, INCORRECT ends in an honest abstention with the cause web_unavailable", async () => {
    await observed.agent.close();
    observed = agentWith({ web: false });
    judgeLocalAt(0.1);
    const { result, window } = await observed.ask(QUESTION, { profile });
    expect(result.outcome).toMatchObject({
      status: "abstained",
      causes: expect.arrayContaining(["web_unavailable", "insufficient_evidence"]),
    });
    expect(result.answer).toMatch(/none is configured/);
    expect(result).toMatchObject({ citations: [], sources: [] });
    expect(result.details?.context_form).toBe("empty");
    expect(window).toBe("");
  });
});

describe("signals, corrected from the web", () => {
  it("INCORRECT discards the local evidence and answers from the web alone", async () => {
    const question = "Which composer wrote the opera Fidelio in Vienna?";
    search.behave({
      rows: [
        {
          title: "Fidelio",
          url: "https://opera.example/fidelio",
          text: "The composer Beethoven wrote the opera Fidelio in Vienna.",
        },
      ],
    });
    await observed.agent.close();
    observed = observedAgent({
      environment: {
        OPENAI_BASE_URL: model.baseUrl,
        LLM_MODEL: "test-model",
        SEARXNG_URL: search.url,
      },
      knowledgeBase: passageBase([
        {
          path: "a.md",
          title: "Wages",
          text: "Whoever wrote the census of 1901 was paid 3 crowns a day.",
        },
        {
          path: "b.md",
          title: "Sheep",
          text: "The shepherd counted 40 sheep and wrote nothing down.",
        },
      ]),
    });
    const { result, window, of } = await observed.ask(question, { profile: "signals" });
    expect(of("rag_iteration")[0]).toMatchObject({ label: "INCORRECT", action: "RE_RETRIEVE" });
    expect(window.startsWith(HEADS.web)).toBe(true);
    expect(result.answer).toContain("Beethoven");
    // The three signals cost no model call: only the answer and the query for the web do.
    expect(
      model.requests.map(({ task }) => task).filter((task) => !/^(?:answer|web_query)$/.test(task)),
    ).toEqual([]);
  });

  it("AMBIGUOUS uses both, headed apart", async () => {
    const { window, of, result } = await observed.ask(
      "When was the lighthouse of Quellin built by the harbour guild of masons?",
      {
        profile: "signals",
      },
    );
    expect(of("rag_iteration")[0]).toMatchObject({ label: "AMBIGUOUS", action: "REFINE" });
    expect(window.indexOf(HEADS.documents)).toBe(0);
    expect(window.indexOf(HEADS.additional)).toBeGreaterThan(0);
    expect(result.details?.evaluation?.signals).toMatchObject({ coverage: expect.any(Number) });
  });

  it("CORRECT uses the documents only", async () => {
    const { window, result } = await observed.ask(QUESTION, { profile: "signals" });
    expect(result.details).toMatchObject({ label: "correct", web_used: false });
    expect(window.startsWith(HEADS.documents)).toBe(true);
    expect(search.requests).toHaveLength(0);
  });
});

describe("the embedded way", () => {
  it("finds nothing of use at home and answers from the web alone", async () => {
    await observed.agent.close();
    observed = agentWith({ embedded: true });
    search.behave({
      rows: [
        {
          title: "Fidelio",
          url: "https://opera.example/fidelio",
          text: "Fidelio is the only opera of Ludwig van Beethoven. Beethoven composed Fidelio in Vienna in 1805.",
        },
      ],
    });
    const { result, window } = await observed.ask("Who composed Fidelio?", { profile: "holistic" });
    expect(window.startsWith(HEADS.web)).toBe(true);
    expect(result.answer).toContain("Beethoven");
    expect(result.citations[0]).toMatchObject({
      source: { kind: "web", url: "https://opera.example/fidelio" },
    });
  });

  it("warns and abstains without any web", async () => {
    await observed.agent.close();
    observed = agentWith({ embedded: true, web: false });
    const { result } = await observed.ask("Who composed Fidelio?", { profile: "holistic" });
    expect(result.outcome).toMatchObject({
      status: "abstained",
      causes: expect.arrayContaining(["web_unavailable"]),
    });
  });
});

describe("when the web is asked", () => {
  it("is never, where web_search is off, and the outcome names it as unavailable", async () => {
    judgeLocalAt(0.1);
    for (const profile of [...BY_MODEL, "adaptive"] as const) {
      const { result } = await observed.ask(QUESTION, { profile, web_search: "off" });
      expect(result.details).toMatchObject({ web_used: false });
      expect(result.outcome.causes).toContain("web_unavailable");
    }
    expect(search.requests).toHaveLength(0);
  });

  it("is never with WEB_SEARCH=off in the environment either, even for questions of the day", async () => {
    await observed.agent.close();
    observed = agentWith({ environment: { WEB_SEARCH: "off" } });
    judgeLocalAt(0.1);
    await observed.ask("What is the weather in Quellin today?", { profile: "holistic" });
    expect(search.requests).toHaveLength(0);
  });

  it("is not for a question of the day that the documents answer (N9)", async () => {
    judgeLocalAt(0.9);
    const { result } = await observed.ask("What is the current height of the Quellin lighthouse?");
    expect(result.details).toMatchObject({ label: "correct", web_used: false });
    expect(search.requests).toHaveLength(0);
  });

  it("is with the first correction for a question of the day that they answer poorly (N9)", async () => {
    judgeLocalAt(0.5);
    const { result } = await observed.ask("What is the latest news about the Quellin lighthouse?");
    expect(result.details?.rounds[0]?.action).toBe("REFINE");
    const calls = result.details?.tools.filter(({ tool }) => tool === "web_search");
    expect(calls?.[0]?.round).toBe(1);
  });

  it.each(["adaptive", "adequacy"] as const)(
    "is before the last round of %s, if the judge stays in doubt that long (N14)",
    async (profile) => {
      judgeLocalAt(0.4);
      const { result } = await observed.ask(QUESTION, { profile, max_iterations: 1 });
      expect(result.details?.rounds[0]).toMatchObject({ label: "AMBIGUOUS", action: "REFINE" });
      expect(result.details).toMatchObject({ web_used: true, context_form: "ambiguous" });
    },
  );

  it("is beside the first untried strategy in adaptive, once nothing at home is left over", async () => {
    judgeLocalAt(0.1);
    const { result, of } = await observed.ask(QUESTION);
    expect(of("rag_iteration")[0]).toMatchObject({ action: "RE_RETRIEVE" });
    expect(
      result.details?.tools.some(({ tool, round }) => tool === "web_search" && round === 1),
    ).toBe(true);
    expect(result.details).toMatchObject({ context_form: "irrelevant", label: "correct" });
  });

  it("is at most as often as the budget allows, and the run names what it skipped", async () => {
    judgeLocalAt(0.1);
    const { result, of } = await observed.ask(QUESTION, {
      profile: "holistic",
      budget: { web_searches: 0 },
    });
    expect(search.requests).toHaveLength(0);
    expect(of("budget_exhausted")).toEqual([expect.objectContaining({ resource: "webSearches" })]);
    expect(result.outcome.status).toBe("abstained");
    expect(result.outcome.causes).toContain("budget_exhausted");
  });

  it("is at most three times in one run by default, however poor the evidence stays", async () => {
    let round = 0;
    search.behave({
      rows: [{ title: "Poor", url: "https://poor.example/1", text: "Nothing of the kind." }],
    });
    model.script("relevance_scores", ({ user }) => ({
      scores: (user.match(/<source /g) ?? []).map(() => 0.4),
    }));
    model.script("tool_calls", () => ({
      calls: [
        { tool: "web_search", arguments: JSON.stringify({ query: `lighthouse ${(round += 1)}` }) },
      ],
      reason: "more",
    }));
    const { result } = await observed.ask(QUESTION, {
      max_iterations: 8,
      budget: { model_calls: 50 },
    });
    expect(search.requests.length).toBeLessThanOrEqual(3);
    expect(result.details?.usage.web_searches).toBe(search.requests.length);
  });
});

describe("a search engine that fails", () => {
  it.each(["500", "html", "429", "cut"] as const)(
    "with %s ends in an abstention that names the web",
    async (behaviour) => {
      search.behave(behaviour);
      judgeLocalAt(0.1);
      const { result, of } = await observed.ask(QUESTION, { profile: "three_action" });
      expect(result.outcome.status).toBe("abstained");
      expect(result.outcome.causes).toContain("web_error");
      expect(of("web_search")).toEqual([
        expect.objectContaining({
          attempts: expect.arrayContaining([expect.objectContaining({ provider: "searxng" })]),
        }),
      ]);
    },
  );

  it("leaves ambiguous documents to answer from", async () => {
    search.behave("500");
    judgeLocalAt(0.6);
    const { result, window } = await observed.ask(QUESTION, { profile: "three_action" });
    expect(window.startsWith(HEADS.documents)).toBe(true);
    expect(result.answer).toContain("1822");
    expect(result.outcome).toMatchObject({
      status: "success",
      causes: expect.arrayContaining(["web_error"]),
    });
  });
});

it("rewrites the query from the user's words, never from a document's or a page's", async () => {
  judgeLocalAt(0.1);
  await observed.ask(QUESTION, { profile: "holistic" });
  const asked = model.requests.find(({ task }) => task === "web_query");
  for (const { text } of LOCAL) expect(asked?.user ?? "").not.toContain(text);
  expect(search.requests[0]?.url.searchParams.get("q")).toMatch(/lighthouse|Quellin/);
});

describe("an answer that there is none", () => {
  const SALARY = "What did the harbour guild pay for the lighthouse of Quellin?";
  const answerFromTheWeb = (refusal: string): void =>
    model.script("answer", ({ user }) =>
      user.includes("guild paid") ? "The guild paid 900 crowns [2]." : refusal,
    );
  beforeEach(() =>
    search.behave({
      rows: [
        {
          title: "Accounts",
          url: "https://accounts.example/1",
          text: "For the lighthouse of Quellin the harbour guild paid 900 crowns.",
        },
      ],
    }),
  );

  it.each(["adaptive", "holistic", "adequacy", "three_action"] as const)(
    "in %s sends the run to the web, although the judge called the evidence good (N2)",
    async (profile) => {
      answerFromTheWeb("UNANSWERABLE: no source names a price.");
      const { result, route } = await observed.ask(SALARY, { profile });
      expect(result.answer).toContain("900 crowns");
      expect(result.outcome.status).toBe("success");
      expect(route.slice(route.indexOf("guard_answer")).slice(0, 2)).toEqual([
        "guard_answer",
        "analyze_and_route",
      ]);
      expect(result.details).toMatchObject({ rounds: [{ label: "CORRECT" }, {}], web_used: true });
      expect(result.details?.rounds[0]?.unanswerable).toBe(true);
    },
  );

  it.each([
    "The sources do not state the price of the lighthouse [1].",
    "Die Quellen nennen den Preis nicht [1].",
    "Les sources ne mentionnent pas le prix [2].",
    "**Answer:** The provided sources do not contain the price. You may want to ask the harbour office directly.",
    "Unknown.",
    '<tool_call>{"name": "search", "arguments": {}}</tool_call> [1]',
  ])("does so in whatever words, with a citation too: %s (N13, N17)", async (refusal) => {
    answerFromTheWeb(refusal);
    const { result, of } = await observed.ask(SALARY);
    expect(result.answer).toContain("900 crowns");
    expect(of("answer_retracted")).toHaveLength(1);
    search.behave("empty");
    const { result: without } = await observed.ask(`${SALARY} And when?`);
    expect(without).toMatchObject({ outcome: { status: "closest_passages" }, citations: [] });
  });

  it.each([
    "The price of the lighthouse isn't something these documents go into [1].",
    "Źródła nie podają ceny latarni morskiej [1].",
    "제공된 자료에는 등대의 가격에 대한 정보가 없습니다 [1].",
    "لا تذكر المصادر سعر المنارة [1].",
    "Kaynaklarda deniz fenerinin fiyatı hakkında bilgi bulunmuyor [1].",
  ])("does so if the model says that its draft is none: %s (N13)", async (refusal) => {
    answerFromTheWeb(refusal);
    model.script("comparison", { agree: true });
    const { result } = await observed.ask(SALARY);
    expect(result.answer).toContain("900 crowns");
    expect(model.answered("comparison")).toBe(1);
  });

  it("keeps a short answer that the model calls one, and asks about none with a number (N1)", async () => {
    model.script("answer", "No, it was not paid for by them [1].");
    model.script("comparison", { agree: false, difference: "the first denies it" });
    const { result } = await observed.ask("Did the harbour guild pay for the lighthouse?");
    expect(result).toMatchObject({ outcome: { status: "success" } });
    expect(result.answer).toContain("No, it was not paid for by them");
    expect(model.answered("comparison")).toBe(1);
    model.script("answer", "They paid 900 crowns [1].");
    expect((await observed.ask(SALARY)).result.answer).toContain("900 crowns");
    expect(model.answered("comparison")).toBe(1);
  });

  it("does so when a rule approved two chance hits without a judge (N2)", async () => {
    answerFromTheWeb("UNANSWERABLE: no source names a price.");
    const { result } = await observed.ask(SALARY, { thresholds: { auto_approve_max_items: 5 } });
    expect(result.details?.rounds[0]).toMatchObject({ rule: "few_context", unanswerable: true });
    expect(result.answer).toContain("900 crowns");
  });

  it("asks no model twice about the same evidence, and ends in an abstention (N2)", async () => {
    search.behave("empty");
    model.script("answer", "UNANSWERABLE: no source names a price.");
    const { result } = await observed.ask(SALARY);
    expect(model.answered("answer")).toBe(1);
    expect(search.requests).toHaveLength(1);
    expect(result.outcome).toEqual({
      status: "closest_passages",
      causes: ["insufficient_evidence"],
    });
    expect(result.answer).toContain("no source names a price");
  });

  it("keeps to the budget, to the limit of corrections and to the caller's steps (N2)", async () => {
    model.script("answer", "UNANSWERABLE: no source names a price.");
    for (const context of [
      { max_iterations: 0 },
      { budget: { model_calls: 2 } },
      { budget: { web_searches: 0 } },
    ]) {
      const { result } = await observed.ask(SALARY, context);
      expect(result.outcome.status).toBe("closest_passages");
    }
    const few = await observed.agent.graph.invoke({ question: SALARY }, { recursionLimit: 8 });
    expect(few.outcome.status).toBe("closest_passages");
    expect(search.requests).toHaveLength(0);
  });
});
