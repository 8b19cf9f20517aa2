import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, STACK_TRACE, type RunOptions } from "../support/run-command.js";
import { runHere } from "../support/run-here.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "commands-"));
  await mkdir(join(folder, "notes"));
  await writeFile(
    join(folder, "notes", "halden.md"),
    "# The Halden pump\n\nThe Halden pump was built in 1974 by Marta Lindqvist.\nIt moves 42 litres of water per second.\n\n## Cooling\n\nThe pump is cooled by glycol.\n",
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const run = (args: readonly string[], options: Partial<RunOptions> = {}) =>
  runHere(args, { cwd: folder, ...options });
/** In a process of its own, where that is the point. */
const runProcess = (args: readonly string[], options: Partial<RunOptions> = {}) =>
  runCommand(args, { cwd: folder, ...options });
/** Only what the encoder has read is quoted as an answer. */
const WITH_ENCODER = { env: { CRAG_READER: "trained" } };

describe("wrong usage", () => {
  it.each<[string, string[], RegExp]>([
    ["no question", ["ask"], /no question was given/],
    ["an empty question", ["ask", "  "], /no question was given/],
    [
      "an unknown option",
      ["ask", "x", "--profil", "adaptive"],
      /unknown option '--profil'.*--profile/,
    ],
    [
      "an unknown profile",
      ["ask", "x", "--profile", "nonsense"],
      /nonsense.*adaptive, signals, holistic, adequacy, three_action/,
    ],
    ["an unknown quality", ["ask", "x", "--quality", "best"], /best.*quick, balanced, thorough/],
    ["a web mode that is none", ["ask", "x", "--web", "maybe"], /maybe.*on, ask, off/],
    ["an unknown command", ["frobnicate"], /unknown command 'frobnicate'/],
    ["a knowledge base without a name", ["ask", "x", "--kb", ""], /It must name a folder/],
    ["a page that is none", ["documents", "list", "--page", "0"], /a whole number from 1/],
    ["documents without number", ["documents", "list", "--limit", ""], /a whole number from 1/],
    ["an empty path", ["ingest", ""], /one of the paths is empty/],
    ["nothing to ingest", ["ingest"], /missing required argument 'target'/],
    ["a missing path", ["ingest", "no/such/path"], /no\/such\/path/],
    ["a port that is none", ["dev", "--port", "high"], /high/],
  ])("is reported in one line, with exit code 2: %s", async (_name, args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.split("\n")[0]).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(2);
    expect(stderr).not.toMatch(STACK_TRACE);
  });

  it("names a malformed setting and how to fix it", async () => {
    const { code, stderr } = await run(["ask", "x"], { env: { CRAG_TOP_K: "many" } });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /error: CRAG_TOP_K=many is not a whole number from 1 to 100\n.*correct CRAG_TOP_K/,
    );
  });

  it("names a malformed line of .env", async () => {
    const cwd = await mkdtemp(join(folder, "dotenv-"));
    await writeFile(join(cwd, ".env"), "CRAG_BUDGET_SECONDS=soon\n");
    const { code, stderr } = await run(["ask", "x"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/CRAG_BUDGET_SECONDS=soon/);
  });

  it("reports a .env that it cannot read: PowerShell writes UTF-16", async () => {
    const cwd = await mkdtemp(join(folder, "dotenv-"));
    await writeFile(join(cwd, ".env"), Buffer.from("\uFEFFTOP_K=3\n", "utf16le"));
    const { code, stderr } = await run(["ask", "x"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/error: \.env is not UTF-8 text/);
    // A server that went on without it would need no key.
    await rm(join(cwd, ".env"));
    await symlink(".env", join(cwd, ".env"));
    expect((await run(["dev"], { cwd })).stderr).toMatch(/^error: \.env cannot be read: ELOOP/);
  });

  it("never prints the value of a key", async () => {
    const { stderr, stdout } = await run(["ask", "x", "--profile", "y"], {
      env: { OPENAI_API_KEY: "sk-secret-value-1234" },
    });
    expect(stdout + stderr).not.toContain("sk-secret");
    const refused = await run(["ask", "x"], { env: { QDRANT_URL: "ftp://user:hunter2@host" } });
    expect(refused.stderr).toContain("error: QDRANT_URL=ftp://[redacted]@host is not a URL");
  });

  it("prints errors as JSON with --json", async () => {
    const { code, stdout } = await runProcess(["ask", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      error: { message: "no question was given", hint: expect.any(String) },
    });
  });

  it("prints help and version on stdout and exits with 0", async () => {
    const help = await runProcess(["ask", "--help"]);
    expect(help.code).toBe(0);
    for (const flag of ["--kb", "--profile", "--quality", "--web", "--json", "--stream"])
      expect(help.stdout).toContain(flag);
    const version = await runProcess(["--version"]);
    expect(version).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: "",
    });
  });
});

describe("ingest and ask", () => {
  const kb = "kb";

  it("reads documents, skips unchanged ones, and reports as text or as one JSON document", async () => {
    const first = await runProcess(["ingest", "notes", "--kb", kb]);
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 file added"),
    });
    const again = await run(["ingest", "notes", "--kb", kb, "--json"]);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({
      added: 0,
      unchanged: 1,
      documents: 1,
      failed: [],
    });
  });

  it("names the commands if a filter of the list, perhaps a mistyped command, matches nothing", async () => {
    const { code, stderr } = await run(["documents", "lst", "--kb", kb]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/matches "lst"\s+the commands are list, show and remove/u);
  });

  it("names the known keys if a filter of the list holds another one", async () => {
    const filter = ["--filter", "departmnt = hr"];
    const { code, stderr } = await run(["documents", "list", ...filter, "--kb", kb]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/has the key "departmnt"[^]*known keys: path, kind, date/u);
  });

  it("leaves no empty knowledge base behind if there was nothing to read", async () => {
    const cwd = await mkdtemp(join(folder, "empty-"));
    await mkdir(join(cwd, "hollow"));
    expect((await run(["ingest", "nowhere"], { cwd })).code).toBe(2);
    expect((await run(["ingest", "hollow"], { cwd })).code).toBe(1);
    const removed = await run(["documents", "remove", "docs/web.md"], { cwd });
    expect(removed.code).toBe(1);
    expect(removed.stderr).toContain("you have no knowledge base to remove documents from");
    expect(existsSync(join(cwd, ".corrective-rag", "kb"))).toBe(false);
  });

  it("reports a file that cannot be read and stores the others", async () => {
    const cwd = await mkdtemp(join(folder, "mixed-"));
    await writeFile(join(cwd, "good.md"), "# Good\n\nThis can be read.\n");
    await writeFile(join(cwd, "bad.md"), Buffer.from([0, 255, 254, 0, 1, 2, 3, 0]));
    const { code, stdout, stderr } = await run(["ingest", ".", "--kb", "kb"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain("1 file added");
    expect(stdout).toContain("1 failed");
    expect(stderr).toContain("could not read bad.md");
  });

  it("answers with checked citations, progress on stderr, the answer and its sources on stdout", async () => {
    const args = ["ask", "Who built the Halden pump?", "--kb", kb, "--explain"];
    const { code, stdout, stderr } = await runProcess(args, WITH_ENCODER);
    expect(code).toBe(0);
    expect(stdout).toContain("Marta Lindqvist");
    expect(stdout).toMatch(/\[1\].*halden\.md:\d+/);
    expect(stderr).toMatch(/searching: /);
    expect(stderr).toMatch(/graded (?:CORRECT|AMBIGUOUS) \d\.\d\d/);
    expect(stdout + stderr).not.toContain("\u001b");
    expect(stderr).not.toMatch(STACK_TRACE);
  });

  it("prints exactly one JSON document of the agreed shape", async () => {
    const args = ["ask", "Who built the Halden pump?", "--kb", kb, "--json"];
    const { code, stdout } = await run(args, WITH_ENCODER);
    expect(code).toBe(0);
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      question: "Who built the Halden pump?",
      answer: expect.stringContaining("Lindqvist"),
      outcome: { status: "success" },
      details: { profile: "adaptive", reasoner: "embedded" },
      mode: "embedded",
    });
    expect(document.citations[0]).toMatchObject({
      marker: 1,
      evidence_id: expect.any(String),
      source: {
        kind: "file",
        path: expect.stringContaining("halden.md"),
        label: expect.stringMatching(/^\[SOURCE:.*halden\.md:L\d+\]$/),
      },
      quote: expect.stringContaining("Lindqvist"),
      status: "supported",
    });
  });

  it("takes the question from standard input, and words without quotes", async () => {
    const piped = await runProcess(["ask", "-", "--kb", kb, "--json"], {
      input: "Who built the Halden pump?\n",
    });
    expect(JSON.parse(piped.stdout).question).toBe("Who built the Halden pump?");
    const bare = await run(["ask", "Who", "built", "the", "Halden", "pump?", "--kb", kb, "--json"]);
    expect(JSON.parse(bare.stdout).question).toBe("Who built the Halden pump?");
  });

  it("passes profile, quality and web on to the run", async () => {
    const { stdout } = await run([
      "ask",
      "What cools the pump?",
      "--kb",
      kb,
      "--json",
      "--profile",
      "signals",
      "--quality",
      "quick",
      "--web",
      "off",
    ]);
    expect(JSON.parse(stdout).details).toMatchObject({
      profile: "signals",
      quality: "quick",
      max_iterations: 1,
      web_used: false,
    });
  });

  it("abstains and says why; an abstention is an answer, not a failure", async () => {
    const { code, stdout } = await run([
      "ask",
      "What is the weather in Paris today?",
      "--kb",
      kb,
      "--json",
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: { status: "abstained" }, citations: [] });
  });

  it.each(["no-such-kb", "a-file"])(
    "reports a missing knowledge base in one line: %s",
    async (name) => {
      const missing = join(folder, name);
      if (name === "a-file") await writeFile(missing, "no folder");
      const { code, stdout, stderr } = await run(["ask", "x", "--kb", missing]);
      expect(code).toBe(1);
      expect(stdout).toBe("");
      expect(stderr).toContain(`error: there is no knowledge base in ${missing}`);
      expect(stderr).not.toMatch(STACK_TRACE);
    },
  );

  it("reports a damaged index in one line, and does not touch it", async () => {
    const cwd = await mkdtemp(join(folder, "damaged-"));
    await mkdir(join(cwd, "kb"));
    const database = join(cwd, "kb", "kb.sqlite");
    const rubbish = "this is no database ".repeat(1000);
    await writeFile(database, rubbish);
    for (const args of [
      ["ask", "Who built the Halden pump?", "--kb", "kb"],
      ["ingest", join(folder, "notes"), "--kb", "kb"],
    ]) {
      const { code, stderr } = await run(args, { cwd });
      expect(code).toBe(1);
      expect(stderr).toMatch(/error: /);
      expect(stderr).not.toMatch(STACK_TRACE);
    }
    expect(await readFile(database, "utf8")).toBe(rubbish);
  });

  it("prints no colors into a pipe, and survives a reader that goes away", async () => {
    const { code, stderr } = await runProcess(
      ["ask", "Who built the Halden pump?", "--kb", kb, "--json"],
      {
        onStart: (child) => child.stdout?.destroy(),
      },
    );
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|at /);
  });

  it("stops at once if it is interrupted while waiting for a model", async () => {
    let asked = (): void => undefined;
    const waiting = new Promise<void>((begun) => (asked = begun));
    // A model endpoint that takes every request and never answers.
    const model = createHttpServer(() => asked());
    await new Promise<void>((listening) => model.listen(0, "127.0.0.1", listening));
    const address = model.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { code, stdout, tookMs } = await runProcess(
      ["ask", "Who built the Halden pump?", "--kb", kb],
      {
        env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "none" },
        onStart: (child) => void waiting.then(() => child.kill("SIGINT")),
      },
    );
    model.closeAllConnections();
    model.close();
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(tookMs).toBeLessThan(45_000);
  });

  it("continues without an audit log that cannot be written, and says so once", async () => {
    const { code, stdout, stderr } = await run(["ask", "Who built the Halden pump?", "--kb", kb], {
      env: { KB_AGENT_AUDIT_LOG_PATH: "/dev/full" },
    });
    expect(code).toBe(0);
    expect(stdout).toContain("Lindqvist");
    expect(stderr.match(/audit log/g)).toHaveLength(1);
  });
});

describe("the demo knowledge base", () => {
  it("is made of the package's docs, is announced, and stays apart from the user's own", async () => {
    const cwd = await mkdtemp(join(folder, "demo-"));
    // The first question of the README, by the reader that ships.
    const first = await run(["ask", "When does the agent search again instead of answering?"], {
      cwd,
      env: { CRAG_READER: "trained" },
    });
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(/demo/);
    expect(first.stdout).toMatch(/when the evidence is mixed or poor.*\s\[1\][^]*docs\//);
    expect(existsSync(join(cwd, ".corrective-rag", "kb"))).toBe(false);
    await run(["ingest", join(folder, "notes")], { cwd });
    const second = await run(["ask", "Who built the Halden pump?"], { cwd });
    expect(second.stdout).toContain("Lindqvist");
    expect(second.stderr).not.toMatch(/demo/);
    const third = await run(
      ["ask", "When does the agent search again instead of answering?", "--json"],
      { cwd },
    );
    expect(JSON.parse(third.stdout).citations).toEqual([]);
  });
});

describe("chat", () => {
  it("answers line by line, resolves follow-ups, and ends at /exit", async () => {
    const { code, stdout, stderr } = await run(["chat", "--kb", "kb"], {
      input:
        "/sources\n/profile\nWho built the Halden pump?\n\nAnd how is it cooled?\n" +
        "/new\n/exit\nnot asked\n",
    });
    expect(code).toBe(0);
    expect(stderr).toContain("there is no answer yet\nthere is no command /profile; ");
    expect(stdout).toContain("Lindqvist");
    expect(stderr).toContain("understood as: And how is it cooled? (Who built the Halden pump?)");
    expect(stderr).not.toMatch(STACK_TRACE);
  });

  it("ends with 130 when it is interrupted", async () => {
    const { code } = await runProcess(["chat", "--kb", "kb"], {
      input: "Who built the Halden pump?\n",
      keepStdinOpen: true,
      onStart: (child) => child.stdout?.on("data", () => child.kill("SIGINT")),
    });
    expect(code).toBe(130);
  });
});

describe("audit", () => {
  it("lists runs and tells one as a story", async () => {
    const cwd = await mkdtemp(join(folder, "audit-"));
    const env = { ...WITH_ENCODER.env, CRAG_AUDIT_RECORD_INPUTS: "on" };
    await run(["chat", "--kb", join(folder, "kb")], {
      cwd,
      env,
      input: "Who built the Halden pump?\nHow is it cooled?\n/exit\n",
    });
    const listed = await run(["audit", "list", "--json"], { cwd });
    const { runs } = JSON.parse(listed.stdout);
    expect(runs).toHaveLength(2);
    const story = await run(["audit", "show", runs[0].runId.slice(0, 8)], { cwd });
    expect(story.code).toBe(0);
    expect(story.stdout).toContain("asked: Who built the Halden pump?");
    expect(story.stdout).toMatch(/ended: success/);
    expect((await run(["audit", "show", "zzz"], { cwd })).code).toBe(1);
  });

  it("keeps document text out of the log by default", async () => {
    const cwd = await mkdtemp(join(folder, "audit-"));
    await run(["ask", "What is the weather in Paris today?", "--kb", join(folder, "kb")], { cwd });
    expect(await readFile(join(cwd, ".corrective-rag", "audit.jsonl"), "utf8")).not.toContain(
      "glycol",
    );
  });
});

it("opens a knowledge base in a folder that cannot be written", async () => {
  const readOnly = await mkdtemp(join(folder, "read-only-"));
  await run(["ingest", "notes", "--kb", join(readOnly, "kb")]);
  await chmod(join(readOnly, "kb"), 0o500);
  const { code, stdout } = await run([
    "ask",
    "Who built the Halden pump?",
    "--kb",
    join(readOnly, "kb"),
  ]);
  await chmod(join(readOnly, "kb"), 0o700);
  expect(code).toBe(0);
  expect(stdout).toContain("Lindqvist");
});

it("keeps what libraries log out of the JSON on stdout", async () => {
  const noisy = 'process.on("exit", () => console.log("noise"))';
  const { stdout, stderr } = await runProcess(["documents", "list", "--json"], {
    env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(noisy)}` },
  });
  expect(stdout === "" || JSON.parse(stdout)).toBeTruthy();
  expect(stdout).not.toContain("noise");
  expect(stderr).toContain("noise");
});
