/** Studio's forks inside of a run: every step is kept with `CRAG_CHECKPOINTS=step`, on both servers. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Client, type ThreadState } from "@langchain/langgraph-sdk";
import { z } from "zod";
import { startDevServer, startServe, type DevServer } from "./dev-server.js";
import { foundedIn, TOWN_FILES } from "./towns.js";

const Values = z.looseObject({ answer: z.string(), messages: z.array(z.unknown()) });
const Edited = z.object({ checkpoint: z.object({ checkpoint_id: z.string() }) });

describe.each([
  ["serve", startServe],
  ["dev", startDevServer],
] as const)("a fork in the middle of a run on %s (N11)", (kind, start) => {
  let server: DevServer;
  let client: Client;

  beforeAll(async () => {
    server = await start(TOWN_FILES, { CRAG_CHECKPOINTS: "step" });
    client = new Client({ apiUrl: server.url });
  });
  afterAll(async () => {
    await server?.stop();
  });

  it("goes on from a step, as it was or with an edited state", async () => {
    const { thread_id: thread } = await client.threads.create();
    const input = { question: "When was Dunmore founded?" };
    const ended = Values.parse(await client.runs.wait(thread, "agent", { input }));
    expect(ended.answer).toContain(foundedIn("Dunmore"));
    const history = await client.threads.getHistory(thread, { limit: 100 });
    const before = (node: string): ThreadState => {
      const found = history.find(({ next }) => next.includes(node));
      if (found === undefined) throw new Error(`no checkpoint before ${node}`);
      return found;
    };
    const goOn = async (checkpoint: ThreadState["checkpoint"]) =>
      Values.parse(await client.runs.wait(thread, "agent", { input: null, checkpoint }));

    const again = await goOn(before("synthesize").checkpoint);
    expect(again.answer).toBe(ended.answer);
    expect(again.messages).toHaveLength(2);

    // Our own server is for people who are no developers: a client cannot set what the graph found.
    if (kind === "serve") return;
    const { checkpoint } = before("plan");
    const question = "When was Elmstead founded?";
    const edited: unknown = await client.threads.updateState(thread, {
      values: { question, standalone_question: question },
      checkpoint,
      asNode: "analyze_and_route",
    });
    const other = await goOn({ ...checkpoint, ...Edited.parse(edited).checkpoint });
    expect(other.answer).toContain(foundedIn("Elmstead"));
  });
});
