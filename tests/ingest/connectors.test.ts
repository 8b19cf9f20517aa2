import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openConnectors } from "../../src/ingest/connectors.js";
import { ingest } from "../../src/ingest/ingest.js";
import type { WritableKnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { requirePackages } from "../../src/support/packages.js";
import { createFetchPage } from "../../src/web/safe-fetch.js";

let directory: string;
let knowledgeBase: WritableKnowledgeBase;
let server: Server | undefined;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "connectors-"));
  knowledgeBase = await openSqliteKnowledgeBase({ directory });
});
afterEach(async () => {
  await knowledgeBase.close();
  server?.close();
  server = undefined;
  await rm(directory, { recursive: true, force: true });
});

/** Serves answers by path; returns its address. */
async function serve(answers: () => Record<string, string>): Promise<string> {
  server = createServer((request, response) => {
    const answer = answers()[request.url ?? ""];
    const type = request.url?.endsWith(".xml") === true ? "application/xml" : undefined;
    const isJson = answer?.startsWith("[") === true || answer?.startsWith("{") === true;
    response.statusCode = answer === undefined ? 404 : 200;
    response.setHeader("content-type", type ?? (isJson ? "application/json" : "text/html"));
    response.end(answer ?? "{}");
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const stored = async () => (await knowledgeBase.documents()).map((each) => each.path).sort();

describe("a document loader of LangChain", () => {
  const page = (id: string, text: string, more: Record<string, unknown> = {}) =>
    new Document({ pageContent: text, metadata: { id, title: `Page ${id}`, ...more } });
  const wiki = (...documents: Document[]) => ({ wiki: { load: async () => documents } });
  const run = (loaders: Parameters<typeof ingest>[0]["loaders"]) =>
    ingest({ targets: [], loaders, knowledgeBase });

  it("names a document without a title by the end of its address, as a web page is named", async () => {
    const at = (id: string) => new Document({ pageContent: "Hives are open.", metadata: { id } });
    const ids = ["https://example.org/guide/hive%20care/", "https://example.org/", "notes"];
    await run(wiki(...ids.map(at)));
    const titles = (await knowledgeBase.documents()).map(({ title }) => title);
    expect(titles.sort()).toEqual(["example.org", "hive care", "wiki/notes"]);
  });

  it("is refused where parts of one document are for different people", async () => {
    const parts = wiki(
      page("1", "All may know that hives are open."),
      page("1", "The bonus of the beekeeper is secret.", { groups: ["hr"] }),
      page("2", "Honey is ripe in summer."),
    );
    const { failed } = await run(parts);
    expect(failed).toMatchObject([
      { reason: expect.stringContaining("parts of 1 are for different people") },
    ]);
    expect(await stored()).toEqual([]);
  });

  it("tells what was stored, even if it cannot be closed", async () => {
    const close = async (): Promise<void> => {
      throw new Error("the line is dead");
    };
    const { wiki: loader } = wiki(page("1", "Wax melts."));
    expect(await run({ wiki: { ...loader, close } })).toMatchObject({ added: 1, failed: [] });
  });

  it("removes no file of the user's that names it in its own metadata", async () => {
    const file = path.join(directory, "bees.md");
    await writeFile(file, "---\nloader: wiki\n---\n\nBees dance.\n");
    await ingest({ targets: [file], knowledgeBase });
    const before = await stored();
    expect(await run(wiki(page("1", "Wax melts.")))).toMatchObject({ removed: 0 });
    expect(await stored()).toEqual([...before, "wiki/1"].sort());
  });

  it("fills the knowledge base, and its next run stores only what changed", async () => {
    const first = wiki(
      page("1", "# Hives\n\n## Care\n\nOpen them in spring.", { updated_at: "2024-05-01" }),
      page("2", "Honey is ripe in summer.", { team: "bees" }),
      page("3", "Wax melts."),
    );
    expect(await run(first)).toMatchObject({ added: 3, failed: [] });
    expect(await stored()).toEqual(["wiki/1", "wiki/2", "wiki/3"]);
    expect(await knowledgeBase.passagesOf("wiki/1")).toMatchObject([
      { title: "Page 1", heading: "Care", modifiedAt: "2024-05-01" },
    ]);
    const records = await knowledgeBase.documents();
    expect(records.find((each) => each.path === "wiki/2")?.metadata).toMatchObject({
      loader: "wiki",
      team: "bees",
    });
    const second = wiki(
      page("1", "# Hives\n\n## Care\n\nOpen them in spring.", { updated_at: "2024-05-01" }),
      page("2", "Honey is ripe in autumn.", { team: "bees" }),
    );
    expect(await run(second)).toMatchObject({ added: 0, updated: 1, unchanged: 1, removed: 1 });
    expect(await stored()).toEqual(["wiki/1", "wiki/2"]);
  });

  it("removes nothing when it fails, returns nothing, or is another one", async () => {
    await run(wiki(page("1", "Honey.")));
    const failing = { wiki: { load: () => Promise.reject(new Error("503 of the wiki")) } };
    expect((await run(failing)).failed).toEqual([{ path: "wiki", reason: "503 of the wiki" }]);
    expect((await run(wiki())).failed).toHaveLength(1);
    await run({ notes: { load: async () => [page("1", "Wax.")] } });
    expect(await run(wiki(page("1", "")))).toMatchObject({ removed: 0 });
    expect(await stored()).toEqual(["notes/1", "wiki/1"]);
  });

  it("keeps what belongs to one source together, and reads text by the ending of its source", async () => {
    await run({
      files: {
        load: async () => [
          new Document({
            pageContent: "One.",
            metadata: { source: "a.pdf", loc: { pageNumber: 1 } },
          }),
          new Document({
            pageContent: "Two.",
            metadata: { source: "a.pdf", loc: { pageNumber: 2 } },
          }),
          new Document({ pageContent: "Tent,Price\nRidge,5\n", metadata: { source: "b.csv" } }),
          new Document({ pageContent: "On the web.", metadata: { url: "https://example.org/c" } }),
        ],
      },
    });
    expect(await stored()).toEqual(["files/a.pdf", "files/b.csv", "https://example.org/c"]);
    const [both] = await knowledgeBase.passagesOf("files/a.pdf");
    expect(both?.text).toBe("One.\n\nTwo.");
    expect((await knowledgeBase.passagesOf("files/b.csv"))[0]?.text).toBe("Tent: Ridge; Price: 5");
  });
});

describe("a sitemap", () => {
  it("brings its pages with their headings, and removes those that it no longer lists", async () => {
    const site = (...pages: string[]) =>
      `<?xml version="1.0"?><urlset>${pages.map((each) => `<url><loc>${each}</loc></url>`).join("")}</urlset>`;
    let listed = ["/a", "/b"];
    const html = (name: string) =>
      `<main><h1>${name}</h1><h2>Part</h2><p>About ${name}.</p></main>`;
    const address: string = await serve(() => ({
      "/sitemap.xml": site(...listed.map((each) => address + each)),
      "/a": html("Hives"),
      "/b": html("Wax"),
    }));
    const { host } = new URL(address);
    const run = () =>
      ingest({
        targets: [`sitemap:${address}/sitemap.xml`],
        knowledgeBase,
        fetchPage: createFetchPage({ allowHosts: [host] }),
      });
    expect(await run()).toMatchObject({ added: 2, failed: [] });
    expect(await knowledgeBase.passagesOf(`${address}/a`)).toMatchObject([
      { text: "About Hives.", heading: expect.stringContaining("Part") },
    ]);
    expect(await run()).toMatchObject({ unchanged: 2 });
    listed = ["/a", "/gone"];
    const last = await run();
    expect(last).toMatchObject({ unchanged: 1, removed: 1 });
    expect(last.failed).toHaveLength(1);
    expect(await stored()).toEqual([`${address}/a`]);
  });

  it("brings what its pages say of themselves, which is no change and names no loader", async () => {
    let visits = 0;
    const address: string = await serve(() => ({
      "/sitemap.xml": `<urlset><url><loc>${address}/a</loc></url></urlset>`,
      "/a": `<html><head><meta name="author" content="Cleo"><meta name="csrf" content="${visits++}">
        <meta name="groups" content="hr"><meta name="loader" content="wiki"></head>
        <body><p>Hives are warm.</p></body></html>`,
    }));
    const target = `sitemap:${address}/sitemap.xml`;
    const run = (targets: string[]) =>
      ingest({
        targets,
        knowledgeBase,
        fetchPage: createFetchPage({ allowHosts: [new URL(address).host] }),
        metadata: { author: "nobody", team: "bees" },
      });
    expect(await run([`${address}/a`])).toMatchObject({ added: 1 });
    const metadataOf = async () => (await knowledgeBase.documents())[0]?.metadata;
    const stated = { author: "Cleo", team: "bees", csrf: expect.any(String) };
    expect(await metadataOf()).toEqual(stated);
    expect(await run([`${address}/a`])).toMatchObject({ unchanged: 1 });
    expect(await run([target])).toMatchObject({ updated: 1 });
    expect(await metadataOf()).toEqual({ ...stated, loader: target });
    expect((await knowledgeBase.passagesOf(`${address}/a`))[0]?.metadata).toEqual(
      await metadataOf(),
    );
  });

  it("that lists other sitemaps is refused, and nothing of it is stored", async () => {
    const index = "<sitemapindex><sitemap><loc>ADDRESS/one.xml</loc></sitemap></sitemapindex>";
    const address: string = await serve(() => ({
      "/sitemap.xml": index.replace("ADDRESS", address),
      "/one.xml": "<urlset></urlset>",
    }));
    const { failed } = await ingest({
      targets: [`sitemap:${address}/sitemap.xml`],
      knowledgeBase,
      fetchPage: createFetchPage({ allowHosts: [new URL(address).host] }),
    });
    expect(failed).toMatchObject([{ reason: expect.stringContaining("it lists sitemaps") }]);
    expect(await stored()).toEqual([]);
  });
});

describe("sources by name", () => {
  /** Ingests a target as the command line does. */
  const run = async (target: string, env: Record<string, string>) => {
    const { paths, loaders } = await openConnectors(["docs", target], env);
    expect(paths).toEqual(["docs"]);
    return ingest({ targets: [], loaders, knowledgeBase });
  };

  it("read a repository from GitHub's API, and what changed in it since", async () => {
    let files: Record<string, string> = {
      "docs/hives.md": "# Hives\n\nOpen them in spring.",
      "docs/old.md": "Old.",
      "prices.csv": "Tent,Price\nRidge,5\n",
    };
    const entry = (base: string, file: string) => ({
      name: path.posix.basename(file),
      path: file,
      type: "file",
      size: 9,
      url: `${base}/file/${file}`,
      download_url: `${base}/raw/${file}`,
    });
    const base: string = await serve(() => {
      const names = Object.keys(files);
      const inDocs = names.filter((file) => file.startsWith("docs/"));
      return {
        "/repos/bees/handbook/contents/?ref=v2": JSON.stringify([
          { name: "docs", path: "docs", type: "dir", size: 0 },
          ...names.filter((file) => !file.includes("/")).map((file) => entry(base, file)),
        ]),
        "/repos/bees/handbook/contents/docs?ref=v2": JSON.stringify(
          inDocs.map((file) => entry(base, file)),
        ),
        ...Object.fromEntries(names.map((file) => [`/raw/${file}`, files[file] ?? ""])),
      };
    });
    const target = "github:bees/handbook@v2";
    const env = { GITHUB_API_URL: base };
    expect(await run(target, env)).toMatchObject({ added: 3 });
    expect((await knowledgeBase.passagesOf(`${target}/prices.csv`))[0]?.text).toBe(
      "Tent: Ridge; Price: 5",
    );
    const { "docs/old.md": _, ...others } = files;
    files = { ...others, "docs/hives.md": "# Hives\n\nOpen them in May.", "docs/new.md": "New." };
    expect(await run(target, env)).toMatchObject({
      ...{ added: 1, updated: 1, unchanged: 1, removed: 1, failed: [] },
    });
    const names = ["docs/hives.md", "docs/new.md", "prices.csv"];
    expect(await stored()).toEqual(names.map((name) => `${target}/${name}`));
    expect((await knowledgeBase.passagesOf(`${target}/docs/hives.md`))[0]?.text).toContain("May");
  });

  it("read a space of Confluence, and what changed in it since; a failure removes nothing", async () => {
    const page = (id: string, text: string, version: number) => ({
      ...{ id, title: `Page ${id}`, status: "current", type: "page" },
      body: { storage: { value: `<h1>Care</h1><p>${text}</p>` } },
      version: { number: version, by: { displayName: "Ada" }, when: `2024-05-0${version}` },
    });
    let pages = [page("1", "Open hives in spring.", 1), page("2", "Old.", 1), page("3", "Wax.", 1)];
    let isDown = false;
    const base: string = await serve(() => {
      const address = (start: number) =>
        `/wiki/rest/api/content?spaceKey=BEES&limit=25&start=${start}&expand=body.storage,version`;
      const answer = (results: typeof pages) => JSON.stringify({ results, size: results.length });
      if (isDown) return {};
      return { [address(0)]: answer(pages), [address(pages.length)]: answer([]) };
    });
    const target = `confluence:${base}/wiki#BEES`;
    expect(await run(target, { CONFLUENCE_TOKEN: "t" })).toMatchObject({ added: 3 });
    pages = [page("1", "Open hives in May.", 2), page("3", "Wax.", 1), page("4", "New.", 1)];
    expect(await run(target, {})).toMatchObject({
      ...{ added: 1, updated: 1, unchanged: 1, removed: 1, failed: [] },
    });
    const paths = ["1", "3", "4"].map((id) => `${base}/wiki/spaces/BEES/pages/${id}`);
    expect(await stored()).toEqual(paths);
    expect(await knowledgeBase.passagesOf(paths[0] ?? "")).toMatchObject([
      { title: "Page 1", modifiedAt: "2024-05-02", text: expect.stringContaining("May") },
    ]);
    isDown = true;
    const { host } = new URL(base);
    // As `--watch` does, which opens a source once.
    const { loaders } = await openConnectors([target], {});
    const again = () => ingest({ targets: [], loaders, knowledgeBase });
    expect(await again()).toMatchObject({
      removed: 0,
      failed: [{ path: target, reason: `${host} answered 404` }],
    });
    isDown = false;
    expect(await again()).toMatchObject({ unchanged: 3, failed: [] });
  });

  it("read pages and databases of Notion, and what changed in them since; a failure removes nothing", async () => {
    const textOf = (plain_text: string) => [{ plain_text, annotations: {}, type: "text" }];
    const block = (type: string, text: string, id = type) => ({
      ...{ object: "block", id, type, has_children: false },
      [type]: { title: text, rich_text: textOf(text) },
    });
    const page = (id: string, title: string, more = {}) => ({
      ...{ object: "page", id, url: `https://www.notion.so/${id}`, parent: {} },
      last_edited_time: "2026-03-01T00:00:00.000Z",
      properties: { Name: { type: "title", title: textOf(title) }, ...more },
    });
    const tags = { type: "multi_select", multi_select: [{ name: "tent" }, { name: "light" }] };
    const ridge = page("ridge", "Ridge", { Price: { type: "number", number: 300 }, Tags: tags });
    let rows = [ridge];
    let days = "There are 27 days of leave.";
    let isDown = false;
    const list = (...results: object[]) => JSON.stringify({ object: "list", results });
    const base: string = await serve(() => ({
      "/v1/pages/root": JSON.stringify(page("root", "Handbook")),
      "/v1/blocks/root/children": list(
        block("paragraph", "Welcome."),
        block("child_page", "Leave", "leave"),
        block("child_database", "Gear", "gear"),
      ),
      "/v1/pages/leave": JSON.stringify(page("leave", "Leave")),
      "/v1/blocks/leave/children": list(block("heading_2", "Days"), block("paragraph", days)),
      "/v1/pages/ridge": JSON.stringify(ridge),
      "/v1/blocks/ridge/children": list(block("paragraph", "Weighs two kilos.")),
      ...(!isDown && { "/v1/databases/gear/query": list(...rows) }),
    }));
    const env = { NOTION_API_URL: base, NOTION_TOKEN: "secret" };
    expect(await run("notion:root", env)).toMatchObject({ added: 3, failed: [] });
    const paths = ["leave", "ridge", "root"].map((id) => `https://www.notion.so/${id}`);
    expect(await stored()).toEqual(paths);
    const [leave = "", tent = ""] = paths;
    const about = { Price: "300", Tags: ["tent", "light"], loader: "notion:root" };
    expect(await knowledgeBase.passagesOf(tent)).toMatchObject([
      { title: "Ridge", text: "Weighs two kilos.", metadata: about },
    ]);
    [rows, isDown] = [[], true];
    expect(await run("notion:root", env)).toMatchObject({
      removed: 0,
      failed: [{ reason: "Notion answered 404 for the pages of a database" }],
    });
    const nowhere = { ...env, NOTION_API_URL: "http://127.0.0.1:9" };
    expect(await run("notion:root", nowhere)).toMatchObject({
      removed: 0,
      failed: [{ reason: expect.stringMatching(/^Notion cannot be reached \(/u) }],
    });
    [days, isDown] = ["There are 30 days of leave.", false];
    expect(await run("notion:root", env)).toMatchObject({ updated: 1, removed: 1 });
    expect(await knowledgeBase.passagesOf(leave)).toMatchObject([
      { heading: "Days", text: days, modifiedAt: "2026-03-01T00:00:00.000Z" },
    ]);
  });

  it("say what they need, and leave paths with a colon alone", async () => {
    expect((await openConnectors(["C:\\docs", "notes:2024.md", "notions"])).paths).toHaveLength(3);
    await expect(openConnectors(["github:"])).rejects.toMatchObject({
      hint: expect.stringContaining("GITHUB_ACCESS_TOKEN"),
    });
    expect(() => requirePackages("notion", ["zod", "jest@1"])).toThrow(
      "notion needs jest@1: not installed",
    );
  });
});
