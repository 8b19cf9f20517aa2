/** The parts that others use in retrieval of their own: reader, judge, check, middleware, retriever. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { BaseRetriever } from "@langchain/core/retrievers";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "@jest/globals";
import { createAgent, createMiddleware } from "langchain";
import { z } from "zod";
import { verifyAnswer } from "../../src/entries/answering.js";
import { gradeEvidence, profiles, type Judge } from "../../src/entries/grading.js";
import { CorrectiveRetriever } from "../../src/index.js";
import { correctiveMiddleware } from "../../src/langchain/corrective-middleware.js";
import { createReader } from "../../src/entries/reader.js";

const reader = createReader({ model: "lexical" });
const QUESTION = "How high is the tower of Dunmore?";
const GOOD = "The tower of Dunmore is 42 metres high.";
const BAD = "Bread is baked from flour, water and yeast.";

describe("corrective-rag/grading", () => {
  it("grades the passages of any retrieval and tells which to keep", async () => {
    const { kept, discarded, action } = await gradeEvidence({
      question: QUESTION,
      items: [{ text: GOOD }, { text: BAD }],
      reader,
      profile: profiles.adaptive,
    });
    expect(kept.map(({ text }) => text)).toEqual([GOOD]);
    expect(discarded.map(({ text }) => text)).toEqual([BAD]);
    expect(["GENERATE", "REFINE"]).toContain(action);
  });

  it("takes a profile by name, and lists the names", async () => {
    const given = { question: QUESTION, items: [{ text: GOOD }], reader };
    expect((await gradeEvidence({ ...given, profile: "holistic" })).kept).toHaveLength(1);
    const misspelled = JSON.parse('{"profile": "adaptiv"}') as { profile: "adaptive" };
    await expect(gradeEvidence({ ...given, ...misspelled })).rejects.toMatchObject({
      message: 'there is no profile "adaptiv"',
      hint: expect.stringContaining("adaptive, signals"),
    });
  });
});

describe("corrective-rag/answering", () => {
  it("tells which sentences of an answer its evidence supports", async () => {
    const { sentences } = await verifyAnswer({
      answer: "The tower of Dunmore is 42 metres high [1]. It was painted blue in 1950 by Ann [1].",
      evidence: [{ text: GOOD }],
      reader,
    });
    expect(sentences.map(({ status }) => status)).toEqual(["supported", "unsupported"]);
  });
});

class FixedRetriever extends BaseRetriever {
  lc_namespace = ["test"];
  asked = 0;
  constructor(private readonly texts: readonly string[]) {
    super();
  }
  override async _getRelevantDocuments() {
    this.asked += 1;
    return this.texts.map((pageContent) => ({ pageContent, metadata: { source: "a.md" } }));
  }
}

describe("CorrectiveRetriever", () => {
  it("returns what answers the question, with its relevance, as a plain retriever", async () => {
    const retriever = new CorrectiveRetriever({
      retriever: new FixedRetriever([BAD, GOOD]),
      reader,
    });
    const documents = await retriever.pipe((found) => found).invoke(QUESTION);
    expect(documents).toEqual([
      {
        pageContent: GOOD,
        metadata: { source: "a.md", relevance: expect.any(Number) },
      },
    ]);
  });

  it("asks the fallback only if the first retriever found nothing good", async () => {
    const fallback = new FixedRetriever([GOOD]);
    const ask = (texts: string[]) =>
      new CorrectiveRetriever({ retriever: new FixedRetriever(texts), fallback, reader }).invoke(
        QUESTION,
      );
    expect((await ask([BAD])).map(({ pageContent }) => pageContent)).toEqual([GOOD]);
    expect(fallback.asked).toBe(1);
  });

  it("puts the best document first, whichever retriever found it", async () => {
    const judge: Judge = ({ evidence }) => ({
      judge: "by length",
      scores: Object.fromEntries(evidence.map(({ id, text }) => [id, text.length / 100])),
    });
    const documents = await new CorrectiveRetriever({
      retriever: new FixedRetriever(["a".repeat(40)]),
      fallback: new FixedRetriever(["b".repeat(35), "c".repeat(60)]),
      profile: { ...profiles.adaptive, judge },
      reader,
    }).invoke(QUESTION);
    expect(documents.map(({ pageContent }) => pageContent[0])).toEqual(["c", "a", "b"]);
  });
});

/** Says what the script says, one message a call. */
class ScriptedModel extends BaseChatModel {
  seen: BaseMessage[][] = [];
  constructor(private readonly script: AIMessage[]) {
    super({});
  }
  override _llmType(): string {
    return "scripted";
  }
  override bindTools() {
    return this;
  }
  async _generate(messages: BaseMessage[]) {
    this.seen.push(messages);
    const message = this.script[this.seen.length - 1] ?? new AIMessage("…");
    return { generations: [{ text: message.text, message }] };
  }
}

describe("correctiveMiddleware", () => {
  const searching = (query: string) =>
    new AIMessage({
      content: "",
      tool_calls: [{ id: query, name: "search", args: { query }, type: "tool_call" }],
    });
  const search = tool(
    async ({ query }) => {
      const found = query === "spire" ? [BAD] : [BAD, GOOD];
      // As LangChain's `createRetrieverTool` gives them.
      if (query === "plain") return found.join("\n\n");
      return JSON.stringify(found.map((text) => ({ text })));
    },
    { name: "search", description: "Searches.", schema: z.object({ query: z.string() }) },
  );

  const run = (...script: AIMessage[]) => runAfter([new HumanMessage(QUESTION)], ...script);

  async function runAfter(asked: BaseMessage[], ...script: AIMessage[]) {
    const model = new ScriptedModel(script);
    const agent = createAgent({
      model,
      tools: [search],
      middleware: [correctiveMiddleware({ tools: ["search"], reader })],
    });
    const { messages } = await agent.invoke({ messages: asked });
    return { messages, model };
  }

  it("drops what does not answer the question, and asks for another search if nothing is left", async () => {
    const { messages } = await run(
      searching("spire"),
      searching("tower"),
      new AIMessage("The tower of Dunmore is 42 metres high [1]."),
    );
    const results = messages.filter(({ type }) => type === "tool").map(({ text }) => text);
    expect(results[0]).toMatch(/^No document found answers the question\. Search with other words/);
    expect(results[1]).toBe(`[1] ${GOOD}`);
    expect(messages.at(-1)?.text).toBe("The tower of Dunmore is 42 metres high [1].");
  });

  it("judges what was found for a follow-up by the words of the search", async () => {
    const { messages } = await runAfter(
      [new HumanMessage(QUESTION), new AIMessage("42 metres."), new HumanMessage("Oh, is it?")],
      searching("height of the tower of Dunmore"),
      new AIMessage("The tower of Dunmore is 42 metres high [1]."),
    );
    expect(messages.find(({ type }) => type === "tool")?.text).toBe(`[1] ${GOOD}`);
    expect(messages.at(-1)?.text).toBe("The tower of Dunmore is 42 metres high [1].");
  });

  it("numbers the results of a second search after those of the first", async () => {
    const { messages } = await run(
      searching("tower"),
      searching("height"),
      new AIMessage("The tower of Dunmore is 42 metres high [2]."),
    );
    const results = messages.filter(({ type }) => type === "tool").map(({ text }) => text);
    expect(results).toEqual([`[1] ${GOOD}`, `[2] ${GOOD}`]);
    expect(messages.at(-1)?.text).toBe("The tower of Dunmore is 42 metres high [2].");
  });

  it("gives parallel searches of one step distinct numbers", async () => {
    const both = [searching("tower"), searching("height")].flatMap((message) => message.tool_calls);
    const { messages, model } = await run(
      new AIMessage({ content: "", tool_calls: both.flatMap((call) => call ?? []) }),
      new AIMessage("The tower of Dunmore is 42 metres high [2]."),
    );
    const shown = (list: BaseMessage[] = []): string[] =>
      list.filter(({ type }) => type === "tool").map(({ text }) => text);
    expect(shown(messages)).toEqual([`[1] ${GOOD}`, `[2] ${GOOD}`]);
    expect(shown(model.seen.at(-1))).toEqual([`[1] ${GOOD}`, `[2] ${GOOD}`]);
    expect(messages.at(-1)?.text).toBe("The tower of Dunmore is 42 metres high [2].");
  });

  it("leaves alone a list without documents, and the error of a tool", async () => {
    const calendar = tool(
      async ({ query }) => {
        if (query === "broken") throw new Error("the calendar is down");
        return "[]";
      },
      { name: "calendar", description: "Lists events.", schema: z.object({ query: z.string() }) },
    );
    const retry = createMiddleware({
      name: "tell_errors",
      wrapToolCall: async (request, handler) => {
        try {
          return await handler(request);
        } catch (error) {
          const tool_call_id = request.toolCall.id ?? "";
          return new ToolMessage({ tool_call_id, content: String(error), status: "error" });
        }
      },
    });
    const calling = (name: string, query: string) =>
      new AIMessage({ content: "", tool_calls: [{ id: query, name, args: { query } }] });
    for (const [query, named, expected] of [
      ["today", undefined, "[]"],
      ["broken", ["calendar"], "Error: the calendar is down"],
    ] as const) {
      const { messages } = await createAgent({
        model: new ScriptedModel([calling("calendar", query), new AIMessage("No events.")]),
        tools: [calendar],
        middleware: [correctiveMiddleware({ reader, tools: named }), retry],
      }).invoke({ messages: [{ role: "user", content: QUESTION }] });
      expect(messages.find(({ type }) => type === "tool")?.text).toBe(expected);
    }
  });

  it("grades the paragraphs of a named tool that returns plain text", async () => {
    const { messages } = await run(
      searching("plain"),
      new AIMessage("The tower of Dunmore is 42 metres high [1]."),
    );
    const results = messages.filter(({ type }) => type === "tool").map(({ text }) => text);
    expect(results).toEqual([`[1] ${GOOD}`]);
  });

  it("removes unsupported sentences from the final message", async () => {
    const { messages } = await run(
      searching("tower"),
      new AIMessage({
        id: "final",
        content: "The tower of Dunmore is 42 metres high [1]. It was painted blue in 1950 by Ann.",
        usage_metadata: { input_tokens: 7, output_tokens: 5, total_tokens: 12 },
      }),
    );
    expect(messages.at(-1)).toMatchObject({ id: "final", usage_metadata: { total_tokens: 12 } });
    expect(messages.at(-1)?.text).toBe("The tower of Dunmore is 42 metres high [1].");
  });

  it("withholds an answer that was invented although no document was kept", async () => {
    const { messages } = await run(
      searching("spire"),
      new AIMessage("The tower of Dunmore is 42 metres high."),
    );
    expect(messages.at(-1)?.text).toBe(
      "I could not find an answer to this in the retrieved documents.",
    );
    const honest = "I could not find this in the documents.";
    const refused = await run(searching("spire"), new AIMessage(honest));
    expect(refused.messages.at(-1)?.text).toBe(honest);
  });

  it("lets results of other tools support the answer", async () => {
    const ruler = tool(async () => "The tower of Dunmore is 42 metres high.", {
      name: "ruler",
      description: "Measures.",
      schema: z.object({}),
    });
    const measuring = new AIMessage({
      content: "",
      tool_calls: [{ id: "m", name: "ruler", args: {} }],
    });
    const answer = "The tower of Dunmore is 42 metres high.";
    const { messages } = await createAgent({
      model: new ScriptedModel([searching("spire"), measuring, new AIMessage(answer)]),
      tools: [search, ruler],
      middleware: [correctiveMiddleware({ reader })],
    }).invoke({ messages: [{ role: "user", content: QUESTION }] });
    expect(messages.at(-1)?.text).toBe(answer);
  });

  it("finds the documents in an object of results, as web search tools return them", async () => {
    const web = tool(
      async () =>
        JSON.stringify({ query: "…", results: [BAD, GOOD].map((content) => ({ content })) }),
      { name: "web", description: "Searches.", schema: z.object({}) },
    );
    const calling = new AIMessage({
      content: "",
      tool_calls: [{ id: "w", name: "web", args: {} }],
    });
    const { messages } = await createAgent({
      model: new ScriptedModel([calling, new AIMessage("42 metres [1].")]),
      tools: [web],
      middleware: [correctiveMiddleware({ reader })],
    }).invoke({ messages: [{ role: "user", content: QUESTION }] });
    expect(messages.find(({ type }) => type === "tool")?.text).toBe(`[1] ${GOOD}`);
  });
});
