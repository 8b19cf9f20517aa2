/** Conversations in a real Postgres, on this machine; skipped where none is installed. */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { passageBase } from "../../evals/live/passage-base.js";
import { createCorrectiveRag } from "../../src/corrective-rag.js";

const run = promisify(execFile);
const VERSIONS = "/usr/lib/postgresql";
const [version] = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
const isRoot = process.getuid?.() === 0;

/** The server refuses to run as root, so there it runs as the user that the package made. */
async function postgres(program: string, ...args: string[]): Promise<void> {
  const path = join(VERSIONS, version ?? "", "bin", program);
  await (isRoot ? run("runuser", ["-u", "postgres", "--", path, ...args]) : run(path, args));
}

(version === undefined ? describe.skip : describe)("conversations in Postgres", () => {
  let folder: string;
  const saverFor = () =>
    PostgresSaver.fromConnString(`postgresql://postgres@/postgres?host=${folder}`);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "postgres-"));
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
  });
  afterAll(async () => {
    await postgres("pg_ctl", "-s", "-m", "immediate", "-D", join(folder, "data"), "stop");
    await rm(folder, { recursive: true, force: true });
  });

  it("continue in another process, with two checkpoints per turn, and one before the first", async () => {
    const ask = async (question: string, threadId?: string) => {
      const checkpointer = saverFor();
      await checkpointer.setup();
      const agent = createCorrectiveRag({
        settings: { auditLog: "off", reader: "lexical" },
        knowledgeBase: passageBase([
          { path: "a.md", title: "Dunmore", text: "Dunmore was founded in 1803." },
          { path: "b.md", title: "Halden", text: "Halden was founded in 1774." },
        ]),
        checkpointer,
      });
      try {
        const result = await agent.ask(question, { threadId });
        const config = { configurable: { thread_id: result.threadId } };
        let checkpoints = 0;
        for await (const _ of checkpointer.list(config)) checkpoints += 1;
        return { ...result, checkpoints };
      } finally {
        await agent.close();
        await checkpointer.end();
      }
    };
    const first = await ask("When was Dunmore founded?");
    expect(first).toMatchObject({ answer: expect.stringContaining("1803"), checkpoints: 3 });
    const second = await ask("And Halden?", first.threadId);
    expect(second).toMatchObject({ answer: expect.stringContaining("1774"), checkpoints: 5 });
    expect(second.messages).toHaveLength(4);
  });
});
