/** A real Postgres of this machine's, in a folder of its own; there is none where none is installed. */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const VERSIONS = "/usr/lib/postgresql";
const [version] = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
const isRoot = process.getuid?.() === 0;

/** Also with the folder of the administrator's programs, which not every shell looks in. */
const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` };
const run = (program: string, args: readonly string[]) =>
  promisify(execFile)(program, args, { env });

export const hasPostgres = version !== undefined;

export interface Postgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** The server refuses to run as root, so there it runs as the user that the package made. */
async function postgres(program: string, ...args: string[]): Promise<void> {
  const path = join(VERSIONS, version ?? "", "bin", program);
  await (isRoot ? run("runuser", ["-u", "postgres", "--", path, ...args]) : run(path, args));
}

export async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), "postgres-"));
  await chmod(folder, 0o755);
  if (isRoot) execFileSync("chown", ["postgres", folder]);
  const data = join(folder, "data");
  await postgres("initdb", "--auth=trust", "--username=postgres", "--no-sync", "-D", data);
  const options = `-c listen_addresses='' -c fsync=off -c unix_socket_directories=${folder}`;
  await postgres(
    "pg_ctl",
    "-w",
    "-s",
    "-D",
    data,
    "-o",
    options,
    "-l",
    join(folder, "log"),
    "start",
  );
  return {
    url: `postgresql://postgres@/postgres?host=${folder}`,
    async stop() {
      await postgres("pg_ctl", "-s", "-m", "immediate", "-D", data, "stop");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
