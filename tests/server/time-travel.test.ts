/** Studio's forks inside of a run: every step is kept with `CRAG_CHECKPOINTS=step`, on both servers. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Client, type ThreadState } from "@langchain/langgraph-sdk";
import { startDevServer, startServe, type DevServer } from "./dev-server.js";
import { foundedIn, TOWN_FILES } from "./towns.js";

interface Values {
  answer?: string;
  standalone_question?: string;
  messages?: unknown[];
}

describe.each([
  ["serve", startServe],
  ["dev", startDevServer],
] as const)("a fork in the middle of a run on %s (N11)", (kind, start) => {
  let server: DevServer;
  let client: Client<Values>;

  beforeAll(async () => {
    server = await start(TOWN_FILES, { CRAG_CHECKPOINTS: "step" });
    client = new Client<Values>({ apiUrl: server.url });
  });
  afterAll(async () => {
    await server?.stop();
  });

  it("goes on from a step, as it was or with an edited state", async () => {
    const { thread_id: thread } = await client.threads.create();
    const input = { question: "When was Dunmore founded?" };
    const ended: Values = (await client.runs.wait(thread, "agent", { input })) ?? {};
    expect(ended.answer).toContain(foundedIn("Dunmore"));
    const history = await client.threads.getHistory(thread, { limit: 100 });
    const before = (node: string): ThreadState<Values> => {
      const found = history.find(({ next }) => next.includes(node));
      if (found === undefined) throw new Error(`no checkpoint before ${node}`);
      return found;
    };
    const goOn = async (checkpoint: ThreadState["checkpoint"]): Promise<Values> =>
      (await client.runs.wait(thread, "agent", { input: null, checkpoint })) ?? {};

    const again = await goOn(before("synthesize").checkpoint);
    expect(again.answer).toBe(ended.answer);
    expect(again.messages).toHaveLength(2);

    // Our own server is for people who are no developers: a client cannot set what the graph found.
    if (kind === "serve") return;
    const { checkpoint } = before("plan");
    const question = "When was Elmstead founded?";
    const edited = await client.threads.updateState(thread, {
      values: { question, standalone_question: question },
      checkpoint,
      asNode: "analyze_and_route",
    });
    const other = await goOn({ ...checkpoint, ...edited.checkpoint } as typeof checkpoint);
    expect(other.answer).toContain(foundedIn("Elmstead"));
  });
});
