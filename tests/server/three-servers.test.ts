/** Three servers on one real Postgres; skipped where none is installed (apt-get install postgresql). */
import { Client } from "@langchain/langgraph-sdk";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { openPostgres } from "../../src/server/store/postgres.js";
import { startModelServer, type ModelServer } from "../support/model-server.js";
import { hasPostgres, startPostgres, type Postgres } from "../support/postgres.js";
import { startServe, type Served } from "./dev-server.js";
import { foundedIn, TOWN_FILES, TOWNS } from "./towns.js";

const loose = (value: unknown) => JSON.parse(JSON.stringify(value));
const question = (town: string): string => `When was ${town} founded?`;

(hasPostgres ? describe : describe.skip)("three servers on one Postgres", () => {
  let postgres: Postgres;
  let model: ModelServer;
  let servers: Served[];
  let clients: Client[];

  beforeAll(async () => {
    postgres = await startPostgres();
    model = await startModelServer({ delayBetweenChunksInMs: 30 });
    const first = await startServe(TOWN_FILES, {
      DATABASE_URL: postgres.url,
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "test-key",
    });
    servers = [first, await first.again(), await first.again()];
    clients = servers.map(
      ({ url }) => new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } }),
    );
  });
  afterEach(() => model.reset());
  afterAll(async () => {
    for (const server of servers ?? []) await server.stop();
    await model?.close();
    await postgres?.stop();
  });

  const at = (place: number): Client => clients[place]!;
  const ask = async (place: number, thread: string, town: string) =>
    loose(
      await at(place).runs.wait(thread, "agent", {
        input: { messages: [{ role: "user", content: question(town) }] },
      }),
    );
  /** Starts a run that waits for its model until it is stopped or the model answers. */
  const startSlow = async (place: number, thread: string): Promise<string> => {
    const before = model.requests.length;
    const input = { question: question("Dunmore") };
    const { run_id: run } = await at(place).runs.create(thread, "agent", {
      input,
      streamMode: ["custom", "values"],
    });
    while (model.requests.length === before) await new Promise((done) => setTimeout(done, 20));
    return run;
  };
  const untilStatus = async (place: number, thread: string, run: string, status: string) => {
    while ((await at(place).runs.get(thread, run)).status !== status)
      await new Promise((resolve) => setTimeout(resolve, 100));
  };

  it("share a conversation, which moves between them", async () => {
    const { thread_id: thread } = await at(0).threads.create();
    for (const [place, town] of ["Dunmore", "Elmstead", "Fairview"].entries())
      expect((await ask(place, thread, town)).answer).toContain(foundedIn(town));
    for (const client of clients)
      expect(loose(await client.threads.getState(thread)).values.messages).toHaveLength(6);
  });

  it("let any client join a run from its first event, on whichever server", async () => {
    const { thread_id: thread } = await at(0).threads.create();
    const run = await startSlow(0, thread);
    const joined = await Promise.all(
      clients.map(async (client) => {
        const events = [];
        for await (const event of client.runs.joinStream(thread, run)) events.push(event);
        return events;
      }),
    );
    expect(joined[0]!.length).toBeGreaterThan(5);
    expect(joined[1]).toEqual(joined[0]);
    expect(joined[2]).toEqual(joined[0]);
    const rest = [];
    for await (const { id } of at(1).runs.joinStream(thread, run, { lastEventId: "4" }))
      rest.push(id);
    expect(rest[0]).toBe("5");
    expect(loose(await at(2).runs.join(thread, run)).answer).toContain(foundedIn("Dunmore"));
  });

  it("list threads whose title was cut within an emoji, as SQLite does", async () => {
    const metadata = { title: "Plans 🎉".slice(0, 7), topic: "plans" };
    const { thread_id: id } = await at(0).threads.create({ metadata });
    await at(1).threads.update(id, { metadata });
    const found = await at(2).threads.search({ metadata: { topic: "plans" } });
    expect(found).toMatchObject([{ thread_id: id, metadata: { title: "Plans \ufffd" } }]);
    await expect(at(0).threads.create({ metadata: { "\0": 1 } })).rejects.toThrow("422");
  });

  it("go on when another version says what they do not understand", async () => {
    const stranger = await openPostgres(postgres.url);
    for (const said of ["hello", '{"kind":"greet","run":"x"}', ""])
      await stranger.peers?.tell(said);
    await stranger.close();
    const { thread_id: thread } = await at(1).threads.create();
    expect((await ask(1, thread, "Dunmore")).answer).toContain(foundedIn("Dunmore"));
  });

  it("put the runs of a thread in one order, and cancel each other's", async () => {
    const { thread_id: thread } = await at(0).threads.create();
    model.fail({ kind: "hang" });
    const run = await startSlow(0, thread);
    const input = { question: question("Elmstead") };
    await expect(
      at(1).runs.create(thread, "agent", { input, multitaskStrategy: "reject" }),
    ).rejects.toThrow("422");
    await expect(at(2).threads.updateState(thread, { values: { messages: [] } })).rejects.toThrow(
      "409",
    );
    model.reset();
    const second = at(1).runs.wait(thread, "agent", { input });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await at(2).runs.list(thread)).toMatchObject([{ status: "pending" }, { run_id: run }]);
    await at(2).runs.cancel(thread, run, true);
    expect(await at(0).runs.get(thread, run)).toMatchObject({ status: "interrupted" });
    expect(loose(await second).answer).toContain(foundedIn("Elmstead"));
    const third = await at(2).runs.wait(thread, "agent", {
      input,
      multitaskStrategy: "interrupt",
    });
    expect(loose(third).answer).toContain(foundedIn("Elmstead"));
  });

  it("lose nothing when one is killed under load; the others go on, and end its runs", async () => {
    const answers = new Map<string, string[]>();
    let isOver = false;
    const talk = async (n: number): Promise<void> => {
      let thread = "";
      for (let turn = n; !isOver; turn += 1) {
        const place = (n + turn) % 3;
        try {
          if (turn % 4 === 0 || thread === "")
            thread = (await at(place).threads.create()).thread_id;
          const { answer } = await ask(place, thread, TOWNS[turn % TOWNS.length]!);
          answers.set(thread, [...(answers.get(thread) ?? []), answer]);
        } catch {
          thread = "";
        }
      }
    };
    const talking = Promise.all(Array.from({ length: 6 }, (_, n) => talk(n)));
    const acknowledged = () => [...answers.values()].flat().length;
    while (acknowledged() < 20) await new Promise((resolve) => setTimeout(resolve, 50));
    const { thread_id: thread } = await at(0).threads.create();
    const { run_id: run } = await at(2).runs.create(thread, "agent", {
      input: { question: question("Dunmore") },
    });
    await servers[2]!.kill();
    const before = acknowledged();
    const joined: string[] = [];
    for await (const { event } of at(1).runs.joinStream(thread, run)) joined.push(event);
    expect(joined.at(-1)).toBe("error");
    await untilStatus(0, thread, run, "interrupted");
    while (acknowledged() < before + 20) await new Promise((resolve) => setTimeout(resolve, 50));
    isOver = true;
    await talking;
    expect((await ask(1, thread, "Fairview")).answer).toContain(foundedIn("Fairview"));
    for (const [each, all] of answers) {
      const { messages } = loose(await at(0).threads.getState(each)).values;
      const text = JSON.stringify(messages);
      for (const answer of all) expect(text).toContain(JSON.stringify(answer).slice(1, -1));
      for (const { status } of await at(1).runs.list(each))
        expect(["success", "interrupted"]).toContain(status);
    }
    servers[2] = await servers[0]!.again();
    clients[2] = new Client({ apiUrl: servers[2].url });
    expect((await ask(2, thread, "Elmstead")).answer).toContain(foundedIn("Elmstead"));
  });
});
