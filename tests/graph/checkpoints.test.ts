/** What a run leaves in its checkpoints. */
import { describe, expect, it } from "@jest/globals";
import { MemorySaver } from "@langchain/langgraph";
import { keepTurns, type CorrectiveRagGraph } from "../../src/graph/graph.js";
import { scriptedGraph } from "../support/scripted-parts.js";
import { passageBase } from "../../evals/live/passage-base.js";
import { scriptedBase, passage } from "../support/scripted-base.js";

const filler = (n: number): string =>
  Array.from({ length: 300 }, (_, word) => `word${n}x${word}`).join(" ");
const TOWNS = ["Dunmore", "Halden", "Orrin", "Selby", "Tavish"];
const base = passageBase(
  TOWNS.map((town, n) => ({
    path: `${town}.md`,
    title: town,
    text: `${town} was founded in ${1800 + n}. ${filler(n)}`,
  })),
);

function bytesIn(saver: MemorySaver): number {
  let bytes = 0;
  for (const namespaces of Object.values(saver.storage))
    for (const checkpoints of Object.values(namespaces))
      for (const [checkpoint, metadata] of Object.values(checkpoints))
        bytes += checkpoint.length + metadata.length;
  return bytes;
}

const thread = (id: string) => ({ configurable: { thread_id: id } });

describe("checkpoints", () => {
  it("hold the beginnings of passages, not their texts", async () => {
    const saver = new MemorySaver();
    const knowledgeBase = {
      ...base,
      stats: async () => ({ documents: TOWNS.length, passages: TOWNS.length }),
      passagesOf: async (path: string) =>
        (await base.search("keyword", { query: path.replace(".md", ""), limit: 9 })).map(
          (hit) => hit.passage,
        ),
    };
    const { graph } = scriptedGraph({ knowledgeBase, checkpointer: saver });
    await graph.invoke({ question: "When was Dunmore founded?" }, thread("a"));
    const state = await graph.getState(thread("a"));
    expect(state.values.context.length).toBeGreaterThan(0);
    for (const { text } of state.values.context) expect(text.length).toBeLessThanOrEqual(120);
    // Of nine checkpoints, those inside of the run hold the passages, 2,000 characters each.
    expect(bytesIn(saver)).toBeLessThan(100_000);
  });

  it("lose no passage when another process goes on", async () => {
    const saver = new MemorySaver();
    const passages = [passage("alpha"), passage("beta-two")].map((found) => ({
      ...found,
      text: `${found.text} ${filler(1)}`,
    }));
    const knowledgeBase = {
      ...scriptedBase([passages]),
      stats: async () => ({ documents: 2, passages: 2 }),
      passagesOf: async (path: string) => passages.filter((found) => found.path === path),
    };
    const seen: string[][] = [];
    const open = () =>
      scriptedGraph({
        knowledgeBase,
        checkpointer: saver,
        reasoner: {
          kind: "model",
          answer: async ({ evidence }) => {
            seen.push(evidence.map(({ text }) => text));
            return {
              text: "It counted 8 things [1].",
              unanswerable: false,
              by: "model",
            };
          },
        },
      }).graph;
    await open().invoke(
      { question: "What did the keeper count?" },
      { ...thread("b"), interruptBefore: ["synthesize"] },
    );
    await open().invoke(null, thread("b"));
    const whole = seen[0] ?? [];
    expect(whole.length).toBeGreaterThan(0);
    for (const text of whole) expect(text).toContain("word1x199");
  });

  /** As a chat client does: runs again, or with another question, from before a message came. */
  const firstSeen = async (graph: CorrectiveRagGraph, text: string) => {
    const history = [];
    for await (const state of graph.getStateHistory(thread("t"))) history.push(state);
    const states = history.reverse();
    const seen = states.find(({ values }) =>
      (values.messages ?? []).some((message: { text: string }) => message.text.includes(text)),
    );
    return { states, before: seen?.parentConfig };
  };

  it("stand before and after each run, so that a question can be edited and asked again (N11)", async () => {
    const { graph } = scriptedGraph({ knowledgeBase: base, checkpointer: new MemorySaver() });
    keepTurns(graph);
    const ask = (town: string, config: object = thread("t")) =>
      graph.invoke({ messages: [{ role: "user", content: `When was ${town} founded?` }] }, config);
    await ask("Dunmore");
    const second = await ask("Halden");
    expect(second.answer).toContain("1801");
    const { states, before } = await firstSeen(graph, "1801");
    // An empty one, and two a turn.
    expect(states).toHaveLength(5);
    const again = await graph.invoke(null, before);
    expect(again.answer).toContain("1801");
    expect(again.messages).toHaveLength(4);
    for (const [town, year, messages] of [
      ["Halden", "1802", 4],
      ["Dunmore", "1803", 2],
    ] as const) {
      const edited = await firstSeen(graph, `When was ${town}`);
      const other = year === "1802" ? "Orrin" : "Selby";
      const { answer, messages: now } = await ask(other, edited.before);
      expect(answer).toContain(year);
      expect(now).toHaveLength(messages);
    }
  });

  it("stand after every step if the caller wants them, for time travel in a run (N11)", async () => {
    const { graph } = scriptedGraph({ knowledgeBase: base, checkpointer: new MemorySaver() });
    keepTurns(graph);
    await graph.invoke(
      { question: "When was Dunmore founded?" },
      { ...thread("t"), durability: "sync" },
    );
    const { states } = await firstSeen(graph, "Dunmore");
    expect(states.length).toBeGreaterThan(7);
    const graded = states.find(({ next }) => next.includes("synthesize"));
    const again = await graph.invoke(null, graded?.config);
    expect(again.answer).toContain("1800");
  });

  it("grow by one conversation turn a turn, and no faster", async () => {
    const saver = new MemorySaver();
    const knowledgeBase = passageBase(
      TOWNS.map((town, n) => ({
        path: `${town}.md`,
        title: town,
        text: `${town} was founded in ${1800 + n}.`,
      })),
    );
    const { graph } = scriptedGraph({ knowledgeBase, checkpointer: saver });
    keepTurns(graph);
    const perTurn: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      const before = bytesIn(saver);
      await graph.invoke(
        { question: `When was ${TOWNS[turn % TOWNS.length]} founded?` },
        thread("c"),
      );
      perTurn.push(bytesIn(saver) - before);
    }
    const growth = ((perTurn.at(-1) ?? 0) - (perTurn[0] ?? 0)) / (perTurn.length - 1);
    expect(growth).toBeLessThan(3_500);
  });
});
