import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  bareEnvironment,
  PROJECT,
  runCommand,
  STACK_TRACE,
  type RunOptions,
} from "../support/run-command.js";
import { runHere } from "../support/run-here.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bad-input-"));
  await mkdir(join(folder, "notes"));
  await writeFile(
    join(folder, "notes", "halden.md"),
    "# The Halden pump\n\nThe Halden pump was built in 1974 by Marta Lindqvist.\n",
  );
  await run(["ingest", "notes", "--kb", "kb"]);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const run = (args: readonly string[], options: Partial<RunOptions> = {}) =>
  runHere(args, { cwd: folder, ...options });
/** In a process of its own, where that is the point. */
const runProcess = (args: readonly string[], options: Partial<RunOptions> = {}) =>
  runCommand(args, { cwd: folder, ...options });

/** A server on a port of its own, and its address. */
async function serve(listener: RequestListener): Promise<{ server: Server; base: string }> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { server, base: `http://127.0.0.1:${address.port}` };
}

/** A shell line in which `$ASK` is our command line. */
function shell(line: string): Promise<{ code: number | null; stderr: string }> {
  return new Promise((done) => {
    const child = spawn("bash", ["-c", line], {
      cwd: folder,
      env: {
        ...bareEnvironment(),
        CRAG_READER: "lexical",
        ASK: `${process.execPath} ${join(PROJECT, "scripts", "run.js")}`,
      },
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("close", (code) => done({ code, stderr }));
  });
}

describe("settings with unknown values", () => {
  it.each([
    [
      "WEB_PROVIDERS",
      "tavily,gogle",
      /error: WEB_PROVIDERS=tavily,gogle is not a list of tavily, searxng/,
    ],
    ["RERANKER", "best", /error: RERANKER=best is not one of voyage, cohere, jina/],
    [
      "CRAG_CALIBRATION_FILE",
      "/no/such/file.json",
      /error: cannot read the calibration file \/no\/such\/file.json/,
    ],
  ])("are refused before the run starts: %s", async (name, value, message) => {
    const { code, stdout, stderr } = await run(["ask", "Who built the pump?", "--kb", "kb"], {
      env: { [name]: value },
    });
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(STACK_TRACE);
  });
});

it("says what is missing in a command, and how its options are seen", async () => {
  const { code, stderr } = await run(["documents", "remove"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^error: missing required argument 'path'\n {2}run it again with --help to see its options\n$/,
  );
});

describe("unusual questions", () => {
  it.each([
    ["operators of the full-text index", 'pump" OR NEAR(a b) * ^ NOT title:foo AND ((('],
    [
      "binary data",
      String.fromCharCode(...Array.from({ length: 500 }, (_, index) => (index * 73) % 256)),
    ],
    ["ten kilobytes", "who built the pump ".repeat(500)],
    ["another script", "من بنى المضخة؟"],
  ])("end in an answer, the closest passages or an abstention: %s", async (_name, input) => {
    const { code, stdout, stderr } = await run(["ask", "-", "--kb", "kb", "--json"], { input });
    expect(code).toBe(0);
    expect(["success", "closest_passages", "abstained"]).toContain(
      JSON.parse(stdout).outcome.status,
    );
    expect(stderr).not.toMatch(STACK_TRACE);
  });

  it("are refused in one line if they are too long: half a megabyte", async () => {
    const input = "who built the pump ".repeat(27_000);
    const { code, stdout } = await run(["ask", "-", "--kb", "kb"], { input });
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(
        /^.*longer than 16384 bytes\s\(CRAG_MAX_QUESTION_BYTES\).*\n$/s,
      ),
    });
    expect(stdout.length).toBeLessThan(300);
  });

  it("does not return the words of the question as the answer", async () => {
    const { stdout } = await run(["ask", "Wer hat die Pumpe gebaut?", "--kb", "kb", "--json"]);
    expect(JSON.parse(stdout).answer).not.toContain("hat gebaut");
  });
});

describe("problematic documents", () => {
  it("reads what it can, names the rest, and follows no circular links", async () => {
    const odd = join(folder, "odd");
    await mkdir(odd);
    await writeFile(join(odd, "windows.txt"), "line one\r\nline two\r\n");
    await writeFile(join(odd, "latin.txt"), Buffer.from("Stra\u00dfe in M\u00fcnchen", "latin1"));
    await writeFile(join(odd, "we ird\n[x]#é.md"), "An odd name.");
    await writeFile(join(odd, "one-line.txt"), "x".repeat(1_000_000));
    await writeFile(join(odd, "broken.json"), '{"a": [1,');
    await writeFile(join(odd, "noise.pdf"), Buffer.alloc(5_000, 7));
    await writeFile(join(odd, "noise.docx"), Buffer.alloc(5_000, 7));
    await writeFile(join(odd, "noise.epub"), Buffer.alloc(5_000, 7));
    await writeFile(join(odd, "empty.md"), "");
    await symlink(odd, join(odd, "loop"));
    await symlink("itself", join(odd, "itself"));
    const { code, stdout, stderr } = await run(["ingest", "odd", "--kb", "odd-kb", "--json"]);
    // What could not be read is a failure to whoever called, though the rest was stored.
    expect(code).toBe(1);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ added: 4, documents: 4 });
    expect(report.failed.map(({ path }: { path: string }) => path).sort()).toEqual(
      ["broken.json", "noise.docx", "noise.epub", "noise.pdf"].map((name) => `odd/${name}`),
    );
    const link = { reason: "a link is not followed" };
    expect(report.skipped).toMatchObject([link, link, { reason: "it holds no text" }]);
    // No passage of a megabyte.
    expect(report.passages).toBeGreaterThan(50);
    expect(stderr).not.toMatch(STACK_TRACE);
  });

  it("ignores the knowledge base's own folder among the documents", async () => {
    const site = join(folder, "site");
    await mkdir(site);
    await writeFile(join(site, "tea.md"), "Tea is poured at four.\n");
    await writeFile(join(site, "empty.md"), "");
    for (const kb of ["site/kb", "site"])
      for (const added of [1, 0]) {
        const { stdout } = await run(["ingest", "site", "--kb", kb, "--json"]);
        const skipped = [{ path: expect.stringContaining("empty.md") }];
        expect(JSON.parse(stdout)).toMatchObject({ added, documents: 1, skipped });
      }
  });

  it("reads a named page of this machine, but follows no redirect to another server on it", async () => {
    const reached: string[] = [];
    const hidden = await serve((_request, response) => {
      reached.push("hidden");
      response.end("secret");
    });
    const { server, base } = await serve((request, response) => {
      if (request.url === "/away") {
        response.writeHead(302, { location: hidden.base }).end();
        return;
      }
      response.setHeader("content-type", "text/html");
      response.end("<h1>Pumps</h1><p>The Ems pump was built in 1980 by Ole Holm.</p>");
    });
    try {
      const { code, stdout } = await run([
        "ingest",
        `${base}/pumps`,
        `${base}/away`,
        "--kb",
        "web-kb",
        "--json",
      ]);
      expect(code).toBe(1);
      const report = JSON.parse(stdout);
      expect(report).toMatchObject({ added: 1 });
      expect(report.failed).toEqual([
        { path: `${base}/away`, reason: expect.stringContaining("redirect is refused") },
      ]);
      expect(reached).toEqual([]);
    } finally {
      server.close();
      hidden.server.close();
    }
  });
});

describe("a difficult machine", () => {
  (existsSync("/dev/full") ? it : it.skip)(
    "reports output that cannot be written, and fails",
    async () => {
      const { code, stderr } = await shell('$ASK ask "Who built the pump?" --kb kb > /dev/full');
      expect(code).toBe(1);
      expect(stderr).toMatch(/error: the output could not be written \(ENOSPC/);
      expect(stderr).not.toMatch(STACK_TRACE);
    },
  );

  it("reports a missing working directory", async () => {
    const { code, stderr } = await shell("mkdir gone && cd gone && rmdir ../gone && $ASK ask x");
    expect(code).toBe(1);
    expect(stderr).toMatch(/error: the working directory no longer exists/);
    expect(stderr).not.toMatch(STACK_TRACE);
  });

  it("lets two processes fill one knowledge base without losing anything", async () => {
    await mkdir(join(folder, "more"));
    for (let index = 0; index < 20; index++)
      await writeFile(join(folder, "more", `${index}.md`), `# Note ${index}\n\nText ${index}.\n`);
    const both = await Promise.all([
      runProcess(["ingest", "more", "--kb", "shared"]),
      runProcess(["ingest", "notes", "--kb", "shared"]),
    ]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const { stdout } = await runProcess(["ingest", "notes", "more", "--kb", "shared", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ unchanged: 21, documents: 21, failed: [] });
  });
});

describe("a folder of somebody else's", () => {
  it("receives no key by its .env", async () => {
    const cwd = await mkdtemp(join(folder, "foreign-"));
    await writeFile(join(cwd, ".env"), "OPENAI_BASE_URL=https://evil.example/v1\n");
    const args = ["ask", "Why?", "--kb", join(folder, "kb")];
    const { code, stdout, stderr } = await run(args, {
      cwd,
      env: { OPENAI_API_KEY: "my-own-key" },
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("error: .env would send the OPENAI_API_KEY of your environment to ");
    expect(stderr).not.toContain("my-own-key");
  });

  it.each(["CRAG_MCP_CONFIG=mcp.json", "export CRAG_MCP_CONFIG='./mcp.json'"])(
    "starts no program by %s in its .env",
    async (line) => {
      const cwd = await mkdtemp(join(folder, "foreign-"));
      const command = `require("fs").writeFileSync("started", "")`;
      const mcpServers = { evil: { command: process.execPath, args: ["-e", command], cwd } };
      await writeFile(join(cwd, "mcp.json"), JSON.stringify({ mcpServers }));
      await writeFile(join(cwd, ".env"), `${line}\n`);
      const { code, stderr } = await run(["ask", "Why?", "--kb", join(folder, "kb")], { cwd });
      expect(code).toBe(2);
      expect(stderr).toContain("error: .env sets CRAG_MCP_CONFIG");
      expect(await readdir(cwd)).not.toContain("started");
    },
  );
});
