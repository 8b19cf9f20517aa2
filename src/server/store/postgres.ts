/** Conversations in Postgres, for any number of servers. Its driver is an optional peer. */
import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { bound } from "../../retrieval/sqlite/database.js";
import { codeOf, reasonOf, UserError } from "../../support/errors.js";
import { once } from "../../support/cache.js";
import { requirePackages } from "../../support/packages.js";
import {
  STORE_FULL,
  StoreError,
  TABLES,
  type Peers,
  type Sql,
  type StoreValue,
  type Statement,
} from "./sql.js";

/** The part of `pg` that is used. */
interface Client {
  query(sql: string, values?: StoreValue[]): Promise<{ rows: unknown[] }>;
  release(destroy?: boolean): void;
  on(event: "error" | "notification", listener: (said: { payload?: string }) => void): void;
}
interface Pool extends Pick<Client, "query"> {
  connect(): Promise<Client>;
  on(event: "error" | "connect", listener: (client: Client) => void): void;
  end(): Promise<void>;
}
interface Driver {
  Pool: new (options: Record<string, string | number | boolean>) => Pool;
}

/** A database that is silent ends the request, not the server. */
const LIMITS = {
  max: 10,
  keepAlive: true,
  connectionTimeoutMillis: 5_000,
  query_timeout: 10_000,
  statement_timeout: 10_000,
};
/** "crag", as a number: the class of locks of which each server holds the one with its number. */
const LOCKS = 0x63726167;
/** Held while the tables are made; numbers of servers begin after it. */
const TABLES_LOCK = 0;
/** The family of leases on documents, by hash; two of one hash just wait for each other. */
const LEASES = LOCKS + 1;
/** How long one server waits for another one's ingestion. */
const PATIENCE_IN_MS = 60_000;
/** Held at the same time by this server, each on a separate connection. */
const MAX_LEASES = 4;
const CHANNEL = "crag";
/** So that Postgres ends the session of a machine that is gone, and frees its lock. */
const KEEPALIVE =
  "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3";

/**
 * Events of runs that a client reads through another server. They are worth nothing after a crash
 * of the database, so it need not log them.
 */
const RELAYED = `CREATE UNLOGGED TABLE IF NOT EXISTS relayed (
  run_id TEXT NOT NULL, id INTEGER NOT NULL, event TEXT NOT NULL, data TEXT NOT NULL,
  at TEXT NOT NULL, PRIMARY KEY (run_id, id))`;

/** @throws UserError if the driver is missing, StoreError if the database cannot be used */
export async function openPostgres(url: string): Promise<Sql> {
  requirePackages("DATABASE_URL=postgres:…", ["pg"]);
  // Not a literal, because the driver brings no types.
  const name: string = "pg";
  const loaded: unknown = await import(name);
  const { default: driver } = z.object({ default: z.custom<Driver>() }).parse(loaded);
  const poolOf = (options: typeof LIMITS): Pool => {
    const pool = new driver.Pool({ connectionString: url, ...options });
    // Broken connections are replaced; without listeners they would end the process, those that
    // wait in the pool and those that are in use.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => client.on("error", () => undefined));
    return pool;
  };
  const pool = poolOf(LIMITS);
  const leases = poolOf({
    ...LIMITS,
    max: MAX_LEASES,
    connectionTimeoutMillis: PATIENCE_IN_MS,
    query_timeout: PATIENCE_IN_MS,
    statement_timeout: PATIENCE_IN_MS,
  });
  const store = new PostgresStore(pool, leases);
  try {
    // Not in one transaction, which would lock tables against the order of servers at work.
    for (const statement of [...TABLES, RELAYED])
      await store.write([`SELECT pg_advisory_xact_lock(${LOCKS}, ${TABLES_LOCK})`], [statement]);
    await store.appear();
    return store;
  } catch (error) {
    await store.close().catch(() => undefined);
    throw error instanceof UserError || error instanceof StoreError ? error : failure(error);
  }
}

class PostgresStore implements Sql, Peers {
  readonly server = randomInt(TABLES_LOCK + 1, 2 ** 31);
  /** A server that ends or is killed loses its connection, and with it the lock. */
  readonly living = `SELECT CAST(objid AS BIGINT) FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND CAST(classid AS BIGINT) = ${LOCKS}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  readonly bytes = "SELECT pg_database_size(current_database()) AS bytes";
  readonly peers = this;
  /** Ends the connection that holds this server's lock. */
  private presence: (() => void) | undefined;
  private hear: (message: string) => void = () => undefined;
  private isClosed = false;

  constructor(
    private readonly pool: Pool,
    private readonly leases: Pool,
  ) {}

  /** Shows the other servers that this one runs, and listens to them; again when it was cut off. */
  async appear(): Promise<void> {
    const client = await this.pool.connect();
    const lose = once(() => {
      this.presence = undefined;
      client.release(true);
    });
    client.on("error", lose);
    try {
      client.on("notification", ({ payload = "" }) => this.hear(payload));
      await client.query(KEEPALIVE);
      await client.query(`SELECT pg_advisory_lock(${LOCKS}, ${this.server})`);
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      lose();
      throw error;
    }
    this.presence = lose;
    client.on(
      "error",
      once(() => void this.appearAgain()),
    );
  }

  async all<Row>(row: z.ZodType<Row>, sql: string, values: readonly StoreValue[] = []) {
    try {
      const { rows } = await this.pool.query(numbered(sql), bound(values));
      return rows.map((each) => row.parse(each));
    } catch (error) {
      throw failure(error);
    }
  }

  async write(...statements: readonly Statement[]): Promise<void> {
    const client = await connected(this.pool);
    try {
      await client.query("BEGIN");
      for (const [sql, values = []] of statements) await client.query(numbered(sql), bound(values));
      await client.query("COMMIT");
      client.release();
    } catch (error) {
      // Ending the session rolls back.
      client.release(true);
      throw failure(error);
    }
  }

  async tell(message: string): Promise<void> {
    await this.all(z.unknown(), "SELECT pg_notify(?, ?)", [CHANNEL, message]);
  }

  listen(hear: (message: string) => void): void {
    this.hear = hear;
  }

  /** Holds a lease: a lock that ends with the connection. */
  async alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    const client = await connected(this.leases);
    try {
      const lease = client.query(`SELECT pg_advisory_lock(${LEASES}, hashtext($1))`, [key]);
      await lease.catch((error: unknown) => {
        throw new StoreError("another server is changing this document", error);
      });
      return await work();
    } finally {
      client.release(true);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.presence?.();
    await Promise.all([this.pool.end(), this.leases.end()]);
  }

  private async appearAgain(): Promise<void> {
    while (!this.isClosed) {
      try {
        return await this.appear();
      } catch {
        await wait(250, undefined, { ref: false });
      }
    }
  }
}

/** @throws StoreError */
function connected(pool: Pool): Promise<Client> {
  return pool.connect().catch((error: unknown) => {
    throw failure(error);
  });
}

/** @example numbered("a = ? AND b = ?") // "a = $1 AND b = $2" */
function numbered(sql: string): string {
  let place = 0;
  return sql.replace(/\?/g, () => `$${(place += 1)}`);
}

function failure(error: unknown): StoreError {
  // Postgres' code for a full disk.
  const code = codeOf(error) === "53100" ? STORE_FULL : undefined;
  return new StoreError(`the database of conversations failed: ${reasonOf(error)}`, error, code);
}
