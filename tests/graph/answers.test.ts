/** Answers that the evidence does not carry, through the compiled graph: by a model endpoint on real HTTP, and by a writer in embedded mode. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { passageBase } from "../../evals/live/passage-base.js";
import { PASSAGES } from "../../evals/live/questions.js";
import type { CorrectiveRagResult } from "../../src/corrective-rag.js";
import type { ContextValues } from "../../src/settings/context.js";
import { startModelServer, type ModelServer } from "../support/model-server.js";
import { observedAgent, type ObservedAgent, type ObservedRun } from "../support/observed-agent.js";
import { scriptedGraph } from "../support/scripted-parts.js";

// Whole runs of the agent, on machines that do other things besides.

interface Draft {
  question: string;
  /** What is written; {right} is the number of the source that holds `from`, {other} that of one which does not. */
  says: string;
  from: string;
}

const HEIGHT = { question: "How high is Mount Ashen on Velmora?", from: "1,208" };

/** Lies that an exact check or the reader finds, and what must never be shown. */
const LIES: readonly (Draft & { lie: string; hidden: RegExp; named: string })[] = [
  {
    ...HEIGHT,
    lie: "an invented number",
    says: "Mount Ashen is 1,508 metres high.",
    hidden: /1,508/,
    named: "1,508",
  },
  {
    lie: "a name of which no source speaks",
    question: "Who led the first settlers of Velmora?",
    from: "Brandt",
    says: "The settlers were led by Cornelius Wexford.",
    hidden: /Wexford/,
    named: "Wexford",
  },
];

/** True, but cited wrongly. */
const MISCITED: readonly (Draft & { fault: string; warning: RegExp })[] = [
  {
    ...HEIGHT,
    fault: "the wrong source",
    says: "Mount Ashen is 1,208 metres high [{other}].",
    warning: /it cites a source that does not carry it/,
  },
  {
    ...HEIGHT,
    fault: "nothing that exists",
    says: "Mount Ashen is 1,208 metres high [17].",
    warning: /a citation names no source/,
  },
  {
    ...HEIGHT,
    fault: "nothing at all",
    says: "Mount Ashen is 1,208 metres high.",
    warning: /the number of its source was missing or wrong/,
  },
];

interface SourceInWindow {
  id: string;
  text: string;
}

function written({ says, from }: Draft, sources: readonly SourceInWindow[]): string {
  const right = sources.find(({ text }) => text.includes(from))?.id ?? "1";
  const other = sources.find(({ text }) => !text.includes(from))?.id ?? "9";
  return says.replaceAll("{right}", right).replaceAll("{other}", other);
}

function sourcesInPrompt(user: string): SourceInWindow[] {
  return [...user.matchAll(/<source id="(\d+)">\n([\s\S]*?)\n<\/source>/g)].map(
    ([, id = "", text = ""]) => ({ id, text }),
  );
}

let server: ModelServer;
let observed: ObservedAgent;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  observed = agentWith();
});
afterEach(() => observed.agent.close());

function agentWith(environment: Record<string, string> = {}): ObservedAgent {
  return observedAgent({
    environment: {
      OPENAI_BASE_URL: server.baseUrl,
      LLM_MODEL: "test-model",
      WEB_SEARCH: "off",
      CRAG_READER: "lexical",
      ...environment,
    },
    knowledgeBase: passageBase(PASSAGES),
  });
}

/** The model writes the drafts in turn, the last one for ever. */
function modelWrites(...drafts: readonly Draft[]): void {
  let turn = 0;
  server.script("answer", ({ user }) => {
    const draft = drafts[Math.min(turn++, drafts.length - 1)];
    return draft === undefined ? "" : written(draft, sourcesInPrompt(user));
  });
}

async function askedOf(
  writer: "model" | "embedded",
  draft: Draft,
  options: ContextValues = {},
): Promise<CorrectiveRagResult> {
  if (writer === "model") {
    modelWrites(draft);
    return (await observed.ask(draft.question, options)).result;
  }
  const { graph } = scriptedGraph({
    knowledgeBase: passageBase(PASSAGES),
    reasoner: {
      answer: async ({ evidence, window }) => {
        const sources = window.sources.map(({ marker, evidenceId }) => ({
          id: String(marker),
          text: evidence.find(({ id }) => id === evidenceId)?.text ?? "",
        }));
        return {
          text: written(draft, sources),
          unanswerable: false,
          by: "embedded",
        };
      },
    },
  });
  const output = await graph.invoke({ question: draft.question }, { context: options });
  return { ...output, interrupts: [] };
}

describe.each(["model", "embedded"] as const)("an answer in %s mode", (writer) => {
  it.each(LIES)(
    "with $lie is caught, with a further round and without",
    async ({ hidden, named, ...draft }) => {
      for (const max_iterations of [0, 2]) {
        const { answer, warnings, details, citations } = await askedOf(writer, draft, {
          max_iterations,
        });
        expect(answer).not.toMatch(hidden);
        if (max_iterations === 0) expect(details?.withdrawn.join("\n")).toContain(named);
        expect(warnings.join("\n")).toContain(named);
        for (const { claim, quote } of citations) expect(`${claim} ${quote}`).not.toMatch(hidden);
      }
    },
  );

  it("with an invented number beside a citation is shown, marked and explained (N1)", async () => {
    const { answer, details, warnings, outcome } = await askedOf(writer, {
      ...HEIGHT,
      says: "Mount Ashen is 1,508 metres high [{right}].",
    });
    expect(answer).toContain("1,508");
    expect(outcome.status).toBe("success");
    expect(details).toMatchObject({ withdrawn: [], marked: ["Mount Ashen is 1,508 metres high."] });
    expect(warnings.join("\n")).toContain("1,508 metres is in no source");
  });

  it("numbers its sources from 1, whatever their numbers in the window", async () => {
    const draft = { ...HEIGHT, says: "Mount Ashen is 1,208 metres high [{right}]." };
    const { answer, citations, sources } = await askedOf(writer, draft, {
      switched_off: ["refinement", "filtering"],
    });
    expect(answer).toMatch(/1,208 metres high \[1\]|1,208 metres high\. \[1\]/);
    expect(citations.map(({ marker }) => marker)).toEqual([1]);
    expect(sources.map(({ marker, evidence_id: id }) => [marker, id])).toEqual([
      [1, citations[0]?.evidence_id],
    ]);
  });

  it.each(MISCITED)(
    "that cites $fault is put right, and that is said",
    async ({ warning, ...draft }) => {
      // Whole passages, so that the window holds more sources than the one that carries it.
      const { answer, warnings, citations, sources, outcome } = await askedOf(writer, draft, {
        switched_off: ["refinement", "filtering"],
      });
      expect(outcome.status).toBe("success");
      expect(warnings.join("\n")).toMatch(warning);
      const [citation] = citations;
      // The marker stands where the sentence had one, else behind it.
      expect(answer.replace(/ \[(\d)\]\.$|\. \[(\d)\]$/, "")).toBe(
        "Mount Ashen is 1,208 metres high",
      );
      expect(answer).toContain(`[${citation?.marker}]`);
      expect(citation).toMatchObject({
        status: "supported",
        quote: expect.stringContaining("1,208 metres"),
        source: { path: "geography.md" },
      });
      expect(sources.map(({ marker }) => marker)).toEqual([citation?.marker]);
    },
  );

  it("in another language than the evidence is said to be, and its numbers are compared all the same", async () => {
    const german = {
      ...HEIGHT,
      says: "Der höchste Berg der Insel ist der Mount Ashen, und er ist 1.208 Meter hoch [{right}].",
    };
    const right = await askedOf(writer, german);
    expect(right.warnings.join("\n")).toMatch(
      /the answer \(de\) and the evidence \(en\) are in different languages/,
    );
    const wrong = await askedOf(
      writer,
      { ...german, says: german.says.replace("1.208", "1.508") },
      { max_iterations: 0 },
    );
    expect(wrong.warnings.join("\n")).toContain("1.508");
  });

  it("that is right stays as it is, without a warning", async () => {
    const { answer, warnings, outcome, citations } = await askedOf(writer, {
      ...HEIGHT,
      says: "Its highest point is Mount Ashen at 1,208 metres [{right}].",
    });
    expect(answer).toMatch(/^Its highest point is Mount Ashen at 1,208 metres \[\d\]\.$/);
    expect({ warnings, status: outcome.status }).toEqual({ warnings: [], status: "success" });
    expect(citations).toHaveLength(1);
  });
});

describe("the guard", () => {
  const LIE: Draft = { ...HEIGHT, says: "Mount Ashen is 1,508 metres high." };
  const TRUTH: Draft = { ...HEIGHT, says: "Mount Ashen is 1,208 metres high [{right}]." };

  it("sends back once; a better answer takes the place of the draft, which is announced as thrown away", async () => {
    modelWrites(LIE, TRUTH);
    const { result, of } = await observed.ask(HEIGHT.question);
    expect(result.answer).toContain("1,208");
    expect(result.outcome.status).toBe("success");
    expect(result.details).toMatchObject({
      iterations: 1,
      // Of the text that is shown; the draft's are in the warnings.
      withdrawn: [],
    });
    const [retracted] = of("answer_retracted");
    expect(of("answer_retracted")).toHaveLength(1);
    // What is shown afterwards goes by another id, which is that of the final message.
    expect(
      of("answer_delta")
        .filter(({ id }) => id === retracted?.id)
        .map(({ text }) => text)
        .join(""),
    ).toContain("1,508");
    expect(
      of("answer_delta")
        .filter(({ id }) => id !== retracted?.id)
        .map(({ text }) => text)
        .join(""),
    ).toBe(result.answer);
    // The second prompt says what could not be supported.
    expect(server.requests.filter(({ task }) => task === "answer")[1]?.user).toContain("1,508");
  });

  it("sends back at most once: then wrong sentences are withdrawn, and the run ends", async () => {
    modelWrites(LIE);
    const { result, of } = await observed.ask(HEIGHT.question, { max_iterations: 4 });
    expect(server.answered("answer")).toBe(2);
    expect(result.answer).not.toContain("1,508");
    expect(result.details?.iterations).toBe(1);
    expect(of("graph_outcome")).toHaveLength(1);
  });

  it("does not send back at the limit of corrections", async () => {
    modelWrites(LIE);
    await observed.ask(HEIGHT.question, { max_iterations: 0 });
    expect(server.answered("answer")).toBe(1);
  });

  it("withdraws the wrong part, keeps the rest under the same id, and announces it as answer_revised", async () => {
    modelWrites({
      ...HEIGHT,
      says: "Mount Ashen is 1,208 metres high [{right}]. A gate of 7,777 bars stands on its summit.",
    });
    const { result, of } = await observed.ask(HEIGHT.question, { max_iterations: 0 });
    expect(result.answer).toMatch(/^Mount Ashen is 1,208 metres high \[\d\]\.$/);
    const [revised] = of("answer_revised");
    expect(revised).toMatchObject({ withdrawn: ["A gate of 7,777 bars stands on its summit."] });
    expect(of("answer_delta").every(({ id }) => id === revised?.id)).toBe(true);
    expect(result.messages.at(-1)).toMatchObject({ id: revised?.id, content: result.answer });
    expect(of("claim_checked").map(({ status }) => status)).toEqual(["supported", "unsupported"]);
  });

  it("shows the closest passages when nothing is left, and takes the draft back", async () => {
    modelWrites({
      question: "What does a ticket for the ferry Solveig cost?",
      from: "Solveig",
      says: "A ticket costs 45 crowns for adults.",
    });
    const { result, of } = await observed.ask("What does a ticket for the ferry Solveig cost?", {
      max_iterations: 0,
    });
    expect(result).toMatchObject({
      citations: [],
      sources: [],
      outcome: {
        status: "closest_passages",
        causes: expect.arrayContaining(["unsupported_answer"]),
      },
    });
    expect(result.answer).toMatch(
      /^These passages come closest; the answer that was written could not be confirmed from them\.\n\n\*\*1\. The ferry\*\* \(ferry\.md:1\)/,
    );
    expect(result.answer).not.toContain("45");
    expect(of("answer_retracted")).toHaveLength(1);
  });

  it("lets a model say that the evidence does not answer: the closest passages are shown", async () => {
    server.script("answer", "UNANSWERABLE: no source names a price.");
    const { result, of } = await observed.ask("What does a ticket for the ferry Solveig cost?");
    expect(result.outcome).toEqual({
      status: "closest_passages",
      causes: ["insufficient_evidence", "web_unavailable"],
    });
    expect(result.answer).toMatch(
      /no source names a price\. These passages come closest\.\n\n\*\*1\. /,
    );
    expect([of("answer_delta"), of("answer_retracted")]).toEqual([[], []]);
  });
});

describe("small talk", () => {
  it("shows no number, which would name no source", async () => {
    server.script("chat", "Hello [1], what may I look up for you?");
    const { result } = await observed.ask("Hello!");
    expect(result.answer).toBe("Hello, what may I look up for you?");
  });

  it("holds no link and no image, in the stream neither (N16)", async () => {
    server.script("chat", "Hi ![x](https://evil.example/p.png?d=1) and www.evil.example, you!");
    const { result, of } = await observed.ask("Hello!");
    const streamed = of("answer_delta").map(({ text }) => text);
    for (const text of [result.answer, streamed.join("")])
      expect(text).toBe("Hi x and `www.evil.example`, you!");
  });
});

describe("the policy filter", () => {
  const TRUTH = {
    ...HEIGHT,
    says: "Mount Ashen is 1,208 metres high [{right}]. Velmora is an island of 412 square kilometres [{right}].",
  };

  async function underPolicy(environment: Record<string, string>): Promise<ObservedRun> {
    await observed.agent.close();
    observed = agentWith(environment);
    modelWrites(TRUTH);
    return observed.ask(HEIGHT.question);
  }

  it("withholds the sentence with a word of the list, and says so", async () => {
    const { result } = await underPolicy({ CRAG_POLICY_WORDS: "island" });
    expect(result.answer).toMatch(/^Mount Ashen is 1,208 metres high \[\d\]\.$/);
    expect(result.warnings.join("\n")).toContain('"island" is on the list of blocked words');
  });

  it("names a withheld sentence nowhere: not in a warning, not as withdrawn, in no event, and in no draft", async () => {
    const { result, events } = await underPolicy({ CRAG_POLICY_WORDS: "island" });
    expect(result.outcome).toEqual({ status: "success", causes: ["policy_blocked"] });
    expect(
      JSON.stringify([result.warnings, result.details?.withdrawn, result.messages]),
    ).not.toContain("412 square");
    const said = events.filter(({ type }) =>
      ["answer_delta", "claim_checked", "answer_revised", "warning", "graph_outcome"].includes(
        type,
      ),
    );
    expect(said.map(({ type }) => type)).toContain("claim_checked");
    expect(JSON.stringify(said)).not.toContain("412 square");
  });

  it("withholds small talk too", async () => {
    await underPolicy({ CRAG_POLICY_WORDS: "welcome" });
    server.script("chat", "Hello, and welcome.");
    const { result, events } = await observed.ask("Hello!");
    expect(events).toContainEqual(expect.objectContaining({ type: "routed", mode: "chat" }));
    expect(result.outcome).toEqual({ status: "abstained", causes: ["policy_blocked"] });
    expect(JSON.stringify([result, events])).not.toContain("and welcome");
  });

  it("shows no passage that holds what it withholds (N6)", async () => {
    const { result } = await underPolicy({ CRAG_POLICY_WORDS: "island,ashen" });
    expect(result.outcome.status).not.toBe("success");
    expect(JSON.stringify([result.answer, result.passages])).not.toMatch(/ashen|island/i);
  });

  it("withholds everything if no sentence passes: policy_blocked, and no further round", async () => {
    const { result } = await underPolicy({ CRAG_POLICY_WORDS: "island,ashen" });
    expect(result.outcome).toMatchObject({ status: "abstained", causes: ["policy_blocked"] });
    expect(result.answer).toMatch(/withheld by the policy filter/);
    expect(server.answered("answer")).toBe(1);
  });
});

describe("self-consistency in thorough", () => {
  const ONE = "Velmora is an island of 412 square kilometres [1].";
  const ANOTHER = "Its highest point is Mount Ashen at 1,208 metres [1].";

  it("goes one more round when two answers disagree, and warns when they still do", async () => {
    let turn = 0;
    server.script("answer", () => (turn++ % 2 === 0 ? ANOTHER : ONE));
    server.script("comparison", {
      agree: false,
      difference: "one names a height, the other an area",
    });
    const { result, of } = await observed.ask(HEIGHT.question, {
      quality: "thorough",
      hyde: false,
    });
    expect(server.answered("answer")).toBe(4);
    expect(server.answered("comparison")).toBe(2);
    expect(result.details?.iterations).toBe(1);
    expect(result.warnings.join("\n")).toContain("one names a height, the other an area");
    expect(of("answer_retracted")).toHaveLength(1);
    // The second answer of each pair is warmer and is never shown.
    const temperatures = server.requests
      .filter(({ task }) => task === "answer")
      .map(({ body }) => Number(body["temperature"] ?? 0));
    expect(temperatures[1]).toBeGreaterThan(temperatures[0] ?? 1);
    expect(
      of("answer_delta")
        .map(({ text }) => text)
        .join(""),
    ).not.toContain("square kilometres");
  });

  it("costs neither a comparison nor a round if two answers are the same", async () => {
    server.script("answer", ANOTHER);
    const { result } = await observed.ask(HEIGHT.question, { quality: "thorough", hyde: false });
    expect([
      server.answered("answer"),
      server.answered("comparison"),
      result.details?.iterations,
    ]).toEqual([2, 0, 0]);
  });

  it("is not asked for in quick and balanced", async () => {
    server.script("answer", ANOTHER);
    for (const quality of ["quick", "balanced"] as const)
      await observed.ask(HEIGHT.question, { quality });
    expect(server.answered("answer")).toBe(2);
  });
});
