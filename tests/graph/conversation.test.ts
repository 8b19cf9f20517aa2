/** Many turns on one thread, in both ways to reason. */
import { MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { passageBase } from "../../evals/live/passage-base.js";
import { createCorrectiveRag, type CorrectiveRagResult } from "../../src/corrective-rag.js";
import type { Turn } from "../../src/reasoning/reasoner.js";
import { startModelServer, type ModelServer } from "../support/model-server.js";
import { observedAgent } from "../support/observed-agent.js";
import { scriptedGraph } from "../support/scripted-parts.js";

// Whole conversations, on machines that do other things besides.

const PASSAGES = [
  {
    path: "france.md",
    title: "France",
    text: "Paris is the capital of France. About 68 million people live in France.",
  },
  {
    path: "germany.md",
    title: "Germany",
    text: "Berlin is the capital of Germany. About 84 million people live in Germany.",
  },
  {
    path: "italy.md",
    title: "Italy",
    text: "Rome is the capital of Italy. About 59 million people live in Italy.",
  },
  {
    path: "spain.md",
    title: "Spain",
    text: "Madrid is the capital of Spain. About 48 million people live in Spain.",
  },
  {
    path: "lighthouse.md",
    title: "The lighthouse of Quellin",
    text: "The lighthouse of Quellin was rebuilt in 1894 because a fire had destroyed it. The lighthouse of Quellin was designed by Marta Holm. The lighthouse of Quellin burned down in 1891.",
  },
  {
    path: "windmill.md",
    title: "The windmill",
    text: "The windmill was built in 1702. The windmill is owned by the miller Jonas Reed.",
  },
  {
    path: "watermill.md",
    title: "The watermill",
    text: "The watermill was built in 1688. The watermill is owned by the Tarnspun cooperative.",
  },
  ...["Ashford", "Birchwood", "Cedarville", "Dunmore", "Elmstead"].map((town, index) => ({
    path: `${town}.md`,
    title: town,
    text: `${town} was founded in ${1801 + index}. The mayor of ${town} is elected for ${index + 2} years.`,
  })),
];

interface Exchange {
  says: string;
  /** The question as it must be understood; absent for small talk. */
  means?: RegExp;
  answer: RegExp;
}

const CONVERSATION: readonly Exchange[] = [
  { says: "Hello!", answer: /^I answer questions about your documents/ },
  { says: "Which documents do you have?", answer: /holds 12 documents in 12 passages/ },
  { says: "What is the capital of France?", means: /capital of France/, answer: /Paris/ },
  { says: "and in Germany?", means: /capital of Germany/, answer: /Berlin/ },
  { says: "Thanks! And of Italy?", means: /capital of Italy/, answer: /Rome/ },
  { says: "What about Spain?", means: /capital of Spain/, answer: /Madrid/ },
  { says: "How many people live there?", means: /people live.* Spain/, answer: /48 million/ },
  { says: "Thank you very much!", answer: /What would you like to know\?$/ },
  {
    says: "When was the lighthouse of Quellin rebuilt?",
    means: /lighthouse of Quellin/,
    answer: /1894/,
  },
  { says: "why?", means: /why.*lighthouse of Quellin/i, answer: /fire/ },
  { says: "Who designed it?", means: /designed.*lighthouse of Quellin/, answer: /Marta Holm/ },
  { says: "And when did it burn down?", means: /lighthouse of Quellin/, answer: /1891/ },
  {
    says: "Who owns the windmill or the watermill?",
    means: /windmill or the watermill/,
    answer: /Jonas Reed|Tarnspun/,
  },
  { says: "When was the watermill built?", means: /the watermill built/, answer: /1688/ },
  { says: "When was Ashford founded?", means: /Ashford/, answer: /1801/ },
  { says: "and Birchwood?", means: /Birchwood founded/, answer: /1802/ },
  { says: "And Cedarville?", means: /Cedarville founded/, answer: /1803/ },
  { says: "what about Dunmore?", means: /Dunmore founded/, answer: /1804/ },
  { says: "For how many years is its mayor elected?", means: /Dunmore/, answer: /5 years/ },
  { says: "And in Elmstead?", means: /Elmstead/, answer: /6 years/ },
  { says: "What is the capital of France?", means: /capital of France/, answer: /Paris/ },
];

const THREAD = { threadId: "one" };

/** All but the conversation itself. */
function bytesBeside(values: Record<string, unknown>): number {
  const { messages, ...rest } = values;
  return messages === undefined ? 0 : JSON.stringify(rest).length;
}

function expectExchange(
  { means, answer }: Exchange,
  result: CorrectiveRagResult,
  turn: number,
  mayShowPassages: boolean,
): void {
  expect(result.details?.mode).toBe(means === undefined ? "chat" : "search");
  if (means !== undefined) expect(result.details?.standalone_question).toMatch(means);
  expect(result.answer).toMatch(answer);
  // Small talk cites nothing; every other answer does, and without one passages are shown.
  const { status } = result.outcome;
  expect(["success", ...(mayShowPassages ? ["closest_passages"] : [])]).toContain(status);
  expect(result.citations.length > 0).toBe(means !== undefined && status === "success");
  expect(result.passages.length > 0).toBe(status === "closest_passages");
  if (means === undefined) expect(status).toBe("success");
  expect(result.messages).toHaveLength(2 * (turn + 1));
}

it("without a model: follow-ups are right, and nothing but the messages grows", async () => {
  const { agent, ask } = observedAgent({
    knowledgeBase: passageBase(PASSAGES),
    checkpointer: new MemorySaver(),
  });
  for (const [turn, exchange] of CONVERSATION.entries()) {
    const { result } = await ask(exchange.says, {}, THREAD);
    expectExchange(exchange, result, turn, true);
    expect(result.details?.usage).toMatchObject({
      model_calls: 0,
      by_node: { rewrite_question: { runs: 1 } },
    });
    const { values } = await agent.graph.getState({ configurable: { thread_id: "one" } });
    expect(bytesBeside(values)).toBeLessThan(40_000);
  }
  await agent.close();
});

describe("with a model", () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(() => server.close());

  /** What a good model makes of the last message. */
  const MEANINGS: Readonly<Record<string, string>> = {
    "and in Germany?": "What is the capital of Germany?",
    "Thanks! And of Italy?": "What is the capital of Italy?",
    "What about Spain?": "What is the capital of Spain?",
    "How many people live there?": "How many people live in Spain?",
    "why?": "Why was the lighthouse of Quellin rebuilt?",
    "Who designed it?": "Who designed the lighthouse of Quellin?",
    "And when did it burn down?": "When did the lighthouse of Quellin burn down?",
    "and Birchwood?": "When was Birchwood founded?",
    "And Cedarville?": "When was Cedarville founded?",
    "what about Dunmore?": "When was Dunmore founded?",
    "For how many years is its mayor elected?": "For how many years is Dunmore's mayor elected?",
    "And in Elmstead?": "For how many years is Elmstead's mayor elected?",
  };

  it("follow-ups are right, the conversation shown is bounded, and each turn has its own usage and budget", async () => {
    server.script("standalone_question", ({ user }) => {
      const last = /^Last message: (.*)$/m.exec(user)?.[1] ?? "";
      return { standalone_question: MEANINGS[last] ?? last };
    });
    // What it holds is told to the model, and told on.
    server.script("chat", ({ user }) => {
      const held = /holds \d+ documents in \d+ passages/.exec(user)?.[0];
      const asked = user.endsWith("Message: Which documents do you have?");
      return asked
        ? `The knowledge base ${held}`
        : "I answer questions about your documents. What would you like to know?";
    });
    // A truthful writer: the whole of the source that has most of the question's words.
    server.script("answer", ({ user }) => {
      const words = (/^Question: (.*)$/m.exec(user)?.[1] ?? "")
        .split(/\W+/)
        .filter((word) => word.length > 2);
      const sources = [...user.matchAll(/<source id="(\d+)">\n([\s\S]*?)\n<\/source>/g)].map(
        ([, id = "", text = ""]) => ({ id, text }),
      );
      const held = (text: string): number => words.filter((word) => text.includes(word)).length;
      const best = sources.toSorted((a, b) => held(b.text) - held(a.text))[0];
      return (best?.text ?? "")
        .replaceAll(/\[…\]\s*/g, "")
        .replaceAll(/\s+/g, " ")
        .replaceAll(/\.(?= |$)/g, ` [${best?.id}].`);
    });
    const { agent, ask } = observedAgent({
      environment: {
        OPENAI_BASE_URL: server.baseUrl,
        LLM_MODEL: "test-model",
        WEB_SEARCH: "off",
        KB_AGENT_AUTO_APPROVE_MAX_ITEMS: "0",
      },
      knowledgeBase: passageBase(PASSAGES),
      checkpointer: new MemorySaver(),
    });
    for (const [turn, exchange] of CONVERSATION.entries()) {
      const before = server.requests.length;
      // Three calls are enough for any turn, and twenty turns make many more.
      const { result } = await ask(exchange.says, { budget: { model_calls: 3 } }, THREAD);
      expectExchange(exchange, result, turn, false);
      const made = server.requests.slice(before);
      expect(result.details?.usage.model_calls).toBe(made.length);
      expect(made.length).toBeLessThanOrEqual(3);
      expect(result.outcome.causes).not.toContain("budget_exhausted");
      for (const { user } of made)
        expect(user.match(/^(?:User|Assistant): /gm)?.length ?? 0).toBeLessThanOrEqual(8);
    }
    expect(server.requests.length).toBeGreaterThan(30);
    await agent.close();
  });
});

it('searches for "the second one" with the question before, since it takes nothing from answers', async () => {
  const { graph } = scriptedGraph({
    knowledgeBase: passageBase(PASSAGES),
    checkpointer: new MemorySaver(),
    reasoner: {
      answer: async ({ window, evidence, question }) => {
        const markerOf = (path: string): number | undefined =>
          window.sources.find(({ evidenceId }) => evidenceId === path)?.marker;
        const text = /mills/.test(question)
          ? `- The windmill is owned by the miller Jonas Reed [${markerOf("windmill.md")}].\n- The watermill is owned by the Tarnspun cooperative [${markerOf("watermill.md")}].`
          : `${evidence[0]?.text.split(". ")[0]} [1].`;
        return { text, unanswerable: false, by: "embedded" };
      },
    },
  });
  const config = { configurable: { thread_id: "list" }, context: undefined };
  await graph.invoke({ question: "Who owns the mills, the windmill and the watermill?" }, config);
  const { details } = await graph.invoke({ question: "When was the second one built?" }, config);
  expect(details?.standalone_question).toMatch(/watermill/);
});

it("shows the nodes at most the last twenty turns, each cut, however long the thread", async () => {
  const seen: (readonly Turn[])[] = [];
  const { graph } = scriptedGraph({
    knowledgeBase: passageBase(PASSAGES),
    reasoner: {
      rewrite: async ({ question, history }) => {
        seen.push(history);
        return { standaloneQuestion: question, by: "unchanged" };
      },
    },
  });
  const long = Array.from({ length: 300 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `turn ${index} ${"word ".repeat(2_000)}`,
  }));
  const { answer } = await graph.invoke({
    messages: [...long, { role: "user", content: "When was Dunmore founded?" }],
  });
  expect(answer).toContain("1804");
  expect(seen[0]).toHaveLength(20);
  expect(seen[0]?.at(-1)?.text).toMatch(/^turn 299 /);
  for (const { text } of seen[0] ?? []) expect(text.length).toBeLessThanOrEqual(4_000);
});

it("warns that attachments and system messages are ignored", async () => {
  const agent = createCorrectiveRag({
    knowledgeBase: passageBase(PASSAGES),
    settings: { reader: "lexical", auditLog: "off" },
  });
  const picture = { type: "image_url", image_url: { url: "data:," } };
  const text = { type: "text", text: "What is the capital of France?" };
  const both = await agent.ask({
    messages: [
      { role: "system", content: "Answer in verse." },
      { role: "user", content: [text, picture] },
    ],
  });
  expect(both.answer).toContain("Paris");
  expect(both.warnings).toEqual([
    "only text is read; ignored: image_url",
    expect.stringContaining("system messages are ignored"),
  ]);
  const alone = await agent.ask({ messages: [{ role: "user", content: [picture] }] });
  expect(alone.answer).toContain("only text is read, and the message has none: image_url");
  expect(alone.outcome).toEqual({ status: "failed", causes: ["invalid_input"] });
  await agent.close();
});
