/** Conversations in Postgres. Its driver is an optional peer. */
import { z } from "zod";
import { reasonOf, UserError } from "../../support/errors.js";
import { requirePackages } from "../../support/require-packages.js";
import { StoreError, type Sql, type SqlValue, type Statement } from "./sql.js";

/** The part of `pg` that is used. */
interface Queryable {
  query(sql: string, values?: SqlValue[]): Promise<{ rows: unknown[] }>;
}
interface Client extends Queryable {
  release(destroy?: boolean): void;
  on(event: "error", listener: (error: Error) => void): void;
}
interface Pool extends Queryable {
  connect(): Promise<Client>;
  on(event: "error", listener: (error: Error) => void): void;
  end(): Promise<void>;
}
interface Driver {
  Pool: new (options: Record<string, string | number>) => Pool;
}

/** A database that is silent ends the request, not the server. */
const LIMITS = {
  max: 10,
  connectionTimeoutMillis: 5_000,
  query_timeout: 10_000,
  statement_timeout: 10_000,
};
/** "crag", as a number. */
const LOCK = 0x63726167;

/**
 * Opens the database of a single server, which holds a lock in it: a second one would take the
 * first one's runs for cut off.
 * @throws UserError if the driver is missing or another server has the database
 */
export async function openPostgres(url: string): Promise<Sql> {
  requirePackages("DATABASE_URL=postgres:…", ["pg"]);
  // Not a literal, because the driver brings no types.
  const name: string = "pg";
  const loaded: unknown = await import(name);
  const { default: driver } = z.object({ default: z.custom<Driver>() }).parse(loaded);
  const pool = new driver.Pool({ connectionString: url, ...LIMITS });
  // Broken connections are replaced; without a listener they would end the process.
  pool.on("error", () => undefined);
  try {
    const holder = await pool.connect();
    holder.on("error", () => undefined);
    if (!(await locked(holder))) {
      // The pool ends only when it has all its connections back.
      holder.release(true);
      throw new UserError("another server uses this database", "stop it first", 1);
    }
    return new PostgresStore(pool, holder);
  } catch (error) {
    await pool.end().catch(() => undefined);
    throw error instanceof UserError ? error : failure(error);
  }
}

/** Tries for a while, because a killed server's lock lives until Postgres sees its end. */
async function locked(holder: Client): Promise<boolean> {
  for (let tries = 0; tries < 20; tries += 1) {
    const { rows } = await holder.query(`SELECT pg_try_advisory_lock(${LOCK}) AS got`);
    if (JSON.stringify(rows[0]) === '{"got":true}') return true;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return false;
}

class PostgresStore implements Sql {
  constructor(
    private readonly pool: Pool,
    private readonly holder: Client,
  ) {}

  async all<Row>(row: z.ZodType<Row>, sql: string, values: readonly SqlValue[] = []) {
    try {
      const { rows } = await this.pool.query(numbered(sql), bound(values));
      return rows.map((each) => row.parse(each));
    } catch (error) {
      throw failure(error);
    }
  }

  async write(...statements: readonly Statement[]): Promise<void> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw failure(error);
    });
    let isBroken = true;
    try {
      await client.query("BEGIN");
      for (const [sql, values = []] of statements) await client.query(numbered(sql), bound(values));
      await client.query("COMMIT");
      isBroken = false;
    } catch (error) {
      isBroken = await client.query("ROLLBACK").then(
        () => false,
        () => true,
      );
      throw failure(error);
    } finally {
      client.release(isBroken);
    }
  }

  async close(): Promise<void> {
    this.holder.release(true);
    await this.pool.end();
  }
}

/** @example numbered("a = ? AND b = ?") // "a = $1 AND b = $2" */
function numbered(sql: string): string {
  let place = 0;
  return sql.replace(/\?/g, () => `$${(place += 1)}`);
}

/** Postgres takes no NUL in a text. */
function bound(values: readonly SqlValue[]): SqlValue[] {
  return values.map((value) => (typeof value === "string" ? value.replaceAll("\0", " ") : value));
}

function failure(error: unknown): StoreError {
  return new StoreError(`the database of conversations failed: ${reasonOf(error)}`, error);
}
