/** `web_search: ask`: nothing leaves before a person has seen it. A search engine on real HTTP, on this machine. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { passageBase } from "../../evals/live/passage-base.js";
import { createCorrectiveRag } from "../../src/corrective-rag.js";
import type { CorrectiveRag, CorrectiveRagResult } from "../../src/corrective-rag.js";
import { startSearchServer, type SearchServer } from "../support/search-servers.js";

const QUESTION = "When was the lighthouse of Quellin built?";
const FISH = [{ path: "fish.md", title: "Fish", text: "Cod is sold at six in the morning." }];
const WEB = [
  {
    title: "Lighthouses of the north",
    url: "https://lights.example/quellin",
    text: "The lighthouse of Quellin was built in 1822 by the harbour guild.",
  },
];

let search: SearchServer;
let agent: CorrectiveRag;
beforeAll(async () => {
  search = await startSearchServer("searxng", { rows: WEB });
});
afterAll(() => search.close());
beforeEach(() => {
  search.requests.length = 0;
  agent = agentWith(new MemorySaver());
});
afterEach(() => agent.close());

function agentWith(
  checkpointer: MemorySaver | false,
  webSearch: "ask" | "on" = "ask",
): CorrectiveRag {
  return createCorrectiveRag({
    environment: { SEARXNG_URL: search.url, KB_AGENT_AUDIT_LOG_PATH: "off" },
    settings: { webSearch, reader: "lexical" },
    knowledgeBase: passageBase(FISH),
    checkpointer,
  });
}

const decide = (
  { threadId }: CorrectiveRagResult,
  ...decisions: unknown[]
): Promise<CorrectiveRagResult> => agent.ask({ resume: { decisions } }, { threadId });

describe("a run that wants the web, with web_search ask", () => {
  it("waits, and shows the exact query and who would get it in LangChain's form", async () => {
    const { interrupts } = await agent.ask(QUESTION);
    expect(interrupts).toEqual([
      {
        id: expect.any(String),
        value: {
          actionRequests: [
            {
              name: "web_search",
              args: { query: expect.stringContaining("lighthouse"), always_in_this_thread: false },
              description: expect.stringMatching(
                /^Search the web for ".*"\? .* goes to searxng\.$/,
              ),
            },
          ],
          reviewConfigs: [
            {
              actionName: "web_search",
              action_name: "web_search",
              allowedDecisions: ["approve", "edit", "reject"],
            },
          ],
        },
      },
    ]);
    expect(search.requests).toHaveLength(0);
  });

  it("says in the conversation that it waits, until it goes on: chat clients ask below that", async () => {
    const messages = async (threadId: string): Promise<string[]> => {
      const { values } = await agent.graph.getState({ configurable: { thread_id: threadId } });
      return values.messages.map(({ type, text }: BaseMessage) => `${type}: ${text}`);
    };
    const waiting = await agent.ask(QUESTION);
    expect(await messages(waiting.threadId ?? "")).toEqual([
      `human: ${QUESTION}`,
      "ai: This needs a web search, which waits for your permission.",
    ]);
    const { answer, threadId } = await decide(waiting, { type: "reject" });
    expect(await messages(threadId ?? "")).toEqual([`human: ${QUESTION}`, `ai: ${answer}`]);
    const alone = agentWith(false);
    const all = (await alone.ask(QUESTION)).messages.map(({ text }) => text);
    expect(all.join()).not.toContain("waits for your permission");
    await alone.close();
  });

  it("searches once it is allowed, and asks again for the next question", async () => {
    // Some clients always send the action.
    const { answer, interrupts, threadId } = await decide(await agent.ask(QUESTION), {
      type: "approve",
      editedAction: { name: "web_search" },
    });
    expect(answer).toContain("1822");
    expect(interrupts).toEqual([]);
    expect(search.requests).toHaveLength(1);
    const next = await agent.ask("Who built the lighthouse of Quellin?", { threadId });
    expect(next.interrupts).toHaveLength(1);
    expect(search.requests).toHaveLength(1);
  });

  it.each(["editedAction", "edited_action"])(
    "sends the words that a person put in their place: %s",
    async (key) => {
      await decide(await agent.ask(QUESTION), {
        type: "edit",
        [key]: { name: "web_search", args: { query: "old lighthouses" } },
      });
      expect(search.requests.map(({ url }) => url.searchParams.get("q"))).toEqual([
        "old lighthouses",
      ]);
    },
  );

  it("never asks again on this thread once everything is allowed", async () => {
    const { threadId } = await decide(await agent.ask(QUESTION), {
      type: "approve",
      always_in_this_thread: true,
    });
    const next = await agent.ask("Who built the lighthouse of Quellin?", { threadId });
    expect(next.interrupts).toEqual([]);
    expect(search.requests).toHaveLength(2);
  });

  it.each([
    ["denied", { decisions: [{ type: "reject" }] }, /not allowed/],
    ["answered with something else", "maybe", /was not understood/],
    ["answered with an empty list", [], /was not understood/],
    ["answered in words", [{ type: "response", args: "maybe" }], /was not understood/],
    ["edited into nothing", { decisions: [{ type: "edit" }] }, /not allowed/],
    [
      "edited into an empty query",
      { decisions: [{ type: "edit", editedAction: { args: { query: " " } } }] },
      /not allowed/,
    ],
  ])("sends nothing and warns if it is %s", async (_, resume, said) => {
    const { threadId } = await agent.ask(QUESTION);
    const { answer, outcome, warnings, details } = await agent.ask({ resume }, { threadId });
    expect(search.requests).toHaveLength(0);
    expect(outcome).toMatchObject({
      status: "abstained",
      causes: expect.arrayContaining(["web_unavailable"]),
    });
    expect(`${answer}\n${warnings.join("\n")}`).toMatch(said);
    expect(details?.tools).toContainEqual(
      expect.objectContaining({ tool: "web_search", status: "skipped" }),
    );
  });

  it("still needs the permission when another process resumes it, whatever its own default is", async () => {
    const checkpointer = new MemorySaver();
    await agent.close();
    agent = agentWith(checkpointer, "on");
    const { threadId } = await agent.ask(QUESTION, { context: { web_search: "ask" } });
    await agent.close();
    agent = agentWith(checkpointer, "on");
    await agent.ask({ resume: { decisions: [{ type: "reject" }] } }, { threadId });
    expect(search.requests).toHaveLength(0);
  });

  it("does without the web if nobody can be asked", async () => {
    await agent.close();
    agent = agentWith(false);
    const { outcome, warnings } = await agent.ask(QUESTION);
    expect(outcome.causes).toContain("web_unavailable");
    expect(warnings.join("\n")).toContain("nobody was asked");
    expect(search.requests).toHaveLength(0);
  });
});
