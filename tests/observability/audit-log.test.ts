import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { execFileSync, spawn } from "node:child_process";
import {
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuditLog, readRuns } from "../../src/observability/audit-log.js";
import type { RecordedEvent } from "../../src/observability/events.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "audit-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function warning(message: string, run = "run-1"): RecordedEvent {
  return { type: "warning", message, at: "2026-01-01T00:00:00.000Z", run_id: run, node: "tools" };
}
async function linesOf(path: string): Promise<RecordedEvent[]> {
  return (await readRuns(path)).runs.flatMap(({ events }) => events);
}
const messages = (events: RecordedEvent[]): string[] =>
  events.map((event) => (event.type === "warning" ? event.message : event.type));

describe("the audit log (log_audit)", () => {
  it("appends one JSON line per event, in order, to a file that only its owner can read", async () => {
    const path = join(folder, "deep", "audit.jsonl");
    const said: string[] = [];
    const log = createAuditLog({ path, onWarning: (message) => said.push(message) });
    for (let n = 0; n < 50; n++) log.log_audit(warning(`event ${n}`));
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(50);
    expect(messages(await linesOf(path))).toEqual(
      Array.from({ length: 50 }, (_, n) => `event ${n}`),
    );
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(said).toEqual([]);
  });

  it("takes secrets out", async () => {
    const path = join(folder, "audit.jsonl");
    const log = createAuditLog({ path });
    log.log_audit(warning("401 for sk-proj-abcdefgh12345678"));
    expect(await readFile(path, "utf8")).not.toContain("abcdefgh12345678");
  });

  it("does not log the tokens of a draft", async () => {
    const path = join(folder, "audit.jsonl");
    const log = createAuditLog({ path });
    log.log_audit({
      type: "answer_delta",
      id: "a",
      text: "tok",
      at: "",
      run_id: "r",
      node: "synthesize",
    });
    log.log_audit(warning("kept"));
    expect(messages(await linesOf(path))).toEqual(["kept"]);
  });

  it("makes one warning, and no error, of a full disk", async () => {
    const said: string[] = [];
    const log = createAuditLog({ path: "/dev/full", onWarning: (message) => said.push(message) });
    for (let n = 0; n < 3; n++) {
      log.log_audit(warning(`event ${n}`));
    }
    expect(said).toEqual([expect.stringContaining("/dev/full cannot be written")]);
  });

  it("writes through no link, and waits for no reader of a pipe", async () => {
    const [link, pipe] = [join(folder, "link"), join(folder, "pipe")];
    await symlink(join(folder, "elsewhere"), link);
    execFileSync("mkfifo", [pipe]);
    const said: string[] = [];
    for (const path of [link, pipe])
      createAuditLog({ path, onWarning: (message) => said.push(message) }).log_audit(warning("x"));
    expect(said).toEqual([
      expect.stringContaining("link cannot be written"),
      expect.stringContaining("pipe cannot be written"),
    ]);
    await expect(stat(join(folder, "elsewhere"))).rejects.toThrow("ENOENT");
  });

  it("makes one warning of a path that cannot be written, and writes again once it can", async () => {
    const blocked = join(folder, "file");
    await writeFile(blocked, "");
    const path = join(blocked, "audit.jsonl");
    const said: string[] = [];
    const log = createAuditLog({
      path,
      onWarning: (message) => said.push(message),
    });
    log.log_audit(warning("lost"));
    log.log_audit(warning("lost too"));
    expect(said).toHaveLength(1);
    await rm(blocked);
    log.log_audit(warning("written"));
    expect(messages(await linesOf(path))).toEqual(["written"]);
  });

  it("keeps only the type of an event that is too long", async () => {
    const path = join(folder, "audit.jsonl");
    const log = createAuditLog({ path });
    log.log_audit(warning("x".repeat(3_000_000)));
    log.log_audit({
      type: "warning",
      message: Array.from({ length: 10 }).join("y"),
      at: "",
      run_id: "r",
      node: "n",
    });
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines.map((line) => line.includes('"truncated":true'))).toEqual([true, false]);
    expect(lines.every((line) => line.length <= 1024 * 1024)).toBe(true);
  });

  it("begins a new file at the limit, keeps the one before, and reads both", async () => {
    const path = join(folder, "audit.jsonl");
    const log = createAuditLog({ path, maxBytes: 600 });
    for (let n = 0; n < 7; n++) log.log_audit(warning(`event ${n} ${"x".repeat(200)}`));
    expect((await readdir(folder)).filter((name) => name.startsWith("audit"))).toEqual([
      "audit.jsonl",
      "audit.jsonl.old",
    ]);
    const read = messages(await linesOf(path)).map((message) => message.slice(0, 7));
    expect(read).toEqual(["event 4", "event 5", "event 6"]);
  });

  it("leaves a rotation to the process that does it, and takes it over from one that ended", async () => {
    const path = join(folder, "audit.jsonl");
    const log = createAuditLog({ path, maxBytes: 100 });
    await writeFile(`${path}.lock`, "");
    log.log_audit(warning("x".repeat(200)));
    log.log_audit(warning("second"));
    expect(await readdir(folder)).not.toContain("audit.jsonl.old");
    await utimes(`${path}.lock`, 0, 0);
    log.log_audit(warning("third"));
    log.log_audit(warning("fourth"));
    expect(messages(await linesOf(`${path}.old`)).slice(1)).toEqual(["second", "third", "fourth"]);
    expect(await readdir(folder)).not.toContain("audit.jsonl.lock");
  });

  it("says that its folder takes no lock, in place of growing without a word", async () => {
    const path = join(folder, "a".repeat(252));
    const said: string[] = [];
    const log = createAuditLog({ path, maxBytes: 100, onWarning: (message) => said.push(message) });
    log.log_audit(warning("x".repeat(200)));
    expect(said).toEqual([expect.stringContaining("ENAMETOOLONG")]);
  });

  it("writes to the file that the path names, also when the one before was moved away or deleted", async () => {
    const path = join(folder, "audit.jsonl");
    const said: string[] = [];
    const log = createAuditLog({ path, onWarning: (message) => said.push(message) });
    log.log_audit(warning("first"));
    await rename(path, join(folder, "taken-away"));
    log.log_audit(warning("second"));
    await rm(path);
    log.log_audit(warning("third"));
    log.log_audit(warning("fourth"));
    expect(await readFile(join(folder, "taken-away"), "utf8")).toContain("first");
    expect(messages(await linesOf(path))).toEqual(["third", "fourth"]);
    expect(said).toEqual([]);
  });

  it("keeps every line whole when several processes write at once, also across a rotation", async () => {
    const path = join(folder, "audit.jsonl");
    const script = join(folder, "writer.mts");
    const source = join(process.cwd(), "src/observability/audit-log.ts");
    await writeFile(
      script,
      `import { createAuditLog } from ${JSON.stringify(source)};
       const log = createAuditLog({ path: ${JSON.stringify(path)}, maxBytes: 700_000 });
       const me = process.argv[2];
       for (let n = 0; n < 300; n++) {
         log.log_audit({ type: "warning", message: me + ":" + n + ":" + "z".repeat(n * 7), at: "", run_id: me, node: "n" });
       }`,
    );
    const writers = ["a", "b", "c"].map(async (name) => {
      const writer = spawn(process.execPath, ["--import", "tsx", script, name], {
        stdio: ["ignore", "ignore", "pipe"],
        cwd: process.cwd(),
      });
      let said = "";
      writer.stderr.on("data", (text: Buffer) => (said += text.toString()));
      const code = await new Promise<number | null>((done) => writer.on("close", done));
      return { code, said };
    });
    expect(await Promise.all(writers)).toEqual(["a", "b", "c"].map(() => ({ code: 0, said: "" })));
    const events = await linesOf(path);
    for (const name of ["a", "b", "c"]) {
      const numbers = messages(events.filter(({ run_id }) => run_id === name)).map((message) =>
        Number(message.split(":")[1]),
      );
      expect([...numbers].sort((x, y) => x - y)).toEqual(Array.from({ length: 300 }, (_, n) => n));
    }
    expect((await stat(`${path}.old`)).size).toBeGreaterThan(700_000);
  });

  it("keeps only the type of an event that JSON cannot hold, and loses no other", async () => {
    const path = join(folder, "audit.jsonl");
    const said: string[] = [];
    const log = createAuditLog({ path, onWarning: (message) => said.push(message) });
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    log.log_audit({
      type: "planned",
      iteration: 0,
      calls: [{ tool: "t", args: cyclic }],
      at: "",
      run_id: "r",
      node: "plan",
    });
    log.log_audit(warning("after it"));
    expect(await readFile(path, "utf8")).toContain('"type":"planned"');
    expect(messages(await linesOf(path))).toEqual(["after it"]);
    expect(said).toEqual([]);
  });
});
