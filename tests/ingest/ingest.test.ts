import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { UserError } from "../../src/support/errors.js";
import { ingest } from "../../src/ingest/ingest.js";
import type { IngestProgress } from "../../src/ingest/report.js";
import { KnownDocuments } from "../../src/ingest/documents.js";
import type { WritableKnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";

let root: string;
let docs: string;
let knowledgeBase: WritableKnowledgeBase;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "ingest-")));
  docs = path.join(root, "docs");
  await mkdir(docs);
  knowledgeBase = await openSqliteKnowledgeBase({ directory: path.join(root, "kb") });
});
afterEach(async () => {
  await knowledgeBase.close();
  await rm(root, { recursive: true, force: true });
});

const write = async (file: string, content: string | Uint8Array) => {
  await mkdir(path.dirname(path.join(docs, file)), { recursive: true });
  await writeFile(path.join(docs, file), content);
};
const run = (...targets: string[]) =>
  ingest({ targets: targets.length > 0 ? targets : ["docs"], knowledgeBase, cwd: root });
const stored = async () => (await knowledgeBase.documents()).map(({ path }) => path);

describe("ingesting a folder", () => {
  it("stores every document with its place, and reports what it did", async () => {
    await write("a.md", "# Title\n\n## Part\n\nHoney is made by bees.\n");
    await write("sub/b.txt", "Glass floats on tin.");
    const progress: IngestProgress[] = [];
    const report = await ingest({
      targets: ["docs"],
      knowledgeBase,
      cwd: root,
      onProgress: (at) => progress.push(at),
    });
    expect(report).toMatchObject({
      added: 2,
      updated: 0,
      unchanged: 0,
      removed: 0,
      failed: [],
      documents: 2,
      passages: 2,
    });
    const [hit] = await knowledgeBase.search("keyword", { query: "honey", limit: 1 });
    expect(hit?.passage).toMatchObject({
      path: "docs/a.md",
      title: "Title",
      heading: "Part",
      startLine: 5,
      endLine: 5,
      kind: "markdown",
    });
    expect((await knowledgeBase.documents())[0]?.absolutePath).toBe(path.join(docs, "a.md"));
    expect(progress.map(({ done, total }) => `${done}/${total}`)).toEqual(["0/2", "1/2", "2/2"]);
  });

  it("leaves what is unchanged alone, replaces what changed and removes what is gone", async () => {
    await write("same.md", "Stays as it is.");
    await write("changed.md", "Before it changed: walrus.");
    await write("gone.md", "Will be gone: narwhal.");
    await run();
    await write("changed.md", "After it changed: manatee.");
    await rm(path.join(docs, "gone.md"));
    expect(await run()).toMatchObject({
      added: 0,
      updated: 1,
      unchanged: 1,
      removed: 1,
      documents: 2,
      passages: 2,
    });
    for (const query of ["walrus", "narwhal"])
      expect(await knowledgeBase.search("keyword", { query, limit: 1 })).toEqual([]);
    const version = await knowledgeBase.version();
    expect(await run()).toMatchObject({ unchanged: 2, updated: 0 });
    expect(await knowledgeBase.version()).toBe(version);
  });

  it("removes only below the folders that were named", async () => {
    await write("one/a.md", "Alpha.");
    await write("two/b.md", "Beta.");
    await run();
    await rm(path.join(docs, "two", "b.md"));
    expect(await run("docs/one")).toMatchObject({ removed: 0 });
    expect(await run("docs/two")).toMatchObject({ removed: 1 });
    expect(await stored()).toEqual(["docs/one/a.md"]);
  });

  it("keeps stored documents from a folder that can no longer be read", () => {
    const record = (file: string) => ({
      path: file,
      absolutePath: `/docs/${file}`,
      hash: "1",
      kind: "text" as const,
      title: file,
      bytes: 1,
    });
    const known = new KnownDocuments([record("gone.md"), record("private/a.md")]);
    const walked = { folders: ["/docs"], unread: ["/docs/private"], files: new Set<string>() };
    expect(known.gone({ ...walked, loaders: [] })).toEqual(["gone.md"]);
  });

  it("reports a bad file and stores the others; keeps the stored version of a file that became unreadable", async () => {
    await write("good.md", "Good text.");
    await write("later-bad.json", `{"a": "once fine"}`);
    await write("binary.txt", Buffer.from([0, 1, 2, 3]));
    await write("bad.pdf", "%PDF-1.4 nothing");
    const first = await run();
    expect(first.added).toBe(2);
    expect(first.failed.map(({ path: file }) => file).sort()).toEqual([
      "docs/bad.pdf",
      "docs/binary.txt",
    ]);
    await write("later-bad.json", "{");
    expect((await run()).failed.map(({ path: file }) => file)).toContain("docs/later-bad.json");
    expect(await stored()).toEqual(["docs/good.md", "docs/later-bad.json"]);
  });

  it("leaves out files without text, which are no failure unless they were named", async () => {
    await write("once.md", "Some text.");
    await run();
    await write("once.md", "");
    await write("__init__.py", "\n");
    const report = await run();
    expect(report.skipped.map(({ path: file }) => path.basename(file)).sort()).toEqual([
      "__init__.py",
      "once.md",
    ]);
    expect(report).toMatchObject({ failed: [], removed: 1 });
    expect((await run("docs/__init__.py")).failed).toHaveLength(1);
  });

  it("keeps what was named below a folder that is left out of the walk", async () => {
    await write("node_modules/x/readme.md", "Some text.");
    await run("docs/node_modules/x");
    expect(await run()).toMatchObject({ removed: 0 });
    await rm(path.join(docs, "node_modules/x/readme.md"));
    expect(await run("docs/node_modules/x")).toMatchObject({ removed: 1 });
  });

  it("keeps uploads, which lie in the knowledge base's own folder", async () => {
    await write("a.md", "Alpha.");
    const uploads = path.join(root, "kb", "uploads");
    await mkdir(uploads);
    await writeFile(path.join(uploads, "sent.md"), "Sent over the network.");
    await ingest({ targets: ["sent.md"], knowledgeBase, cwd: uploads, roots: [uploads] });
    expect(await run(".")).toMatchObject({ added: 1, removed: 0, documents: 2 });
  });

  it("skips hidden files, dependencies and pictures", async () => {
    for (const file of [".env", ".git/config", "node_modules/x/readme.md", "image.png", "kept.md"])
      await write(file, "Some text.");
    expect(await run()).toMatchObject({ added: 1, failed: [] });
    expect(await stored()).toEqual(["docs/kept.md"]);
  });

  it("follows no links, and names them", async () => {
    await write("real/a.md", "Alpha.");
    await writeFile(path.join(root, "secret.md"), "Secret.");
    await symlink(path.join(docs, "real"), path.join(docs, "again"));
    await symlink(docs, path.join(docs, "real", "circle"));
    await symlink(path.join(root, "secret.md"), path.join(docs, "out.md"));
    await symlink(path.join(docs, "self"), path.join(docs, "self"));
    const report = await run();
    expect(report.added).toBe(1);
    expect(await stored()).toEqual(["docs/real/a.md"]);
    const names = ["again", "circle", "out.md", "self"];
    expect(report.skipped.map(({ path: file }) => path.basename(file)).sort()).toEqual(names);
    expect(new Set(report.skipped.map(({ reason }) => reason)).size).toBe(1);
    expect(await knowledgeBase.search("keyword", { query: "secret", limit: 1 })).toEqual([]);
  });

  it("keeps a document's path wherever the command is run, and files of the same name apart", async () => {
    await write("a.md", "Alpha.");
    await run();
    await ingest({ targets: ["."], knowledgeBase, cwd: docs });
    expect(await stored()).toEqual(["docs/a.md"]);
    const other = path.join(root, "other");
    await mkdir(path.join(other, "docs"), { recursive: true });
    await writeFile(path.join(other, "docs", "a.md"), "Another alpha.");
    await ingest({ targets: ["docs"], knowledgeBase, cwd: other });
    expect(await stored()).toEqual(["docs/a.md", "other/docs/a.md"]);
  });
});

describe("targets", () => {
  it("may be files, globs and folders, each file once", async () => {
    await write("a.md", "Alpha.");
    await write("b.txt", "Beta.");
    await write("sub/c.md", "Gamma.");
    await run("docs/**/*.md", "docs/a.md", "docs/sub");
    expect(await stored()).toEqual(["docs/a.md", "docs/sub/c.md"]);
  });

  it("report what was left out once, and only what a glob matches", async () => {
    for (const file of ["a.md", "b.png"]) await write(file, "Alpha.");
    expect((await run("docs/*.md")).skipped).toEqual([]);
    expect((await run("docs", "docs/*")).skipped).toHaveLength(1);
  });

  it("may be globs in a folder whose own name looks like one", async () => {
    await write("{old}/a.md", "Alpha.");
    await ingest({ targets: ["*.md"], knowledgeBase, cwd: path.join(docs, "{old}") });
    expect(await stored()).toEqual(["a.md"]);
  });

  it("that do not exist, match nothing or hold no documents are user errors, and store nothing", async () => {
    await write("a.md", "Alpha.");
    await mkdir(path.join(root, "empty"));
    for (const target of ["nowhere", "docs/*.pdf", "empty", ""])
      await expect(run("docs", target).then(() => run(target))).rejects.toThrow(UserError);
    await expect(run("nowhere", "docs")).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("nowhere"),
    });
    await expect(run("empty")).rejects.toMatchObject({ exitCode: 1 });
  });

  it("may be pages, fetched with the given function", async () => {
    const fetchPage = async (url: string) => ({
      url,
      title: "Page",
      text: "Basking sharks filter plankton.",
      date: "2024-05-01",
    });
    const report = await ingest({
      targets: ["https://example.org/sharks"],
      knowledgeBase,
      fetchPage,
    });
    expect(report).toMatchObject({ added: 1, failed: [] });
    expect(
      (await knowledgeBase.search("keyword", { query: "sharks", limit: 1 }))[0]?.passage,
    ).toMatchObject({
      path: "https://example.org/sharks",
      kind: "web",
      title: "Page",
      modifiedAt: "2024-05-01",
    });
    expect(
      (await ingest({ targets: ["https://example.org/other"], knowledgeBase })).failed,
    ).toHaveLength(1);
  });

  it("keep the headings and code of a page", async () => {
    const code = "```\nnpm ci\n\nnpm start\n```";
    const fetchPage = async (url: string) => ({
      url,
      title: "Guide",
      text: code,
      blocks: [{ text: code, headings: ["Install"], form: "code" as const }],
    });
    await ingest({ targets: ["https://example.org/guide"], knowledgeBase, fetchPage });
    expect(await knowledgeBase.passagesOf("https://example.org/guide")).toMatchObject([
      { text: code, heading: "Install", blocks: "c0" },
    ]);
  });

  it("leave the blocks of plain text open, which may be Markdown", async () => {
    const text = "# Install\n\nRun it.";
    const fetchPage = async (url: string) => ({ url, title: "Guide", text });
    await ingest({ targets: ["https://example.org/guide.md"], knowledgeBase, fetchPage });
    const [passage] = await knowledgeBase.passagesOf("https://example.org/guide.md");
    expect(passage).toMatchObject({ text });
    expect(passage?.blocks).toBeUndefined();
  });
});

describe("a failing store", () => {
  it("stops the run rather than blaming files, and keeps what was stored searchable", async () => {
    await write("a.md", "Alpha.");
    const embedder = {
      model: "m",
      embedDocuments: () => Promise.reject(new Error("connect ECONNREFUSED")),
      embedQuery: () => Promise.reject(new Error("x")),
    };
    const failing = await openSqliteKnowledgeBase({
      directory: path.join(root, "vectors"),
      embedder,
    });
    await expect(ingest({ targets: ["docs"], knowledgeBase: failing, cwd: root })).rejects.toThrow(
      "ECONNREFUSED",
    );
    expect(await failing.stats()).toMatchObject({ documents: 1 });
    await failing.close();
  });
});

describe("killing an ingestion", () => {
  it("leaves an index that opens, and that the next run completes without losses or duplicates", async () => {
    const files = 120;
    for (let index = 0; index < files; index++) {
      await write(
        `${index}.md`,
        Array.from(
          { length: 12 },
          (_, part) => `## Part ${part}\n\nDocument${index} part${part} speaks of walrus${index}.`,
        ).join("\n\n"),
      );
    }
    const directory = path.join(root, "killed");
    for (const killAt of [20, 90]) {
      await killedAt(killAt, directory);
      const survivor = await openSqliteKnowledgeBase({ directory });
      for (const { path: file } of await survivor.documents())
        expect(await survivor.passagesOf(file)).toHaveLength(12);
      await survivor.close();
    }
    const last = await openSqliteKnowledgeBase({ directory });
    const report = await ingest({ targets: [docs], knowledgeBase: last, cwd: docs });
    expect(report).toMatchObject({ documents: files, passages: files * 12, failed: [] });
    expect(report.added + report.unchanged).toBe(files);
    expect(report.unchanged).toBeGreaterThan(0);
    for (const index of [0, 60, 119])
      expect(await last.search("keyword", { query: `walrus${index}`, limit: 50 })).toHaveLength(12);
    await last.close();
  });

  function killedAt(done: number, directory: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const script = path.resolve("tests/ingest/killed-ingest.ts");
      const { NODE_OPTIONS: _, ...env } = process.env;
      const child = spawn(process.execPath, ["--import", "tsx", script, docs, directory], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      child.stdout.on("data", (chunk: Buffer) => {
        const last = Number(chunk.toString().trim().split("\n").at(-1));
        if (last >= done) child.kill("SIGKILL");
      });
      child.on("error", reject);
      child.on("exit", () => resolve());
    });
  }
});

describe("what must not be read", () => {
  const refused = async (...targets: string[]) =>
    ingest({ targets, knowledgeBase, cwd: root, roots: ["docs"] });

  it("leaves out secrets, installed packages and hidden files under any name", async () => {
    await write("a.md", "Honey.");
    for (const secret of [".env", ".git/config", "node_modules/x/a.md", "id_rsa", "tls.pem"])
      await write(secret, "Secret walrus.");
    await symlink(path.join(docs, ".env"), path.join(docs, "env.txt"));
    await symlink(path.join(docs, ".git"), path.join(docs, "repository"));
    await symlink(path.join(docs, "node_modules"), path.join(docs, "modules"));
    const { skipped } = await run();
    expect(await stored()).toEqual(["docs/a.md"]);
    expect(skipped.map((item) => path.basename(item.path)).sort()).toEqual(
      ["env.txt", "id_rsa", "modules", "repository", "tls.pem"].sort(),
    );
  });

  it("reads a secret that the user names, but not over the network", async () => {
    await write(".env", "TOKEN=walrus");
    await run("docs/.env");
    expect(await stored()).toEqual(["docs/.env"]);
    await expect(refused("docs/.env")).rejects.toThrow(/may hold secrets/);
  });

  it("stays inside the roots with links resolved, and does not reveal what exists outside", async () => {
    await write("a.md", "Honey.");
    await write("sub/b.md", "Glass.");
    await writeFile(path.join(root, "secret.txt"), "Secret walrus.");
    await symlink(path.join(root, "secret.txt"), path.join(docs, "out.txt"));
    await symlink(root, path.join(docs, "up"));
    const outside = ["secret.txt", "nothing-here.txt", "/", "/etc/**", ".", "docs/../secret.txt"];
    for (const target of [...outside, "docs/out.txt", "docs/up/secret.txt", "docs/up"])
      await expect(refused(target)).rejects.toThrow(/lies outside/);
    await expect(refused("docs/node_modules/a.md")).rejects.toThrow(/not ingested/);
    await refused("docs", "docs/sub", "docs/**/*.md");
    expect(await stored()).toEqual(["docs/a.md", "docs/sub/b.md"]);
  });
});
