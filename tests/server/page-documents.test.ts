/**
 * Key, documents and permissions on the page, in a real browser against a server that asks for a
 * key.
 */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { startSearchServer, type SearchServer } from "../support/search-servers.js";
import { faultsIn, hasBrowser, openBrowser, untilItFits, type OpenBrowser } from "./browser.js";
import { startServe, type Served } from "./dev-server.js";

let server: Served;
let search: SearchServer;
let browser: OpenBrowser;
let page: Page;

const question = (): Locator => page.getByRole("textbox", { name: "Your question" });
const documents = (): Locator => page.getByRole("dialog", { name: "Documents" });

async function ask(text: string): Promise<Locator> {
  await question().fill(text);
  // A window that closes late gives the focus back to its button.
  await question().press("Enter");
  return page.locator("article").last();
}

function file(name: string, text: string, mimeType = "text/markdown") {
  return { name, mimeType, buffer: Buffer.from(text) };
}

(hasBrowser ? describe : describe.skip)("the page of a server with a key", () => {
  beforeAll(async () => {
    search = await startSearchServer("searxng", {
      rows: [
        {
          title: "Harbor news",
          url: "https://news.example/harbor",
          text: "The harbor master of Wyre is called Tilda Brook.",
        },
      ],
    });
    server = await startServe(
      {},
      {
        CRAG_API_KEYS: "anna:key-of-anna",
        CRAG_READER: "trained",
        SEARXNG_URL: search.url,
        CRAG_WEB_SEARCH: "ask",
      },
    );
    browser = await openBrowser();
    page = browser.page;
    await page.goto(`${server.url}/app`);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await search?.close();
  });

  it("asks for the key, says if it is wrong, and continues with the right one", async () => {
    const dialog = page.getByRole("dialog", { name: "This server asks for a key" });
    const field = dialog.getByRole("textbox", { name: "Key" }).or(dialog.getByLabel("Key"));
    await field.first().fill("no such key");
    expect(await faultsIn(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").getByText("does not know this key").waitFor();
    await field.first().fill("key-of-anna");
    await dialog.getByRole("button", { name: "Continue" }).click();
    await page.getByText("its own documentation").waitFor();
    expect(await page.evaluate("Object.keys(localStorage).join() + document.cookie")).not.toContain(
      "key",
    );
    await page.reload();
    await page.getByText("its own documentation").waitFor();
    expect(await dialog.count()).toBe(0);
  });

  /** A window closes a moment after the key; what opens one before that would be closed with it. */
  const closeWindow = async (): Promise<void> => {
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
  };

  it("shows the demo's documents, which cannot be removed", async () => {
    await page.getByRole("button", { name: /^Documents/ }).click();
    await documents().getByText("the demo's documents").waitFor();
    expect(
      await documents()
        .getByRole("button", { name: /^Remove/ })
        .count(),
    ).toBe(0);
    expect(await faultsIn(page)).toEqual([]);
  });

  it("adds chosen files, and says which failed and why", async () => {
    await documents()
      .getByLabel("Choose files")
      .setInputFiles([
        file("canteen.md", "# Canteen\n\nThe canteen is run by Ada Wells.\n"),
        file("broken.pdf", "no pdf", "application/pdf"),
        file("logo.png", "x", "image/png"),
        file(".env", "SECRET=1", "text/plain"),
      ]);
    await documents().getByText("1 file added, 1 failed, 2 left out").waitFor();
    const problems = await documents().locator(".problems li").allTextContents();
    expect(problems.sort()).toEqual([
      ".envit may hold secrets",
      expect.stringMatching(/^broken\.pdf.*PDF/),
      expect.stringMatching(/^logo\.png.*no text/),
    ]);
    await documents().getByRole("button", { name: "Canteen canteen.md" }).waitFor();
    expect(await page.getByText("the demo's documents").count()).toBe(0);
  });

  it("adds a chosen folder without its hidden and installed files", async () => {
    const folder = join(server.folder, "handbook");
    const files = {
      "work.md": "Work starts at nine.",
      "more/leave.txt": "Leave is asked for by letter.",
      ".git/config": "secret",
      "node_modules/a/readme.md": "foreign",
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(folder, name, ".."), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    await documents().getByLabel("Choose a folder").setInputFiles(folder);
    await documents().getByText("2 files added").waitFor();
    await documents().getByText("handbook/more/leave.txt").waitFor();
    await documents().locator(".document").nth(2).waitFor();
    expect(await documents().locator(".document").count()).toBe(3);
  });

  it("adds files dropped anywhere on the page", async () => {
    await closeWindow();
    const dropped = await page.evaluateHandle(
      `const transfer = new DataTransfer();
       transfer.items.add(new File(["The gate closes at ten."], "gate.txt"));
       transfer`,
    );
    await page.dispatchEvent("body", "dragover", { dataTransfer: dropped });
    expect(await page.locator("body.dropping").count()).toBe(1);
    await page.dispatchEvent("body", "drop", { dataTransfer: dropped });
    await documents().getByText("1 file added").waitFor();
    await documents().getByRole("button", { name: "gate gate.txt" }).waitFor();
    expect(await page.locator("body.dropping").count()).toBe(0);
  });

  it("answers from the new documents, and opens them at the source", async () => {
    await closeWindow();
    const turn = await ask("Who runs the canteen?");
    await turn.getByText("Answered from 1 document").waitFor();
    expect(await turn.locator(".answer").textContent()).toContain("Ada Wells");
    await turn.getByRole("button", { name: "canteen.md:3" }).click();
    await page.getByRole("dialog", { name: "Canteen" }).getByText("Ada Wells").waitFor();
    await page.getByRole("button", { name: "All documents" }).click();
    await documents().waitFor();
  });

  it("finds documents by name, and says if there is none", async () => {
    await documents().getByRole("searchbox").fill("leave");
    await documents().getByText("1 document", { exact: true }).waitFor();
    await documents().getByRole("searchbox").fill("broken.pdf");
    await documents().getByText("No document is called that.").waitFor();
    await documents().getByRole("searchbox").fill("");
    await documents().locator(".document").nth(3).waitFor();
  });

  it.each(["light", "dark"] as const)("has no faults on a phone, %s", async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 700 });
    expect(await faultsIn(page)).toEqual([]);
    await untilItFits(page);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it("removes a document after a confirmation", async () => {
    await documents().getByRole("button", { name: "Remove canteen.md" }).click();
    await documents().getByRole("button", { name: "Remove", exact: true }).click();
    await documents().getByText("canteen.md").waitFor({ state: "detached" });
    expect(await documents().locator(".document").count()).toBe(3);
    await closeWindow();
  });

  it("asks before a web search, and sends the words that were allowed", async () => {
    const turn = await ask("Who is the harbor master of Wyre?");
    const permission = turn.getByRole("region", { name: "Permission" });
    await permission.waitFor();
    expect(await permission.textContent()).toContain("searxng");
    expect(search.requests).toEqual([]);
    expect(await faultsIn(page)).toEqual([]);
    await permission.getByRole("textbox").fill("harbor master Wyre");
    await permission.getByRole("button", { name: "Allow", exact: true }).click();
    await turn.getByRole("button", { name: /^Copy/ }).waitFor();
    expect(search.requests[0]?.url.searchParams.get("q")).toBe("harbor master Wyre");
    expect(await turn.locator(".answer").textContent()).toContain("Tilda Brook");
  });

  it("still asks after a reload, and sends nothing without permission", async () => {
    const sent = search.requests.length;
    const turn = await ask("Who built the lighthouse of Wyre?");
    await turn.getByRole("region", { name: "Permission" }).waitFor();
    await page.reload();
    const again = page.locator("article").last();
    await again.getByRole("button", { name: "Do not send" }).click();
    await again.getByRole("button", { name: /^Copy/ }).waitFor();
    expect(search.requests.length).toBe(sent);
  });

  it("logged no browser errors except for the key and the removed document", () => {
    const others = browser.complaints.filter((line) => !/401|404.*canteen\.md/.test(line));
    expect(others).toEqual([]);
  });
});

(hasBrowser ? it : it.skip)(
  "puts a file into the chosen one of several knowledge bases, and a folder into that of its name",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "bases-"));
    for (const name of ["hr", "it"])
      await (await openSqliteKnowledgeBase({ directory: join(folder, name) })).close();
    const several = await startServe(
      {},
      { CRAG_KNOWLEDGE_BASES: `hr=${join(folder, "hr")},it=${join(folder, "it")}` },
    );
    const { page, close } = await openBrowser();
    try {
      await page.goto(`${several.url}/app`);
      await page.getByRole("button", { name: /^Documents/ }).click();
      const panel = page.getByRole("dialog", { name: "Documents" });
      await panel.getByLabel("Into the knowledge base").selectOption("it");
      await panel
        .getByLabel("Choose files")
        .setInputFiles([file("vpn.md", "# VPN\n\nUse port 5.")]);
      await panel.getByRole("button", { name: "VPN it/vpn.md" }).waitFor();
      await mkdir(join(folder, "upload", "hr"), { recursive: true });
      await writeFile(join(folder, "upload", "hr", "leave.md"), "# Leave\n\nThere are 27 days.");
      await panel.getByLabel("Choose a folder").setInputFiles(join(folder, "upload", "hr"));
      await panel.getByRole("button", { name: "Leave hr/leave.md" }).waitFor();
      expect(await faultsIn(page)).toEqual([]);
    } finally {
      await close();
      await several.stop();
      await rm(folder, { recursive: true });
    }
  },
);
