import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { link, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { viewOf } from "../../src/retrieval/view.js";
import { documentRoutes } from "../../src/server/documents.js";
import type { Filter } from "../../src/settings/filter.js";
import { sendProblem } from "../../src/server/http-problem.js";
import { Changes, removeLeftovers } from "../../src/server/uploads.js";
import { mayMount, mountDisk, unmountDisk } from "../support/small-disk.js";

let site: string;
let folder: string;
let routes: ReturnType<typeof documentRoutes>;

beforeEach(async () => {
  site = await mkdtemp(join(tmpdir(), "corrective-rag-documents-"));
  folder = join(site, "kb");
  const open = () => openSqliteKnowledgeBase({ directory: folder, embedder: undefined });
  const look = async (filter?: Filter) => viewOf(await open(), { filter });
  routes = documentRoutes({
    look,
    change: open,
    folder,
    maxBytes: 2_000,
  });
  routes.onError(sendProblem);
});
afterEach(() => rm(site, { recursive: true, force: true }));

const call = async (method: string, path: string, body?: string) => {
  const response = await routes.request(path, { method, ...(body !== undefined && { body }) });
  const json: unknown = await response.json();
  return { status: response.status, json };
};
const upload = (name: string, text: string) =>
  call("PUT", `/file?path=${encodeURIComponent(name)}`, text);
const stored = (name: string): string => join(folder, "uploads", name);

describe("uploads", () => {
  it("stores a file in a folder that only its owner can read, and ingests it", async () => {
    expect(await upload("notes/tea.md", "# Tea\n\nTea is poured at four.\n")).toEqual({
      status: 200,
      json: { path: "notes/tea.md", state: "added" },
    });
    expect(await readFile(stored("notes/tea.md"), "utf8")).toContain("poured at four");
    expect(statSync(stored("notes/tea.md")).mode & 0o077).toBe(0);
    expect(statSync(join(folder, "uploads")).mode & 0o077).toBe(0);
    expect((await call("GET", "/show?path=notes/tea.md")).json).toMatchObject({
      document: { path: "notes/tea.md", passages: 1, state: "current" },
      passages: [{ text: expect.stringContaining("poured at four") }],
    });
  });

  it("name a damaged knowledge base without its folder", async () => {
    await mkdir(folder);
    await writeFile(join(folder, "kb.sqlite"), "no database".repeat(200));
    const { status, json } = await call("GET", "");
    expect(status).toBe(503);
    expect(JSON.stringify(json)).toContain("the knowledge base kb.sqlite ");
    expect(JSON.stringify(json)).not.toContain(site);
  });

  it("fail with the reason, without paths of this machine, where nothing can be written", async () => {
    // As a read-only mount does, whoever asks.
    await mkdir(folder);
    await writeFile(join(folder, "uploads"), "");
    const { status, json } = await upload("a.md", "Tea.");
    expect({ status, json }).toMatchObject({ status: 200, json: { state: "failed" } });
    expect(JSON.stringify(json)).toMatch(/"reason":"[^"]*uploads/);
    expect(JSON.stringify(json)).not.toContain(site);
  });

  (mayMount ? it : it.skip)(
    "are refused before the disk is full, so that documents can be removed to make room",
    async () => {
      await mkdir(folder);
      mountDisk(folder, 36);
      try {
        expect((await upload("tea.md", "Tea is poured at four.")).status).toBe(200);
        await writeFile(join(folder, "filler"), Buffer.alloc(6_000_000));
        expect(await upload("cake.md", "Cake is cut at five.")).toMatchObject({
          status: 507,
          json: { error: expect.stringContaining("nearly full") },
        });
        expect((await call("DELETE", "/?path=tea.md")).json).toMatchObject({ removed: ["tea.md"] });
        await rm(join(folder, "filler"));
        expect((await upload("cake.md", "Cake is cut at five.")).status).toBe(200);
      } finally {
        unmountDisk(folder);
      }
    },
  );

  it("replaces an older version, and says when nothing changed", async () => {
    await upload("tea.md", "Tea is poured at four.");
    expect((await upload("tea.md", "Tea is poured at four.")).json).toMatchObject({
      state: "unchanged",
    });
    expect((await upload("tea.md", "Tea is poured at five.")).json).toMatchObject({
      state: "updated",
    });
  });

  it("says why a file cannot be read, keeps nothing of it, and keeps an older version", async () => {
    const failed = await upload("scan.pdf", "no pdf at all");
    expect(failed.json).toMatchObject({ state: "failed", reason: expect.stringMatching(/PDF/i) });
    expect(existsSync(stored("scan.pdf"))).toBe(false);
    await upload("tea.md", "Tea is poured at four.");
    expect((await upload("tea.md", "\0\0\0")).json).toMatchObject({ state: "failed" });
    expect(await readFile(stored("tea.md"), "utf8")).toBe("Tea is poured at four.");
  });

  it.each([
    ".env",
    "keys/server.pem",
    ".git/config",
    "node_modules/a/readme.md",
    "id_rsa",
    // They would open other people's documents, or close them.
    "folder.meta.yaml",
    "board/Folder.meta.YAML",
  ])("leaves %s out", async (name) => {
    expect((await upload(name, "SECRET=1")).json).toMatchObject({
      state: "left_out",
      reason: expect.any(String),
    });
    expect(existsSync(stored(name))).toBe(false);
  });

  it.each(["../out.md", "a/../../out.md", "/etc/out.md", "a//b.md", "a\\..\\b.md", "a/\0.md", "."])(
    "refuses the name %j",
    async (name) => {
      expect((await upload(name, "text")).status).toBe(400);
      expect(existsSync(join(folder, "out.md"))).toBe(false);
    },
  );

  it("never replaces a folder with a file", async () => {
    await upload("a/tea.md", "Tea is poured at four.");
    expect(await upload("a", "Tea is poured at five.")).toMatchObject({ status: 400 });
    expect(await readFile(stored("a/tea.md"), "utf8")).toBe("Tea is poured at four.");
    expect((await call("DELETE", "/?path=a/tea.md")).json).toMatchObject({ removed: ["a/tea.md"] });
  });

  it("does not follow a link out of its folder", async () => {
    await upload("tea.md", "Tea is poured at four.");
    await mkdir(join(site, "elsewhere"));
    await symlink(join(site, "elsewhere"), stored("door"));
    expect((await upload("door/out.md", "text")).status).toBe(400);
    expect(existsSync(join(site, "elsewhere", "out.md"))).toBe(false);
    await writeFile(join(site, "mine.md"), "Mine.");
    await link(join(site, "mine.md"), stored("mine.md"));
    await upload("mine.md", "Yours.");
    expect(await readFile(join(site, "mine.md"), "utf8")).toBe("Mine.");
  });

  it("removes what a killed server had half received, but nothing that is being received", async () => {
    await upload("tea.md", "Tea is poured at four.");
    const half = stored(`.${crypto.randomUUID()}`);
    await writeFile(half, "Tea is pou");
    await removeLeftovers(folder);
    expect(existsSync(half)).toBe(true);
    await removeLeftovers(folder, Date.now() + 7_200_000);
    expect(existsSync(half)).toBe(false);
    expect(existsSync(stored("tea.md"))).toBe(true);
  });

  it("accepts no more bytes than allowed, however they arrive", async () => {
    const { status, json } = await upload("long.txt", "word ".repeat(500));
    expect(status).toBe(413);
    expect(json).toMatchObject({ error: "the file is larger than 2000 bytes" });
    expect(existsSync(stored("long.txt"))).toBe(false);
  });
});

describe("changes", () => {
  it("of one client or one file wait for each other, other clients' do not", async () => {
    const changes = new Changes();
    const order: string[] = [];
    let finish = (): void => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const change = (client: string, name: string, work = Promise.resolve()) =>
      changes.inTurn({ client, name }, () => work.then(() => order.push(`${client} ${name}`)));
    const all = [change("anna", "slow.xlsx", slow), change("anna", "a.md")];
    await change("ben", "b.md");
    expect(order).toEqual(["ben b.md"]);
    all.push(change("cleo", "slow.xlsx"));
    all.push(changes.alone(async () => order.push("removal")));
    all.push(change("dora", "d.md"));
    finish();
    await Promise.all(all);
    expect(order.slice(1, 2)).toEqual(["anna slow.xlsx"]);
    expect(order.indexOf("removal")).toBeGreaterThan(order.indexOf("cleo slow.xlsx"));
    expect(order.indexOf("dora d.md")).toBeGreaterThan(order.indexOf("removal"));
  });
});

describe("the documents of a knowledge base", () => {
  it("are listed by name, filtered and in pages, without paths of this machine", async () => {
    for (const name of ["b.md", "a.md", "c/d.md"]) await upload(name, `This is ${name}.`);
    const { json } = await call("GET", "/?limit=2&offset=1");
    expect(json).toMatchObject({ total: 3, documents: [{ path: "b.md" }, { path: "c/d.md" }] });
    expect(JSON.stringify(json)).not.toContain(site);
    expect((await call("GET", "/?words=d.md")).json).toMatchObject({ total: 1 });
    expect((await call("GET", "/?limit=many")).status).toBe(400);
  });

  it("are narrowed by the language of filters, whose mistakes are named", async () => {
    await upload("a.md", "---\ndepartment: hr\n---\n\nThis is a.");
    await upload("b.txt", "This is b.");
    const listed = (filter: string) => call("GET", `/?filter=${encodeURIComponent(filter)}`);
    expect((await listed('department = "hr"')).json).toMatchObject({
      total: 1,
      documents: [{ path: "a.md" }],
    });
    expect((await listed('{"type":"eq","key":"kind","value":"text"}')).json).toMatchObject({
      documents: [{ path: "b.txt" }],
    });
    for (const [filter, error] of [
      ["a.md", /^the filter cannot be used/],
      ["team = hr", /no document has the key "team"/],
    ] as const)
      expect(await listed(filter)).toMatchObject({
        status: 400,
        json: { error: expect.stringMatching(error) },
      });
  });

  it.each([
    ["GET", "/", "offest"],
    ["GET", "/show?path=tea.md", "lines"],
    ["GET", "/file?path=tea.md", "x"],
    ["DELETE", "/?path=tea.md", "dry_run"],
  ])("are asked for by known parameters only: %s %s and %s", async (method, path, unknown) => {
    const asked = `${path}${path.includes("?") ? "&" : "?"}${unknown}=1`;
    expect(await call(method, asked)).toMatchObject({
      status: 400,
      json: { error: `this server knows no "${unknown}"` },
    });
  });

  it("that are long leave the server to others while they are sent", async () => {
    await upload("long.md", "Tea is poured at four.");
    const base = await openSqliteKnowledgeBase({ directory: folder });
    const [passage] = await base.passagesOf("long.md");
    const passages = Array.from({ length: 5_000 }, () => ({
      ...passage!,
      text: "\n".repeat(4_000),
    }));
    const look = async () => ({ ...base, passagesOf: async () => passages });
    const long = documentRoutes({ look, change: async () => base, folder, maxBytes: 2_000 });
    let turns = 0;
    let turn = setImmediate(function count() {
      turns += 1;
      turn = setImmediate(count);
    });
    const response = await long.request("/show?path=long.md");
    clearImmediate(turn);
    expect(turns).toBeGreaterThan(2);
    expect(await response.json()).toMatchObject({
      document: { path: "long.md", passages: 5_000 },
      passages,
    });
    await base.close();
  });

  it("are removed together with the uploaded copy", async () => {
    await upload("a.md", "This is a.");
    expect((await call("DELETE", "/?path=a.md&path=b.md")).json).toEqual({
      removed: ["a.md"],
      unknown: ["b.md"],
    });
    expect(existsSync(stored("a.md"))).toBe(false);
    expect((await call("GET", "/show?path=a.md")).status).toBe(404);
  });

  it("are removed by their own name, and never all at once by a slip", async () => {
    for (const name of ["*.md", "a.md", "c/d.md"]) await upload(name, `This is ${name}.`);
    const slips = [
      "..",
      ".",
      "/",
      "c/..",
      "**",
      "**/*",
      "?*",
      "{*,c/*}",
      "./**",
      "c/**",
      "[a-z]*.md/../*",
    ];
    for (const slip of slips)
      expect((await call("DELETE", `/?path=${encodeURIComponent(slip)}`)).json).toEqual({
        removed: [],
        unknown: [slip],
      });
    expect((await call("DELETE", "/?path=")).status).toBe(400);
    expect((await call("DELETE", "/?path=*.md")).json).toMatchObject({ removed: ["*.md"] });
    expect((await call("DELETE", "/?path=c")).json).toMatchObject({ removed: ["c/d.md"] });
    expect((await call("GET", "/")).json).toMatchObject({ documents: [{ path: "a.md" }] });
  });

  it("are not removed from the disk where a foreign knowledge base points out of the uploads", async () => {
    const victim = join(folder, "victim.md");
    await upload("a.md", "This is a.");
    await writeFile(victim, "Mine.");
    await mkdir(join(site, "elsewhere"));
    await writeFile(join(site, "elsewhere", "b.md"), "Mine.");
    await symlink(join(site, "elsewhere"), stored("door"));
    const forged = [
      join(folder, "uploads") + "/../victim.md",
      join(folder, "uploads") + "/a/../../victim.md",
      join(folder, "uploads", "door", "b.md"),
      victim,
      "uploads/../victim.md",
    ];
    const base = await openSqliteKnowledgeBase({ directory: folder, embedder: undefined });
    await base.put(
      forged.map((absolutePath, n) => ({
        record: {
          path: `forged-${n}.md`,
          absolutePath,
          kind: "markdown",
          title: "",
          hash: `${n}`,
          bytes: 1,
        },
        passages: [],
      })),
    );
    await base.close();
    for (const [n] of forged.entries())
      expect((await call("DELETE", `/?path=forged-${n}.md`)).json).toMatchObject({
        removed: [`forged-${n}.md`],
      });
    expect(await readFile(victim, "utf8")).toBe("Mine.");
    expect(await readFile(join(site, "elsewhere", "b.md"), "utf8")).toBe("Mine.");
  });

  it("show their file as it was ingested, and no other one that a foreign knowledge base names", async () => {
    await upload("a.md", "This is a.");
    const fileOf = (path: string) => routes.request(`/file?path=${path}`);
    expect(await (await fileOf("a.md")).text()).toBe("This is a.");
    await writeFile(join(site, "mine.md"), "Mine.");
    await writeFile(join(site, "id_rsa"), "Mine.");
    await symlink(join(site, "mine.md"), join(site, "link.md"));
    execFileSync("mkfifo", [join(site, "pipe.md")]);
    const forged: [string, number][] = [
      [join(site, "mine.md"), 4],
      [join(site, "mine.md"), 1_000],
      [join(site, "id_rsa"), 5],
      [join(site, "link.md"), 5],
      [join(site, "pipe.md"), 0],
      [site, 0],
      ["mine.md", 5],
    ];
    const base = await openSqliteKnowledgeBase({ directory: folder, embedder: undefined });
    await base.put(
      forged.map(([absolutePath, bytes], n) => ({
        record: {
          path: `f${n}.md`,
          absolutePath,
          kind: "markdown",
          title: "",
          hash: `${n}`,
          bytes,
        },
        passages: [],
      })),
    );
    await base.close();
    for (const [n] of forged.entries()) expect((await fileOf(`f${n}.md`)).status).toBe(404);
    await writeFile(stored("a.md"), "This is something else.");
    expect((await fileOf("a.md")).status).toBe(404);
  });

  it("that a client may not see are neither removed nor replaced by it", async () => {
    await upload("open.md", "This is open.");
    await upload("hidden.md", "---\nusers: [anna]\n---\n\nThis is hidden.\n");
    const open = () => openSqliteKnowledgeBase({ directory: folder, embedder: undefined });
    const bens = documentRoutes({
      look: async () => viewOf(await open(), { principal: { id: "ben" } }),
      change: open,
      folder,
      maxBytes: 2_000,
    });
    bens.onError(sendProblem);
    const sent = async (method: string, path: string, body?: string) =>
      (await bens.request(path, { method, ...(body && { body }) })).json();
    expect(await sent("DELETE", "/?path=hidden.md")).toEqual({
      removed: [],
      unknown: ["hidden.md"],
    });
    expect(await sent("PUT", "/file?path=hidden.md", "This is Ben's.")).toMatchObject({
      error: "the name hidden.md is taken",
    });
    expect(await readFile(stored("hidden.md"), "utf8")).toContain("This is hidden.");
    expect(await sent("GET", "/")).toMatchObject({ total: 1, documents: [{ path: "open.md" }] });
    expect(await sent("PUT", "/file?path=open.md", "This is Ben's.")).toMatchObject({
      state: "updated",
    });
  });
});
