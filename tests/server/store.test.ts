/** Threads, runs and checkpoints in both databases, and the queue of runs. */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint } from "@langchain/langgraph";
import { z } from "zod";
import { SqlCheckpointer } from "../../src/server/store/checkpointer.js";
import { Conversations } from "../../src/server/store/conversations.js";
import { openPostgres } from "../../src/server/store/postgres.js";
import type { Sql } from "../../src/server/store/sql.js";
import { openSqlite } from "../../src/server/store/sqlite.js";
import { RunQueue } from "../../src/server/run-queue.js";
import { hasPostgres, startPostgres, type Postgres } from "../support/postgres.js";

const SECOND = crypto.randomUUID();
const END = { status: "interrupted", threadStatus: "interrupted" } as const;
const DATABASES = ["SQLite", ...(hasPostgres ? ["Postgres"] : [])];

describe.each(DATABASES)("conversations in %s", (database) => {
  let folder: string;
  let postgres: Postgres | undefined;
  let sql: Sql;
  let conversations: Conversations;
  const open = (): Promise<Sql> =>
    postgres === undefined
      ? openSqlite(join(folder, "threads.sqlite"))
      : openPostgres(postgres.url);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "store-"));
    if (database === "Postgres") postgres = await startPostgres();
    sql = await open();
    conversations = new Conversations(sql);
  });
  afterAll(async () => {
    await sql?.close();
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const newThread = async (owner: string, metadata: object = {}): Promise<string> => {
    const id = crypto.randomUUID();
    await conversations.createThread(owner, { id, metadata });
    return id;
  };
  const PAGE = { sort_by: "updated_at", sort_order: "desc", limit: 10, offset: 0 } as const;

  it("belong to their owner, and are found by metadata of any type", async () => {
    const metadata = { title: "it's", count: 3, isOpen: true, tags: ["a"] };
    const id = await newThread("anna", metadata);
    await newThread("anna", { title: "other" });
    for (const [key, value] of Object.entries(metadata))
      expect(
        await conversations.searchThreads("anna", { ...PAGE, metadata: { [key]: value } }),
      ).toMatchObject([{ thread_id: id, metadata }]);
    expect(await conversations.searchThreads("ben", PAGE)).toEqual([]);
    expect(await conversations.thread("ben", id)).toBeUndefined();
    expect(await conversations.countThreads("anna", { ids: [id], status: "idle" })).toBe(1);
  });

  it("end what a killed server left: runs are interrupted, temporary threads gone", async () => {
    const id = await newThread("anna");
    const temporary = crypto.randomUUID();
    await conversations.createThread("anna", { id: temporary, metadata: {}, isTemporary: true });
    const run = {
      run_id: crypto.randomUUID(),
      thread_id: id,
      metadata: {},
      kwargs: { input: { question: "Why\u0000?" } },
      multitask_strategy: "enqueue",
    };
    expect((await conversations.createRun("anna", run)).earlier).toEqual([]);
    expect(await conversations.createRun("anna", { ...run, run_id: SECOND })).toMatchObject({
      run: { run_id: SECOND, status: "pending" },
      earlier: [{ run_id: run.run_id }],
    });
    const abandoned = await conversations.abandoned((each) => each === SECOND);
    expect(abandoned).toMatchObject([{ run_id: run.run_id }]);
    await conversations.recover(abandoned);
    expect(await conversations.thread("anna", id)).toMatchObject({ status: "busy" });
    expect(await conversations.run("anna", SECOND, id)).toMatchObject({ status: "pending" });
    await conversations.endRun({ ...run, run_id: SECOND }, END);
    expect(await conversations.run("anna", run.run_id, id)).toMatchObject({
      status: "interrupted",
      kwargs: run.kwargs,
    });
    expect(await conversations.run("ben", run.run_id, id)).toBeUndefined();
    expect(await conversations.thread("anna", id)).toMatchObject({ status: "interrupted" });
    expect(await conversations.thread("anna", temporary)).toBeDefined();
    const later = new Conversations(sql, () => new Date(Date.now() + 120_000));
    await later.recover([]);
    expect(await conversations.thread("anna", temporary)).toBeUndefined();
  });

  it("write all or nothing", async () => {
    const before = await conversations.countThreads("anna", {});
    await expect(
      sql.write(["DELETE FROM threads"], ["INSERT INTO no_such_table VALUES (1)"]),
    ).rejects.toThrow();
    expect(await conversations.countThreads("anna", {})).toBe(before);
  });

  it(
    database === "SQLite" ? "refuse a second server" : "know which servers run, after a break, too",
    async () => {
      if (postgres === undefined) {
        await expect(open()).rejects.toThrow("another server has the conversations");
        return;
      }
      const other = await open();
      const id = await newThread("anna");
      const run = { run_id: crypto.randomUUID(), thread_id: id, metadata: {}, kwargs: {} };
      await new Conversations(other).createRun("anna", { ...run, multitask_strategy: "enqueue" });
      const abandoned = () => conversations.abandoned(() => true);
      expect(await abandoned()).toEqual([]);
      const cut =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()";
      await sql.all(z.unknown(), cut);
      const heard = new Promise((resolve) => other.peers?.listen(resolve));
      while ((await abandoned()).length > 0) await new Promise((done) => setTimeout(done, 50));
      while ((await Promise.race([heard, sql.peers?.tell("hello")])) !== "hello");
      await other.close();
      while ((await abandoned()).length === 0) await new Promise((done) => setTimeout(done, 50));
      expect(await abandoned()).toMatchObject([{ run_id: run.run_id }]);
      await conversations.recover([run]);
    },
  );

  (database === "SQLite" ? it.skip : it)(
    "are not held up by a server that starts, whatever they write at that moment",
    async () => {
      const untilItWaits = `DO $$ BEGIN
        WHILE NOT EXISTS (SELECT 1 FROM pg_locks WHERE relation = 'runs'::regclass AND NOT granted)
        LOOP PERFORM pg_sleep(0.01); END LOOP; END $$`;
      const [other] = await Promise.all([
        open(),
        sql.write(
          ["UPDATE runs SET status = status"],
          [untilItWaits],
          ["UPDATE threads SET status = status"],
        ),
      ]);
      await other.close();
    },
  );

  (database === "SQLite" ? it.skip : it)(
    "outlive connections that the database ends, in use and at rest, before and in a write",
    async () => {
      const cut =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()";
      let isOver = false;
      const writing = Array.from({ length: 6 }, async (_, n) => {
        while (!isOver)
          await sql
            .write(...Array.from({ length: 1 + 4 * n }, () => ["SELECT 1"] as const))
            .catch((error: unknown) => expect(error).toMatchObject({ code: "store" }));
      });
      for (let times = 0; times < 20; times += 1) {
        await sql.all(z.unknown(), cut).catch(() => undefined);
        await new Promise((done) => setTimeout(done, 10));
      }
      isOver = true;
      await Promise.all(writing);
      await new Promise((done) => setTimeout(done, 500));
      await sql.write(["SELECT 1"]);
    },
  );

  it("grow linearly with their turns, and give back each turn's messages", async () => {
    const checkpointer = new SqlCheckpointer(sql);
    const thread = await newThread("anna");
    const messages: (HumanMessage | AIMessage)[] = [];
    let config = { configurable: { thread_id: thread } };
    const sizes: number[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      messages.push(new HumanMessage({ id: `q${turn}`, content: `Question ${turn}? `.repeat(50) }));
      messages.push(new AIMessage({ id: `a${turn}`, content: `Answer ${turn}. `.repeat(100) }));
      const checkpoint = { ...emptyCheckpoint(), id: `0000-${String(turn).padStart(4, "0")}` };
      checkpoint.channel_values = { messages: [...messages], answer: `${turn}` };
      const metadata = { source: "loop" as const, step: turn, parents: {} };
      config = z
        .custom<typeof config>()
        .parse(await checkpointer.put(config, checkpoint, metadata));
      const size = `SELECT (SELECT sum(length(value)) FROM messages WHERE thread_id = ?)
        + (SELECT sum(length(checkpoint)) FROM checkpoints WHERE thread_id = ?) AS n`;
      const [row] = await sql.all(z.object({ n: z.coerce.number() }), size, [thread, thread]);
      sizes.push(row?.n ?? 0);
    }
    const growth = (turn: number): number => (sizes[turn] ?? 0) - (sizes[turn - 1] ?? 0);
    expect(growth(39)).toBeLessThan(growth(1) * 1.1);
    const all = [];
    for await (const tuple of checkpointer.list({ configurable: { thread_id: thread } }))
      all.push(tuple);
    expect(
      all.map(
        ({ checkpoint }) =>
          z.array(z.unknown()).parse(checkpoint.channel_values["messages"]).length,
      ),
    ).toEqual(Array.from({ length: 40 }, (_, turn) => 80 - 2 * turn));
    const last = await checkpointer.getTuple({ configurable: { thread_id: thread } });
    expect(last?.checkpoint.channel_values["messages"]).toEqual(messages);
    expect(last?.parentConfig).toEqual(all[1]?.config);
    const copy = crypto.randomUUID();
    const found = await conversations.thread("anna", thread);
    if (found !== undefined) await conversations.copyThread("anna", found, copy);
    await conversations.deleteThread(thread);
    expect(await checkpointer.getTuple({ configurable: { thread_id: thread } })).toBeUndefined();
    const copied = await checkpointer.getTuple({ configurable: { thread_id: copy } });
    expect(copied?.checkpoint.channel_values["messages"]).toEqual(messages);
  });

  it("keep a run's pending writes, each once", async () => {
    const checkpointer = new SqlCheckpointer(sql);
    const config = await checkpointer.put(
      { configurable: { thread_id: await newThread("anna") } },
      emptyCheckpoint(),
      { source: "input", step: -1, parents: {} },
    );
    for (const value of [1, 2]) {
      await checkpointer.putWrites(config, [["answer", value]], "task");
      await checkpointer.putWrites(config, [["__interrupt__", value]], "task");
    }
    expect((await checkpointer.getTuple(config))?.pendingWrites).toEqual([
      ["task", "__interrupt__", 2],
      ["task", "answer", 1],
    ]);
  });
});

it("conversations are kept in no pipe and behind no link that leads nowhere", async () => {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  const [pipe, link] = [join(folder, "pipe"), join(folder, "link")];
  execFileSync("mkfifo", [pipe]);
  await symlink(join(folder, "elsewhere"), link);
  await expect(openSqlite(pipe)).rejects.toThrow(`kept in ${pipe}: it is not a regular file`);
  await expect(openSqlite(link)).rejects.toThrow(
    `kept in ${link}: it is a link that leads nowhere`,
  );
  await rm(folder, { recursive: true });
});

describe("the queue of runs", () => {
  it("gives a free place to the client that uses the fewest, however many another has", async () => {
    const queue = new RunQueue({ maxRuns: 2, maxRunsPerClient: 3_000 });
    const order: string[] = [];
    const flood = Array.from({ length: 2_000 }, () => queue.admit("anna"));
    const started = flood.map((ticket, n) =>
      ticket.start(new AbortController().signal).then(() => order.push(`anna ${n}`)),
    );
    await Promise.all(started.slice(0, 2));
    const ben = queue.admit("ben");
    const his = ben.start(new AbortController().signal).then(() => order.push("ben"));
    flood[0]!.done();
    await his;
    expect(order).toEqual(["anna 0", "anna 1", "ben"]);
    expect(queue.size).toEqual({ running: 2, waiting: 1_998 });
  });

  it("lets requests be read between two that begin, however long each holds the event loop", async () => {
    const queue = new RunQueue({ maxRuns: 8, maxRunsPerClient: 100 });
    let rounds = 0;
    const seen: number[] = [];
    const count = (): void => {
      rounds += 1;
      if (seen.length < 20) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const ticket = queue.admit("anna");
        await ticket.start(new AbortController().signal);
        seen.push(rounds);
        ticket.done();
      }),
    );
    expect(new Set(seen).size).toBe(20);
  });

  it("refuses a client with too many, and frees the place of one that leaves the queue", async () => {
    const queue = new RunQueue({ maxRuns: 1, maxRunsPerClient: 2 });
    const first = queue.admit("anna");
    await first.start(new AbortController().signal);
    const leaving = new AbortController();
    const second = queue.admit("anna");
    const waits = second.start(leaving.signal);
    expect(() => queue.admit("anna")).toThrow("2 questions of yours wait already");
    leaving.abort(new Error("left"));
    await expect(waits).rejects.toThrow("left");
    second.done();
    second.done();
    first.done();
    expect(queue.size).toEqual({ running: 0, waiting: 0 });
  });
});
