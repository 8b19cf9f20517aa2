/** Questions and conversations on the page, in a real browser against the real server. */
import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { faultsIn, hasBrowser, openBrowser, untilItFits, type OpenBrowser } from "./browser.js";
import { startServe, type Served } from "./dev-server.js";
import { joinBlocks } from "../../src/text/passage-blocks.js";
import { LabeledSetSchema } from "../../evals/recalibrate.js";
import { foundedIn, TOWN_FILES } from "./towns.js";

const HOSTILE =
  'Nightfall was founded in 1666 by <img src=x onerror="window.broken=1"> <script>window.broken=1</script> settlers.';

let server: Served;
let browser: OpenBrowser;
let page: Page;

const question = (): Locator => page.getByRole("textbox", { name: "Your question" });
const turns = (): Locator => page.locator("article");
const activeId = (): Promise<unknown> => page.evaluate("document.activeElement.id");
const threads = (): Promise<{ thread_id: string }[]> =>
  new Client({ apiUrl: server.url }).threads.search({ limit: 100 });

async function ask(text: string): Promise<Locator> {
  const before = await turns().count();
  await question().fill(text);
  await page.keyboard.press("Enter");
  const turn = turns().nth(before);
  await turn.getByRole("button", { name: "Copy as Markdown with sources" }).waitFor();
  return turn;
}

/** Asks, and lets the answer be this one, as if the agent had given it. */
async function askFor(text: string, values: Record<string, unknown>): Promise<Locator> {
  const { answer, outcome = { status: "success", causes: [] } } = values;
  const event = { type: "graph_outcome", ...Object(outcome), answer, took_ms: 12 };
  await page.route("**/runs/stream", (route) =>
    route.fulfill({
      contentType: "text/event-stream",
      body: `event: custom\ndata: ${JSON.stringify(event)}\n\n`,
    }),
  );
  const complete = { citations: [], sources: [], details: null, warnings: [], outcome, ...values };
  await page.route("**/state", (route) => route.fulfill({ json: { values: complete } }));
  try {
    return await ask(text);
  } finally {
    await page.unroute("**/runs/stream");
    await page.unroute("**/state");
  }
}

(hasBrowser ? describe : describe.skip)("the page", () => {
  beforeAll(async () => {
    server = await startServe(
      { ...TOWN_FILES, "notes/nightfall.txt": `${HOSTILE}\n` },
      { CRAG_READER: "trained" },
    );
    browser = await openBrowser();
    page = browser.page;
    await page.goto(`${server.url}/app`);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("shows its heading and the place of its field before a script has come", async () => {
    const early = await browser.context.newPage();
    await early.route(/\.js$/, () => undefined); // On the way for ever.
    await early.goto(`${server.url}/app`, { waitUntil: "commit" });
    await early.getByRole("heading", { name: "Ask your documents" }).waitFor();
    await early.locator(".composer").waitFor();
    await early.close();
  });

  describe("an answer", () => {
    it("starts at the focused question field, which says what is searched", async () => {
      await page.getByText("11 documents").waitFor();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(
        "Ask your documents",
      );
      expect(await activeId()).toBe("question");
    });

    it("comes first, then one line says where it was found, and screen readers announce it", async () => {
      const turn = await ask("When was Dunmore founded?");
      expect(await turn.getByRole("heading", { level: 2 }).textContent()).toBe(
        "When was Dunmore founded?",
      );
      expect(await turn.locator(".answer").textContent()).toContain(foundedIn("Dunmore"));
      expect(await turn.locator(".status").textContent()).toMatch(/^Answered from 1 document/);
      expect(await page.locator("#app > [role=status]").textContent()).toMatch(/^Answer: .*1803/);
      expect(await activeId()).toBe("question");
      expect(await page.title()).toBe("When was Dunmore founded? – Corrective RAG");
    });

    it("has its sources beside it, the quote marked in its passage", async () => {
      const turn = turns().first();
      const source = turn.getByRole("complementary", { name: "Sources" }).getByRole("listitem");
      await source.getByText("The mayor of Dunmore").waitFor();
      expect(await source.locator("mark").first().textContent()).toContain(
        "Dunmore was founded in 1803.",
      );
      const [answer, sources] = await Promise.all([
        turn.locator(".answer").boundingBox(),
        turn.locator(".sources").boundingBox(),
      ]);
      expect(sources?.x).toBeGreaterThan((answer?.x ?? 0) + (answer?.width ?? 0));
    });

    it("opens the document at the source", async () => {
      await turns().first().getByRole("button", { name: "notes/dunmore.md:3" }).click();
      const dialog = page.getByRole("dialog", { name: "Dunmore" });
      await dialog.locator("mark").waitFor();
      expect(await dialog.locator("[aria-current]").textContent()).toContain("founded in 1803");
      expect(await dialog.locator("mark").textContent()).toBe("Dunmore was founded in 1803.");
      const href = await dialog.getByRole("link", { name: "Open the file" }).getAttribute("href");
      const file = await fetch(`${server.url}${href}`);
      expect(file.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(await file.text()).toBe(TOWN_FILES["notes/dunmore.md"]);
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
      expect(await dialog.count()).toBe(0);
    });

    it("leads from a citation to its source by keyboard, and back", async () => {
      const turn = turns().first();
      const citation = turn.getByRole("button", { name: "Source 1", exact: true }).first();
      await citation.focus();
      await page.keyboard.press("Enter");
      expect(await activeId()).toBe("turn-0-source-1");
      await turn.getByRole("button", { name: "Source 1, back to the answer" }).click();
      expect(await citation.evaluate((element) => element.matches(":focus"))).toBe(true);
    });

    it("is copied as Markdown with its sources", async () => {
      await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await turns()
        .first()
        .getByRole("button", { name: /^Copy as Markdown/ })
        .click();
      await turns().first().getByText("Copied").waitFor();
      const copied = await page.evaluate("navigator.clipboard.readText()");
      expect(copied).toMatch(/^## When was Dunmore founded\?\n\n.*1803.*\[1\]/);
      expect(copied).toMatch(
        /### Sources\n\n- \[1\] Dunmore, `notes\/dunmore\.md:3`\n {2}> Dunmore was founded in 1803\./,
      );
    });

    it("shows its rounds in one line each until opened", async () => {
      const turn = turns().first();
      expect(await turn.locator(".round").first().isVisible()).toBe(false);
      await turn.getByText("How it was found").click();
      const round = turn.locator(".round > summary").first();
      expect((await round.boundingBox())?.height).toBeLessThan(40);
      expect(await round.textContent()).toMatch(/founded.*found, (?:good|mixed) evidence/);
      expect(await turn.getByRole("img").isVisible()).toBe(false);
      await round.click();
      expect(await turn.locator(".call b").first().textContent()).toMatch(
        /^(?:Hybrid|Keyword) search$/,
      );
      expect(
        await turn
          .getByRole("img", {
            name: /^(?:good|mixed) evidence, score 0\.\d\d; poor below .*, good from/,
          })
          .isVisible(),
      ).toBe(true);
      expect(await turn.locator(".evidence-list").first().textContent()).toMatch(
        /Dunmore\s+notes\/dunmore\.md/,
      );
      expect(await turn.locator(".facts").textContent()).toMatch(
        /embedded, no model.*0 model calls/s,
      );
    });

    it("offers further questions from the headings of relevant passages, and asks one", async () => {
      const passage = (score: number, heading: string) => {
        const source = { kind: "file", path: `notes/${heading}.md`, heading: `Lake > ${heading}` };
        return { id: heading, title: "Lake", source, score };
      };
      const turn = await askFor("How deep is the lake?", {
        answer: "It is deep.",
        details: {
          mode: "search",
          rounds: [],
          kept: [passage(0.9, "Boats"), passage(0.2, "Opening times"), passage(0.6, "Fish")],
          discarded: [passage(0.1, "Trains")],
          usage: { model_calls: 0, input_tokens: 0, output_tokens: 0, web_searches: 0 },
          took_ms: 5,
        },
      });
      const offered = turn.getByRole("region", { name: "Read on" }).getByRole("button");
      expect((await offered.allTextContents()).map((text) => text.trim())).toEqual([
        "Boats",
        "Fish",
      ]);
      await offered.first().click();
      await page
        .getByRole("heading", { name: "What do the documents say about “Boats”?" })
        .waitFor();
      await page.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    });

    it("marks sentences that its sources support only in part, with a word as well", async () => {
      const turn = await askFor("What of tea and the cook?", {
        sources: [{ marker: 1, title: "Tea", source: { kind: "file", path: "notes/tea.md" } }],
        citations: [
          { marker: 1, quote: "tea", status: "uncertain", problems: ["the words are not there"] },
          { marker: 1, quote: "a cook", status: "uncertain" },
          { marker: 1, quote: "Ada", status: "supported" },
        ],
        answer:
          "**Tea** is poured at four. [1] The *cook* is called Ada [1] and is old.\n\n- [x] done",
        details: {
          mode: "search",
          rounds: [],
          kept: [],
          discarded: [],
          withdrawn: [],
          marked: ["The cook is called Ada and is old.", "[x] done"],
          usage: { model_calls: 1, input_tokens: 1, output_tokens: 1, web_searches: 0 },
          took_ms: 5,
        },
      });
      expect((await turn.locator(".uncertain").allTextContents()).join("")).toBe(
        "The cook is called Ada and is old.done",
      );
      expect(await turn.locator(".answer").textContent()).toMatch(
        /is old\. \(uncertain\)\s*☑ done \(uncertain\)\s*$/,
      );
      expect(await turn.locator(".doubt").allTextContents()).toEqual([
        "uncertain: the words are not there",
      ]);
      expect(await turn.locator(".status").textContent()).toBe(
        "Answered from 1 document; 2 sentences are uncertain (marked)",
      );
      expect(await turn.locator(".status").getAttribute("class")).toContain("limited");
    });

    it("shows tables, code and each language in its own direction, within the width of the page", async () => {
      const wide = "x".repeat(300);
      const turn = await askFor("ما هي المدة؟", {
        answer: `Die Frist beträgt **14 Tage**. [1]\n\n| Land | Frist |\n|---|---|\n| \`A|B\` | 14 Tage | [1, 2]\n\n\`\`\`js\n${wide}\n\`\`\`\n\nمدة الإرجاع هي 14 يومًا.\n\n1. erstens\n2. zweitens`,
      });
      expect(await turn.getByRole("cell").allTextContents()).toEqual(["A|B", "14 Tage12"]);
      expect(await turn.locator(".answer ol li").allTextContents()).toEqual([
        "erstens",
        "zweitens",
      ]);
      expect(await turn.locator(".answer p:dir(ltr)").allTextContents()).toEqual([
        "Die Frist beträgt 14 Tage.1",
      ]);
      expect(await turn.locator(".answer p:dir(rtl), h2:dir(rtl)").allTextContents()).toEqual([
        "ما هي المدة؟",
        "مدة الإرجاع هي 14 يومًا.",
      ]);
      for (const width of [320, 390, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await untilItFits(page);
      }
    });

    it("shows a source as text, not as markup", async () => {
      const text = "Run `ls | wc`.\n\n| Land | Days |\n|---|---|\n| Peru | 14 |\n| Chile | 20 |\n";
      const at = text.indexOf("| Peru");
      const quote = "| Peru | 14 |";
      const source = { kind: "file", path: "days.md", start_line: 5 };
      const place = { marker: 1, evidence_id: "days", title: "Days", source };
      await page.route("**/documents/passage?*", (route) =>
        route.fulfill({ json: { text, kind: "markdown" } }),
      );
      const turn = await askFor("How many days in Peru?", {
        answer: "14 days. [1]",
        sources: [place],
        citations: [{ ...place, quote, start: at, end: at + quote.length }],
      });
      await turn.locator("mark").first().waitFor();
      expect(await turn.locator(".passage-text code").textContent()).toBe("ls | wc");
      expect(await turn.locator("mark").allTextContents()).toEqual(["Peru", "14"]);
      expect(await turn.getByRole("cell").allTextContents()).toEqual(["Peru", "14", "Chile", "20"]);
      await page.unroute("**/documents/passage?*");
    });

    it.each([
      ["pdf", "fees.pdf"],
      ["image", "fees.png"],
    ])(
      "shows the items and rows of a page (%s) block by block, as no markup",
      async (kind, path) => {
        const blocks = [
          "Bring what the\nrules name:",
          "• a tent",
          "• a stove, which\nis *no* toy",
          "Fee: 5; Day: 1",
          "Fee: 9; Day: 2",
        ];
        const passage = joinBlocks(
          blocks.map((text, at) => ({
            text,
            form: (["paragraph", "item", "item"] as const)[at] ?? "row",
          })),
        );
        const quote = "Fee: 9; Day: 2";
        const start = passage.text.indexOf(quote);
        const source = { kind: "file", path, page: 2 };
        const place = { marker: 1, evidence_id: path, title: "Fees", source };
        await page.route("**/documents/passage?*", (route) =>
          route.fulfill({ json: { ...passage, kind } }),
        );
        const turn = await askFor("What is the fee of day 2?", {
          answer: "9. [1]",
          sources: [place],
          citations: [{ ...place, quote, start, end: start + quote.length }],
        });
        // Until the passage is there, its quotation stands alone.
        await turn
          .locator(".passage-text p")
          .nth(blocks.length - 1)
          .waitFor();
        expect(await turn.locator(".passage-text p").allTextContents()).toEqual(
          blocks.map((text) => text.replace("\n", " ")),
        );
        expect(await turn.locator("mark").allTextContents()).toEqual([quote]);
        await page.unroute("**/documents/passage?*");
      },
    );

    it("shows steps with code between, nested lists and formulas as they were meant", async () => {
      const answer =
        "## Steps\n\n1. Open:\n\n   ```ts\n   go();\n   ```\n\n2. Call\n   - nested\n\n- [x] done\n\n$$a_1*b*c$$ for $5.";
      const turn = await askFor("How are formulas written?", { answer });
      expect(await turn.getByRole("heading", { name: "Steps" }).count()).toBe(1);
      expect(await turn.locator(".answer > ol > li").count()).toBe(2);
      expect(await turn.locator(".answer > ol > li ul").textContent()).toContain("nested");
      expect(await turn.getByText("☑ done").count()).toBe(1);
      expect(await turn.locator(".answer > p").textContent()).toBe("$$a_1*b*c$$ for $5.");
      await turn.getByRole("button", { name: "Copy this code" }).click();
      await turn.getByText("Copied").waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe("go();\n");
    });

    it("takes a verdict, which is kept as a label for calibration", async () => {
      const turn = await ask("When was Ashford founded?");
      const verdict = turn.getByRole("group", { name: "Does this answer help?" });
      await verdict.getByRole("button", { name: "Helps", exact: true }).click();
      const passage = turn
        .locator(".source")
        .getByRole("group", { name: "Does this passage help?" });
      const saved = page.waitForResponse((response) => response.url().endsWith("/feedback"));
      await passage.first().getByRole("button", { name: "Does not help" }).click();
      expect((await saved).status()).toBe(200);
      const lines = await (await fetch(`${server.url}/feedback?format=labels`)).text();
      const label = LabeledSetSchema.parse(JSON.parse(lines));
      expect(label).toMatchObject({ question: "When was Ashford founded?", answerable: true });
      expect(label.passages).toMatchObject([{ relevant: false }]);
    });

    it("shows markup of a document as text", async () => {
      const turn = await ask("When was Nightfall founded?");
      expect(await turn.textContent()).toContain("<img src=x");
      expect(await turn.locator("img, script").count()).toBe(0);
      expect(await page.evaluate("'broken' in window")).toBe(false);
    });
  });

  describe("no answer", () => {
    it("is reported in one line, with the closest passages and next steps", async () => {
      const turn = await ask("Who founded Dunmore?");
      expect(await turn.locator(".answer").textContent()).toContain("These passages come closest");
      await turn.getByRole("region", { name: "What you can do" }).getByText("OPENAI").waitFor();
      const closest = turn.getByRole("region", { name: "Closest passages" });
      expect(await closest.locator("mark").count()).toBeGreaterThan(0);
      const place = closest.getByRole("button").first();
      expect(await place.textContent()).toMatch(/notes\/\w+\.md:\d+/);
      await place.click();
      await page.getByRole("dialog").locator("[aria-current] mark").waitFor();
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
    });

    it("of a run that failed can be asked for again, and is neither judged nor followed up", async () => {
      const kept = [{ source: { kind: "file", path: "a.md", heading: "Tides" }, score: 0.9 }];
      const turn = await askFor("When was Ashford founded?", {
        answer: "I could not answer: the key was refused",
        outcome: { status: "failed", causes: ["model_error"] },
        warnings: ["uncertain: …", "The model failed: m refused the key (401)."],
        details: {
          run_id: "r",
          mode: "search",
          rounds: [],
          kept,
          discarded: [],
          withdrawn: [],
          marked: [],
          usage: { model_calls: 1, input_tokens: 1, output_tokens: 1, web_searches: 0 },
          took_ms: 5,
        },
      });
      expect(await turn.locator(".status").textContent()).toBe("No answer: the model failed");
      await turn.locator(".outcome").getByText("m refused the key (401)").waitFor();
      const buttons = ["Helps", "Tides"].map((name) => turn.getByRole("button", { name }).count());
      expect(await Promise.all(buttons)).toEqual([0, 0]);
      expect(await turn.getByRole("button", { name: "Ask again" }).count()).toBe(1);
    });

    it("follows a stopped question; the next one works", async () => {
      await page.route("**/runs/stream", () => new Promise(() => undefined));
      await question().fill("When was Ashford founded?");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByText("Stopped.", { exact: true }).waitFor();
      await page.unroute("**/runs/stream");
      const turn = await ask("When was Ashford founded?");
      expect(await turn.locator(".answer").textContent()).toContain(foundedIn("Ashford"));
    });

    it("follows from a missing server, which can be asked again", async () => {
      await page.route("**/runs/stream", (route) => route.abort());
      await question().fill("When was Ashford founded?");
      await page.keyboard.press("Enter");
      expect(await page.getByRole("alert").textContent()).toMatch(
        /could not be answered: the server does not answer/,
      );
      await page.unroute("**/runs/stream");
      const before = await turns().count();
      await page.getByRole("button", { name: "Ask again" }).click();
      await turns().nth(before).locator(".status").waitFor();
      expect(await turns().last().locator(".answer").textContent()).toContain(foundedIn("Ashford"));
    });
  });

  describe("settings", () => {
    it("are explained where they stand, with the server's default", async () => {
      await page.getByRole("button", { name: "Settings", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Settings" });
      const judging = dialog.getByRole("group", { name: "Judging passages" });
      const standard = judging.getByRole("radio", { name: /^Adaptive \(default\) by rules/ });
      await standard.waitFor();
      expect(await standard.isChecked()).toBe(true);
      expect(await faultsIn(page)).toEqual([]);
      await judging.getByRole("radio", { name: /^Signals/ }).check();
      await dialog.getByRole("button", { name: "Close" }).click();
    });

    it("are choices that the server knows", async () => {
      const { context_schema: schema } = await new Client({
        apiUrl: server.url,
      }).assistants.getSchemas("agent");
      const choices = await page.evaluate<Record<string, { options: object }>>(
        "import('/app/settings.js').then(({ CHOICES }) => CHOICES)",
      );
      expect(Object.keys(choices)).toContain("quality");
      for (const [key, { options }] of Object.entries(choices)) {
        const known = Object(schema?.properties?.[key]);
        const values = Object.keys(options);
        if (known.type === "string") expect(values.sort()).toEqual([...known.enum].sort());
        else expect(known.type).toBe("integer");
      }
    });

    it("apply to the next questions, even after a reload", async () => {
      await page.reload();
      await turns().last().waitFor();
      const turn = await ask("And Hartwell?");
      expect(await turn.locator(".answer").textContent()).toContain(foundedIn("Hartwell"));
      expect(await turn.locator(".understood").textContent()).toContain(
        "When was Hartwell founded?",
      );
      expect(await turn.locator(".facts").textContent()).toContain("signals");
      await page.getByRole("button", { name: "Settings: Judging passages: Signals" }).click();
      await page.getByRole("button", { name: "Back to the defaults" }).click();
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Settings: Default settings" }).waitFor();
    });
  });

  describe("conversations", () => {
    it("survive a reload, including the sources of earlier answers", async () => {
      await page.reload();
      await page.getByRole("heading", { name: "When was Dunmore founded?" }).waitFor();
      expect(await turns().first().locator(".source mark").first().textContent()).toContain("1803");
      expect(await turns().last().locator(".source").count()).toBeGreaterThan(0);
    });

    it("are listed by their first question, and found by its words", async () => {
      const client = new Client({ apiUrl: server.url });
      const browser = await page.evaluate("localStorage.getItem('corrective-rag-browser')");
      for (const title of ["Fairview", "Glenrock", "Ivydale", "Juniper"])
        await client.threads.create({ metadata: { source: "page", browser, title } });
      await client.threads.create({
        metadata: { source: "page", browser: "another", title: "No" },
      });
      await client.threads.create({ metadata: { source: "elsewhere" } });
      await page.getByRole("button", { name: "New conversation" }).click();
      expect(await turns().count()).toBe(0);
      await ask("When was Elmstead founded?");
      const list = page.getByRole("navigation", { name: "Conversations" });
      await list.getByRole("button", { name: "Juniper", exact: true }).waitFor();
      expect(await list.getByRole("button", { name: "No", exact: true }).count()).toBe(0);
      await list.getByRole("searchbox").fill(foundedIn("Elmstead"));
      await list
        .getByRole("button", { name: "Juniper", exact: true })
        .waitFor({ state: "detached" });
      expect(await list.getByText("Untitled").count()).toBe(0);
      await list.getByRole("searchbox").fill("elm");
      expect(await list.getByRole("button", { name: "Fairview", exact: true }).count()).toBe(0);
      await list.getByRole("button", { name: "When was Elmstead founded?", exact: true }).click();
      await page.getByRole("heading", { name: "When was Elmstead founded?" }).waitFor();
      expect(await turns().count()).toBe(1);
      await list.getByRole("searchbox").fill("");
    });

    it("are renamed", async () => {
      const list = page.getByRole("navigation", { name: "Conversations" });
      await list.getByRole("button", { name: "Rename When was Elmstead founded?" }).click();
      await list.getByRole("textbox", { name: "Title" }).fill("A town of elms");
      await page.keyboard.press("Enter");
      await list.getByRole("button", { name: "A town of elms", exact: true }).waitFor();
      await page.reload();
      await list.getByRole("button", { name: "A town of elms", exact: true }).waitFor();
    });

    it("are deleted after a confirmation", async () => {
      const list = page.getByRole("navigation", { name: "Conversations" });
      const before = (await threads()).length;
      await list.getByRole("button", { name: "Delete A town of elms" }).click();
      await list.getByRole("button", { name: "Delete", exact: true }).click();
      await list.getByText("A town of elms").waitFor({ state: "detached" });
      expect((await threads()).length).toBe(before - 1);
      expect(await turns().count()).toBe(0);
    });

    it("take an edited question in place of the old one", async () => {
      await ask("When was Ashford founded?");
      await ask("When was Glenrock founded?");
      await turns().last().getByRole("button", { name: "Edit the question" }).click();
      await page
        .getByRole("textbox", { name: "Edited question" })
        .fill("When was Ivydale founded?");
      await page.keyboard.press("Enter");
      await turns()
        .last()
        .getByText(`Ivydale was founded in ${foundedIn("Ivydale")}.`)
        .first()
        .waitFor({ state: "attached" });
      await turns().last().locator(".status").waitFor();
      await page.reload();
      await page.getByRole("heading", { name: "When was Ivydale founded?" }).waitFor();
      expect(await turns().count()).toBe(2);
      await page.getByRole("button", { name: "New conversation" }).click();
    });

    it("that the server lost say so, and a new one begins", async () => {
      await ask("When was Birchwood founded?");
      const id = /thread=([\w-]+)/.exec(page.url())?.[1] ?? "";
      await new Client({ apiUrl: server.url }).threads.delete(id);
      await question().fill("When was Cedarville founded?");
      await page.keyboard.press("Enter");
      await turns().last().getByRole("alert").getByText("no longer on the server").waitFor();
      await turns().last().getByRole("button", { name: "Ask again" }).click();
      await turns().last().getByText(foundedIn("Cedarville")).first().waitFor();
      expect(page.url()).not.toContain(id);
    });

    it("of an outdated address say so, and a new one begins", async () => {
      await page.goto(`${server.url}/app#thread=00000000-0000-4000-8000-000000000000`);
      expect(await page.getByRole("alert").textContent()).toContain("no longer on the server");
      expect(page.url()).not.toContain("thread");
      await ask("When was Dunmore founded?");
      expect(await page.getByText("no longer on the server").count()).toBe(0);
    });
  });

  describe("every width and color", () => {
    it.each([
      ["light", 1280],
      ["dark", 1280],
      ["light", 390],
      ["dark", 390],
    ] as const)("has nothing that axe finds fault with: %s, %i pixels", async (scheme, width) => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 844 });
      await page.evaluate(
        "document.querySelectorAll('details').forEach((each) => (each.open = true))",
      );
      expect(await faultsIn(page)).toEqual([]);
      await untilItFits(page);
    });

    it("hides the conversations in a menu on small screens", async () => {
      await page.getByRole("button", { name: "Menu" }).click();
      const menu = page.getByRole("navigation", { name: "Conversations" });
      const conversation = menu.getByRole("button", {
        name: "When was Cedarville founded?",
        exact: true,
      });
      await conversation.waitFor();
      expect(await faultsIn(page)).toEqual([]);
      await conversation.click();
      await page.getByRole("heading", { name: "When was Cedarville founded?" }).waitFor();
      expect(await menu.isVisible()).toBe(false);
    });
  });

  it("contacted no other server, and logged no browser errors", () => {
    const foreign = browser.requests.filter(
      (url) => !url.startsWith(server.url) && !url.startsWith("data:"),
    );
    expect(foreign).toEqual([]);
    // Two tests take the server or the conversation away.
    expect(browser.complaints.filter((line) => !/ERR_FAILED|404/.test(line))).toEqual([]);
  });

  it("serves its own files and nothing else", async () => {
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
