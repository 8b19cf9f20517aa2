/** The page in a real browser. Without one (`apt-get install chromium`, or CHROMIUM_PATH) there is nothing to look with, and the tests are skipped. */
import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type BrowserContext, type Page } from "playwright-core";
import { startDevServer, type DevServer } from "./dev-server.js";
import { foundedIn, TOWN_FILES } from "./towns.js";

const BROWSER = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
const hasBrowser = existsSync(BROWSER);
if (!hasBrowser)
  console.warn(
    `the page's tests are skipped: there is no browser at ${BROWSER} (set CHROMIUM_PATH)`,
  );
const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(
    " ",
  );

const HOSTILE =
  'Nightfall was founded in 1666 by <img src=x onerror="window.broken=1"> <script>window.broken=1</script> settlers.';

let server: DevServer;
let profile: string;
let browser: BrowserContext;
let page: Page;
const complaints: string[] = [];
const requests: string[] = [];

(hasBrowser ? describe : describe.skip)("the page", () => {
  beforeAll(async () => {
    server = await startDevServer({ ...TOWN_FILES, "notes/nightfall.txt": `${HOSTILE}\n` });
    await new Client({ apiUrl: server.url }).runs.wait(null, "indexer", {
      input: { targets: ["notes"] },
    });
    profile = await mkdtemp(join(tmpdir(), "corrective-rag-browser-"));
    browser = await chromium.launchPersistentContext(profile, {
      executablePath: BROWSER,
      headless: true,
      args: FLAGS,
      viewport: { width: 1100, height: 900 },
    });
    page = browser.pages()[0] ?? (await browser.newPage());
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`${server.url}/app`);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    if (profile !== undefined) await rm(profile, { recursive: true, force: true });
  });

  const ask = async (question: string): Promise<ReturnType<Page["locator"]>> => {
    const before = await page.locator("article").count();
    await page.getByRole("textbox", { name: "Your question" }).fill(question);
    await page.keyboard.press("Enter");
    const turn = page.locator("article").nth(before);
    await turn.locator(".evidence").waitFor();
    return turn;
  };

  it("says what is searched, and has the field ready to be typed into", async () => {
    await page.getByText("11 documents").waitFor();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Ask your documents");
    expect(await page.evaluate("document.activeElement.id")).toBe("question");
  });

  it("answers with numbered sources, the quote marked in its passage, and tells a screen reader", async () => {
    const turn = await ask("When was Dunmore founded?");
    expect(await turn.getByRole("heading", { level: 2 }).textContent()).toBe(
      "When was Dunmore founded?",
    );
    expect(await turn.locator(".answer").textContent()).toContain(foundedIn("Dunmore"));
    expect(await turn.locator(".source .path").first().textContent()).toBe("notes/dunmore.md:3");
    expect(await turn.locator(".rounds > summary").textContent()).toMatch(
      /1 round.*Correct 0\.\d\d/,
    );
    expect(await page.evaluate("document.activeElement.id")).toBe("question");
    await turn.locator(".passage > summary").first().click();
    expect(await turn.locator("mark").first().textContent()).toContain(
      `Dunmore was founded in ${foundedIn("Dunmore")}.`,
    );
    expect(await page.getByRole("status").textContent()).toMatch(/^Answer: .*1803/);
  });

  it("shows each round with its score against the thresholds, and what was discarded", async () => {
    const turn = page.locator("article").first();
    await turn.locator(".rounds > summary").click();
    expect(
      await turn
        .getByRole("img", {
          name: /^Correct, score 0\.\d\d; incorrect below 0\.\d\d, correct from 0\.\d\d$/,
        })
        .count(),
    ).toBe(1);
    await turn.locator(".evidence > summary").click();
    expect(await turn.locator(".evidence-list li").count()).toBeGreaterThan(0);
    expect(await turn.locator(".facts").textContent()).toMatch(
      /embedded, no model.*0 model calls/s,
    );
  });

  it("leads from a citation to its source by keyboard", async () => {
    await page.locator("article").first().getByRole("button", { name: "Source 1" }).first().focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("turn-0-source-1");
  });

  it("shows the exact words and their place to whoever points at a number or reaches it by keyboard", async () => {
    const number = page
      .locator("article")
      .first()
      .getByRole("button", { name: "Source 1" })
      .first();
    const preview = page.locator("article").first().getByRole("tooltip").first();
    await page.mouse.move(0, 0);
    await page.getByRole("textbox").focus();
    expect(await preview.isVisible()).toBe(false);
    await number.hover();
    expect(await preview.textContent()).toMatch(
      /Dunmore was founded in \d+\..*notes\/dunmore\.md:3/,
    );
    expect(await preview.isVisible()).toBe(true);
    await page.mouse.move(0, 0);
    await page.keyboard.press("Shift+Tab");
    await number.focus();
    expect(await preview.isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await preview.isVisible()).toBe(false);
  });

  it("is led back to the question by a slash, and to the last one by the arrow", async () => {
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.id")).toBe("question");
    await page.keyboard.press("ArrowUp");
    expect(await page.getByRole("textbox").inputValue()).toBe("When was Dunmore founded?");
    await page.getByRole("textbox").fill("");
    expect(await page.title()).toBe("When was Dunmore founded? – Corrective RAG");
  });

  it("goes on with the conversation, under the settings that were chosen", async () => {
    await page.getByLabel("Profile").selectOption("signals");
    const turn = await ask("And Hartwell?");
    expect(await turn.locator(".answer").textContent()).toContain(foundedIn("Hartwell"));
    expect(await turn.locator(".understood").textContent()).toContain("When was Hartwell founded?");
    expect(await turn.locator(".facts").textContent()).toContain("signals");
    await page.getByLabel("Profile").selectOption("");
  });

  it("corrects as often as was chosen", async () => {
    await page.getByLabel("Corrections").selectOption("0");
    const turn = await ask("Which philosopher was born in Dunmore under a bridge?");
    expect(await turn.locator(".rounds > summary").textContent()).toMatch(/1 round/);
    await page.getByLabel("Corrections").selectOption("");
  });

  it("shows tables, code and each language in its own direction, and never wider than the page", async () => {
    const wide = "x".repeat(300);
    const answer = `Die Frist beträgt **14 Tage**. [1]\n\n| Land | Frist |\n|---|---|\n| \`A|B\` | 14 Tage | [1, 2]\n\n\`\`\`js\n${wide}\n\`\`\`\n\nمدة الإرجاع هي 14 يومًا.\n\n1. erstens\n2. zweitens`;
    const outcome = { type: "graph_outcome", status: "success", causes: [], answer, tookMs: 12 };
    await page.route("**/runs/stream", (route) =>
      route.fulfill({
        contentType: "text/event-stream",
        body: `event: custom\ndata: ${JSON.stringify(outcome)}\n\n`,
      }),
    );
    await page.route("**/state", (route) => route.fulfill({ json: { values: {} } }));
    const before = await page.locator("article").count();
    await page.getByRole("textbox").fill("ما هي المدة؟");
    await page.keyboard.press("Enter");
    const turn = page.locator("article").nth(before);
    await turn.getByRole("table").waitFor();
    expect(await turn.getByRole("cell").allTextContents()).toEqual(["A|B", "14 Tage12"]);
    expect(await turn.locator("ol li").allTextContents()).toEqual(["erstens", "zweitens"]);
    expect(await turn.locator(".answer p:dir(ltr)").allTextContents()).toEqual([
      "Die Frist beträgt 14 Tage.1",
    ]);
    expect(await turn.locator(".answer p:dir(rtl), h2:dir(rtl)").allTextContents()).toEqual([
      "ما هي المدة؟",
      "مدة الإرجاع هي 14 يومًا.",
    ]);
    for (const width of [390, 1100]) {
      await page.setViewportSize({ width, height: 900 });
      expect(
        await page.evaluate("document.documentElement.scrollWidth - window.innerWidth"),
      ).toBeLessThanOrEqual(0);
    }
    await page.unroute("**/runs/stream");
    await page.unroute("**/state");
  });

  it("says when there is no answer, and why", async () => {
    const turn = await ask("What is the weather in Paris today?");
    expect(await turn.locator(".outcome").textContent()).toMatch(
      /No answer.*no web search is configured/s,
    );
  });

  it("shows markup of a document as text", async () => {
    const turn = await ask("When was Nightfall founded?");
    expect(await turn.locator("blockquote").first().textContent()).toContain("<img src=x");
    expect(await turn.locator("img, script").count()).toBe(0);
    expect(await page.evaluate("'broken' in window")).toBe(false);
  });

  it("stops a question that takes too long, and takes the next", async () => {
    await page.route("**/runs/stream", () => new Promise(() => undefined));
    await page.getByRole("textbox").fill("When was Ashford founded?");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.", { exact: true }).waitFor();
    await page.unroute("**/runs/stream");
    expect(
      await (await ask("When was Ashford founded?")).locator(".answer").textContent(),
    ).toContain(foundedIn("Ashford"));
  });

  it("says what went wrong when the server is not there", async () => {
    await page.route("**/runs/stream", (route) => route.abort());
    await page.getByRole("textbox").fill("When was Ashford founded?");
    await page.keyboard.press("Enter");
    expect(await page.getByRole("alert").textContent()).toMatch(
      /could not be answered: the server does not answer/,
    );
    await page.unroute("**/runs/stream");
    const before = await page.locator("article").count();
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.locator("article").nth(before).locator(".evidence").waitFor();
    expect(await page.locator("article").last().locator(".answer").textContent()).toContain(
      foundedIn("Ashford"),
    );
    complaints.splice(
      0,
      complaints.length,
      ...complaints.filter((line) => !/ERR_FAILED/.test(line)),
    );
  });

  it.each([
    ["light", 1100],
    ["dark", 1100],
    ["light", 390],
    ["dark", 390],
  ] as const)(
    "has nothing that axe finds fault with, in %s colours and %i pixels wide",
    async (colorScheme, width) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await page.evaluate(
        "document.querySelectorAll('details').forEach((each) => (each.open = true))",
      );
      await page.evaluate(
        await readFile(
          createRequire(join(process.cwd(), "package.json")).resolve("axe-core/axe.min.js"),
          "utf8",
        ),
      );
      const found: string[] = await page.evaluate(
        "axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))",
      );
      expect(found).toEqual([]);
      expect(
        await page.evaluate("document.documentElement.scrollWidth - window.innerWidth"),
      ).toBeLessThanOrEqual(0);
    },
  );

  it("brings the conversation back after a reload, and begins a new one", async () => {
    await page.reload();
    await page.getByRole("heading", { name: "When was Dunmore founded?" }).waitFor();
    expect(await page.locator("article").last().locator(".source").count()).toBeGreaterThan(0);
    await page.getByRole("button", { name: "New conversation" }).click();
    expect(await page.locator("article").count()).toBe(0);
    expect(page.url()).not.toContain("thread");
  });

  it("asked nobody but its own server, and the browser had no complaints", () => {
    expect(
      requests.filter((url) => !url.startsWith(server.url) && !url.startsWith("data:")),
    ).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("serves its own files and nothing beside them", async () => {
    const status = async (path: string): Promise<number> =>
      (await fetch(`${server.url}${path}`)).status;
    expect(
      await Promise.all(["/app", "/app/", "/app/main.js", "/app/lib/preact.js"].map(status)),
    ).toEqual([200, 200, 200, 200]);
    expect(
      await Promise.all(
        [
          "/app/package.json",
          "/app/..%2fpackage.json",
          "/app/lib/..%2f..%2fpackage.json",
          "/app/lib/constructor",
        ].map(status),
      ),
    ).toEqual([404, 404, 404, 404]);
    const { headers } = await fetch(`${server.url}/app`);
    expect(headers.get("content-security-policy")).toMatch(
      /default-src 'none'.*frame-ancestors 'none'/,
    );
  });
});
