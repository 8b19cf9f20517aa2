/**
 * LangGraph's checkpoints in SQL. Each message is stored once, in a separate table, and a
 * checkpoint names them by ranges, so that a thread grows linearly with its turns.
 */
import { createHash } from "node:crypto";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
} from "@langchain/langgraph";
import { z } from "zod";
import type { Sql, Statement } from "./sql.js";

const Row = z.object({
  ns: z.string(),
  id: z.string(),
  parent_id: z.string().nullish(),
  checkpoint: z.string(),
  metadata: z.string(),
});
type Row = z.output<typeof Row>;
const MessageRow = z.object({ seq: z.number(), value: z.string() });
const HashRow = z.object({ seq: z.number(), hash: z.string() });
const WriteRow = z.object({ task_id: z.string(), channel: z.string(), value: z.string() });

/** First and last number of messages that follow each other. */
type Range = readonly [first: number, last: number];
const Stored = z.object({
  checkpoint: z.custom<Checkpoint>(),
  ranges: z.array(z.tuple([z.number(), z.number()])).optional(),
});

const Place = z.object({
  thread_id: z.string("a checkpoint belongs to a thread, but none is named").min(1),
  checkpoint_ns: z.string().optional(),
  checkpoint_id: z.string().optional(),
});

/** The channel whose items are shared between checkpoints. */
const SHARED = "messages";
/** Of a search without a limit. */
const MAX_ROWS = 1_000_000;
/** Places of writes that record events; other writes count from 0. */
const EVENTS: readonly string[] = ["__error__", "__scheduled__", "__interrupt__", "__resume__"];
/** Tables whose rows belong to a thread's checkpoints, with their other columns. */
const TABLES = {
  checkpoints: "ns, id, parent_id, checkpoint, metadata",
  writes: "ns, id, task_id, idx, channel, value",
  messages: "seq, hash, value",
};

/** Reads the number of characters of a thread's messages. */
export const SIZE = "SELECT coalesce(sum(length(value)), 0) AS n FROM messages WHERE thread_id = ?";

type ListOptions = NonNullable<Parameters<BaseCheckpointSaver["list"]>[1]>;

export class SqlCheckpointer extends BaseCheckpointSaver {
  constructor(private readonly sql: Sql) {
    super();
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread, ns = "", id } = placeOf(config);
    const [row] = await this.rows(thread, { ns, id, limit: 1 });
    return row && this.tuple(thread, row, await this.messagesOf(thread));
  }

  async *list(config: RunnableConfig, options: ListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread, ns, id } = placeOf(config);
    const before = options.before && placeOf(options.before).id;
    const { filter = {}, limit = MAX_ROWS } = options;
    const isFiltered = Object.keys(filter).length > 0;
    const rows = await this.rows(thread, { ns, id, before, limit: isFiltered ? MAX_ROWS : limit });
    const messages = await this.messagesOf(thread);
    let listed = 0;
    for (const row of rows) {
      if (listed === limit) return;
      const tuple = await this.tuple(thread, row, messages);
      const values: Record<string, unknown> = { ...tuple.metadata };
      if (!Object.entries(filter).every(([key, value]) => values[key] === value)) continue;
      listed += 1;
      yield tuple;
    }
  }

  async put(
    config: RunnableConfig,
    { ...checkpoint }: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    const { thread, ns = "", id: parent } = placeOf(config);
    const { [SHARED]: messages, ...values } = checkpoint.channel_values;
    const statements: Statement[] = [];
    let ranges: Range[] | undefined;
    if (Array.isArray(messages)) {
      checkpoint.channel_values = values;
      ranges = rangesOf(await this.numbersOf(thread, messages, statements));
    }
    statements.push([
      `INSERT INTO checkpoints (thread_id, ns, id, parent_id, checkpoint, metadata)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (thread_id, ns, id)
       DO UPDATE SET checkpoint = excluded.checkpoint, metadata = excluded.metadata`,
      [
        thread,
        ns,
        checkpoint.id,
        parent ?? null,
        await this.dump({ checkpoint, ...(ranges && { ranges }) }),
        await this.dump(metadata),
      ],
    ]);
    await this.sql.write(...statements);
    return { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: checkpoint.id } };
  }

  async putWrites(
    config: RunnableConfig,
    writes: [channel: string, value: unknown][],
    task: string,
  ): Promise<void> {
    const { thread, ns = "", id } = placeOf(config);
    if (id === undefined) throw new Error("writes belong to a checkpoint, but none is named");
    const statements = await Promise.all(
      writes.map(async ([channel, value], index): Promise<Statement> => {
        const event = EVENTS.indexOf(channel);
        return [
          `INSERT INTO writes (thread_id, ns, id, task_id, idx, channel, value)
           VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (thread_id, ns, id, task_id, idx)
           DO ${event < 0 ? "NOTHING" : "UPDATE SET value = excluded.value"}`,
          [thread, ns, id, task, event < 0 ? index : -1 - event, channel, await this.dump(value)],
        ];
      }),
    );
    await this.sql.write(...statements);
  }

  async deleteThread(thread: string): Promise<void> {
    await this.sql.write(...deleting(thread));
  }

  private async rows(
    thread: string,
    { ns, id, before, limit }: { ns?: string; id?: string; before?: string; limit: number },
  ): Promise<Row[]> {
    const terms = { "thread_id = ?": thread, "ns = ?": ns, "id = ?": id, "id < ?": before };
    const given = Object.entries(terms).filter(([, value]) => value !== undefined);
    return this.sql.all(
      Row,
      `SELECT ns, id, parent_id, checkpoint, metadata FROM checkpoints
       WHERE ${given.map(([term]) => term).join(" AND ")} ORDER BY id DESC LIMIT ?`,
      [...given.map(([, value]) => value ?? null), limit],
    );
  }

  private async tuple(
    thread: string,
    { ns, id, parent_id: parent, checkpoint, metadata }: Row,
    messages: ReadonlyMap<number, unknown>,
  ): Promise<CheckpointTuple> {
    const stored = Stored.parse(await this.load(checkpoint));
    if (stored.ranges !== undefined)
      stored.checkpoint.channel_values[SHARED] = numbersIn(stored.ranges).map((seq) =>
        messages.get(seq),
      );
    const writes = await this.sql.all(
      WriteRow,
      `SELECT task_id, channel, value FROM writes
       WHERE thread_id = ? AND ns = ? AND id = ? ORDER BY task_id, idx`,
      [thread, ns, id],
    );
    const place = (checkpointId: string): RunnableConfig => ({
      configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: checkpointId },
    });
    return {
      config: place(id),
      checkpoint: stored.checkpoint,
      metadata: z.custom<CheckpointMetadata>().parse(await this.load(metadata)),
      ...(parent && { parentConfig: place(parent) }),
      pendingWrites: await Promise.all(
        writes.map(async ({ task_id, channel, value }): Promise<[string, string, unknown]> => [
          task_id,
          channel,
          await this.load(value),
        ]),
      ),
    };
  }

  private async messagesOf(thread: string): Promise<ReadonlyMap<number, unknown>> {
    const sql = "SELECT seq, value FROM messages WHERE thread_id = ?";
    const stored = await this.sql.all(MessageRow, sql, [thread]);
    const loaded = stored.map(async ({ seq, value }) => [seq, await this.load(value)] as const);
    return new Map(await Promise.all(loaded));
  }

  /** Returns the messages' numbers, and adds statements that store the new ones. */
  private async numbersOf(
    thread: string,
    messages: readonly unknown[],
    statements: Statement[],
  ): Promise<number[]> {
    const sql = "SELECT seq, hash FROM messages WHERE thread_id = ?";
    const known = await this.sql.all(HashRow, sql, [thread]);
    const numbers = new Map(known.map(({ seq, hash }) => [hash, seq]));
    let next = Math.max(-1, ...numbers.values()) + 1;
    const result: number[] = [];
    for (const message of messages) {
      const value = await this.dump(message);
      const hash = createHash("sha256").update(value).digest("base64url");
      const number = numbers.get(hash) ?? next++;
      if (!numbers.has(hash))
        statements.push([
          "INSERT INTO messages (thread_id, seq, hash, value) VALUES (?, ?, ?, ?)",
          [thread, number, hash, value],
        ]);
      numbers.set(hash, number);
      result.push(number);
    }
    return result;
  }

  /** In an array, because bytes by themselves would not become JSON. */
  private async dump(value: unknown): Promise<string> {
    const [, bytes] = await this.serde.dumpsTyped([value]);
    return new TextDecoder().decode(bytes);
  }

  private async load(text: string): Promise<unknown> {
    return z.tuple([z.unknown()]).parse(await this.serde.loadsTyped("json", text))[0];
  }
}

export function deleting(thread: string): Statement[] {
  return deletingBy("thread_id", thread, Object.keys(TABLES));
}

export function deletingBy(column: string, id: string, tables: readonly string[]): Statement[] {
  return tables.map((table) => [`DELETE FROM ${table} WHERE ${column} = ?`, [id]]);
}

export function copying(from: string, to: string): Statement[] {
  return Object.entries(TABLES).map(([table, columns]) => [
    `INSERT INTO ${table} (thread_id, ${columns})
     SELECT CAST(? AS TEXT), ${columns} FROM ${table} WHERE thread_id = ?`,
    [to, from],
  ]);
}

/** @example rangesOf([0, 1, 2, 4]) // [[0, 2], [4, 4]] */
function rangesOf(numbers: readonly number[]): Range[] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

function numbersIn(ranges: readonly Range[]): number[] {
  return ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
}

function placeOf({ configurable }: RunnableConfig) {
  const { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } = Place.parse(configurable);
  return { thread, ns, id: id || undefined };
}
