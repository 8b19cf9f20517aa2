import { getEventListeners } from "node:events";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import {
  Annotation,
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "@jest/globals";
import { createAgent } from "langchain";
import { z } from "zod";
import { passageBase } from "../../evals/live/passage-base.js";
import { correctiveRagTool, createCorrectiveRag, type CorrectiveRag } from "../../src/index.js";
import { sureReader } from "../support/sure-reader.js";

const FOUNDED = { Ashford: "1801", Birchwood: "1802", Cedarville: "1803", Dunmore: "1804" };
const TOWNS = Object.entries(FOUNDED);
const knowledgeBase = passageBase(
  TOWNS.map(([town, year]) => ({
    path: `${town}.md`,
    title: town,
    text: `${town} was founded in ${year}. The mayor of ${town} is elected by its citizens.`,
  })),
);
const environment = { KB_AGENT_AUDIT_LOG_PATH: "off", CRAG_READER: "lexical" };
const question = (town: string): string => `When was ${town} founded?`;

function agentOf(options: Parameters<typeof createCorrectiveRag>[0] = {}): CorrectiveRag {
  return createCorrectiveRag({
    environment,
    knowledgeBase,
    model: "embedded",
    reader: sureReader(),
    ...options,
  });
}

it("leaves nothing on a signal that is used for many questions, and still heeds it", async () => {
  const agent = agentOf();
  const controller = new AbortController();
  const { signal } = controller;
  for (let times = 0; times < 3; times += 1) await agent.ask(question("Dunmore"), { signal });
  expect(getEventListeners(signal, "abort")).toEqual([]);
  controller.abort();
  await expect(agent.ask(question("Dunmore"), { signal })).rejects.toThrow(/abort/i);
});

describe("as a Runnable", () => {
  const { graph } = agentOf();

  it("answers invoke, with a context of the run's own", async () => {
    const { answer, details } = await graph.invoke(
      { question: question("Dunmore") },
      { context: { profile: "signals" } },
    );
    expect(answer).toContain(FOUNDED.Dunmore);
    expect(details?.profile).toBe("signals");
  });

  it("writes the sources below the message for clients that show no citations, with sources_in_text", async () => {
    const { answer, messages } = await graph.invoke(
      { question: question("Dunmore") },
      { context: { sources_in_text: true } },
    );
    expect(answer).not.toContain("Sources:");
    expect(messages.at(-1)?.text).toMatch(/\n\nSources:\n\[1\] Dunmore\.md:\d+$/);
  });

  it("takes a conversation in place of a question", async () => {
    const { answer } = await graph.invoke({
      messages: [
        new HumanMessage(question("Ashford")),
        new AIMessage("1801 [1]"),
        new HumanMessage("And Birchwood?"),
      ],
    });
    expect(answer).toContain(FOUNDED.Birchwood);
  });

  it("streams values, updates and custom events", async () => {
    const modes = new Set<unknown>();
    for await (const [mode] of await graph.stream(
      { question: question("Dunmore") },
      { streamMode: ["values", "updates", "custom"] },
    ))
      modes.add(mode);
    expect(modes).toEqual(new Set(["values", "updates", "custom"]));
  });

  it("streams events of the newest kind", async () => {
    const nodes = new Set<string>();
    for await (const { event, name } of graph.streamEvents(
      { question: question("Dunmore") },
      { version: "v2" },
    ))
      if (event === "on_chain_end") nodes.add(name);
    expect([...nodes]).toEqual(expect.arrayContaining(["grade_evidence", "guard_answer"]));
  });

  it("answers a batch, each question its own", async () => {
    const results = await graph.batch(TOWNS.map(([town]) => ({ question: question(town) })));
    expect(results.map(({ answer }, index) => answer.includes(TOWNS[index]![1]))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it("is one link of a chain", async () => {
    const chain = graph.pipe(
      RunnableLambda.from(({ answer }: { answer: string }) => `So: ${answer}`),
    );
    expect(await chain.invoke({ question: question("Cedarville") })).toMatch(/^So: .*1803/);
  });

  it("ends when its signal fires", async () => {
    await expect(
      graph.invoke({ question: question("Dunmore") }, { signal: AbortSignal.abort() }),
    ).rejects.toThrow(/abort/i);
  });
});

it("keeps its draft out of the message stream of a host that asks it as a tool", async () => {
  const handbook = correctiveRagTool(agentOf());
  const host = new StateGraph(MessagesAnnotation)
    .addNode("work", async (_, config) => {
      const found: unknown = await handbook.invoke({ question: question("Dunmore") }, config);
      return { messages: [new AIMessage(`The tool says: ${String(found)}`)] };
    })
    .addEdge(START, "work")
    .compile();
  const nodes: unknown[] = [];
  const input = { messages: [new HumanMessage("When?")] };
  for await (const [message, { langgraph_node: node }] of await host.stream(input, {
    streamMode: "messages",
  }))
    nodes.push([node, message.text.includes(FOUNDED.Dunmore)]);
  expect(nodes).toEqual([["work", true]]);
});

describe("as a subgraph", () => {
  // Keys that ours has too, with another meaning or at another time.
  const Parent = Annotation.Root({
    question: Annotation<string>(),
    answer: Annotation<string>(),
    context: Annotation<string>(),
    iteration: Annotation<number>,
  });

  it("is a node of a parent that shares keys with it, also on a thread", async () => {
    const parent = new StateGraph(
      Annotation.Root({ question: Annotation<string | null>(), answer: Annotation<string>() }),
    )
      .addNode("research", agentOf({ checkpointer: undefined }).graph)
      .addEdge(START, "research")
      .addEdge("research", END)
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "t" } };
    for (const [town, year] of TOWNS)
      expect((await parent.invoke({ question: question(town) }, config)).answer).toContain(year);
  });

  it.each([undefined, new MemorySaver()])(
    "is, as the agent itself, a node or a part of a chain that runs on a host's thread (checkpointer %#)",
    async (checkpointer) => {
      const agent = createCorrectiveRag({
        environment,
        knowledgeBase,
        model: "embedded",
        checkpointer,
      });
      const parent = new StateGraph(MessagesAnnotation)
        .addNode("research", agent)
        .addEdge(START, "research")
        .compile({ checkpointer: new MemorySaver() });
      const config = { configurable: { thread_id: "host" } };
      for (const [town, year] of TOWNS) {
        const { messages } = await parent.invoke({ messages: [["user", question(town)]] }, config);
        expect(messages.at(-1)?.text).toContain(year);
      }
      const chain = agent.pipe(({ answer }) => answer);
      expect(await chain.invoke(question("Dunmore"), config)).toContain(FOUNDED.Dunmore);
    },
  );

  it("is called from a node of a parent that has a context of its own", async () => {
    const inner = agentOf({ checkpointer: false });
    const parent = new StateGraph({ state: Parent, context: z.object({ profile: z.string() }) })
      .addNode("research", async (state, config) => ({
        answer: (await inner.ask(state.question, { signal: config.signal })).answer,
      }))
      .addEdge(START, "research")
      .addEdge("research", END)
      .compile();
    const { answer, context, iteration } = await parent.invoke(
      { question: question("Ashford"), context: "mine", iteration: 7 },
      { context: { profile: "admin" }, recursionLimit: 5 },
    );
    expect(answer).toContain(FOUNDED.Ashford);
    expect({ context, iteration }).toEqual({ context: "mine", iteration: 7 });
  });
});

describe("as a tool of createAgent", () => {
  /** A host's model: it asks for the towns in its question side by side, and then repeats what the tool said. */
  const respond: typeof fetch = async (_url, init) => {
    const { messages, tools } = JSON.parse(await new Response(init?.body).text());
    const contents = (wanted: string): string[] =>
      messages
        .filter(({ role }: { role: string }) => role === wanted)
        .map(({ content }: { content: string }) => content);
    const results = contents("tool");
    const calls = TOWNS.filter(([town]) => contents("user").join().includes(town)).map(
      ([town], index) => ({
        id: `call_${index}`,
        type: "function",
        function: {
          name: tools[0].function.name,
          arguments: JSON.stringify({ question: question(town) }),
        },
      }),
    );
    const message =
      results.length === 0 ? { content: null, tool_calls: calls } : { content: results.join("\n") };
    const choices = [
      {
        index: 0,
        message: { role: "assistant", ...message },
        finish_reason: results.length === 0 ? "tool_calls" : "stop",
      },
    ];
    return Response.json({
      id: "1",
      object: "chat.completion",
      created: 1,
      model: "host",
      choices,
    });
  };
  const model = new ChatOpenAI({
    model: "host",
    apiKey: "none",
    maxRetries: 0,
    configuration: { fetch: respond },
  });

  it("answers one call, with sources in the text and everything else in the artifact", async () => {
    const host = createAgent({
      model,
      tools: [
        correctiveRagTool(agentOf({ checkpointer: false }), {
          name: "ask_towns",
          description: "Knows towns.",
        }),
      ],
    });
    const { messages } = await host.invoke({
      messages: [{ role: "user", content: "Tell me about Dunmore." }],
    });
    const result = messages.find((message) => ToolMessage.isInstance(message));
    expect(result?.text).toMatch(/1804.*\[1\][\s\S]*Sources:\n\[1\] Dunmore\.md/);
    expect(result?.artifact).toMatchObject({
      outcome: { status: "success" },
      warnings: [],
      citations: expect.arrayContaining([
        expect.objectContaining({ marker: 1, status: "supported" }),
      ]),
    });
    expect(messages.at(-1)?.text).toContain(FOUNDED.Dunmore);
  });

  it.each([false, undefined] as const)(
    "answers calls made side by side, unmoved by the host's limit, thread and settings (checkpointer %p)",
    async (checkpointer) => {
      const host = createAgent({
        model,
        tools: [correctiveRagTool(agentOf({ checkpointer }))],
        checkpointer: new MemorySaver(),
      });
      const { messages } = await host.invoke(
        {
          messages: [
            { role: "user", content: "Compare Ashford, Birchwood, Cedarville and Dunmore." },
          ],
        },
        { recursionLimit: 6, configurable: { thread_id: "host", profile: "admin", model: "none" } },
      );
      const results = messages
        .filter((message) => ToolMessage.isInstance(message))
        .map(({ text }) => text);
      expect(results.map((text, index) => text.includes(TOWNS[index]![1]))).toEqual([
        true,
        true,
        true,
        true,
      ]);
    },
  );
});
