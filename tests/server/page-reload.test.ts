/** A question on the page whose tab is reloaded or left, and whose server is killed. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { startChatEndpoint, type ChatEndpoint } from "../support/chat-endpoint.js";
import { hasBrowser, openBrowser, type OpenBrowser } from "./browser.js";
import { startServe, type Served } from "./dev-server.js";
import { foundedIn, TOWN_FILES } from "./towns.js";

let model: ChatEndpoint;
let server: Served;
let browser: OpenBrowser;
let page: Page;
/** Lets the model answer, which it does with an error, so that the agent answers without it. */
let release = (): void => undefined;

async function askSlowly(town: string, where = page): Promise<void> {
  await where.getByRole("textbox", { name: "Your question" }).fill(`When was ${town} founded?`);
  const before = model.requests.length;
  await where.keyboard.press("Enter");
  for (let tries = 0; model.requests.length === before; tries += 1) {
    if (tries > 300) throw new Error(`nothing was asked: ${await page.innerText("body")}`);
    await page.waitForTimeout(100);
  }
}

const answer = () => page.locator("article").last().locator(".answer");

(hasBrowser ? describe : describe.skip)("an answer that is being written", () => {
  beforeAll(async () => {
    let gate = Promise.resolve();
    model = await startChatEndpoint(async () => {
      await gate;
      return { status: 401 };
    });
    const hold = (): void => {
      gate = new Promise((resolve) => {
        release = () => {
          resolve();
          hold();
        };
      });
    };
    hold();
    server = await startServe(TOWN_FILES, {
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "k",
      CRAG_READER: "trained",
    });
    browser = await openBrowser();
    page = browser.page;
    await page.goto(`${server.url}/app`);
    await page.getByText("10 documents").waitFor();
  });
  afterAll(async () => {
    release();
    await browser?.close();
    await server?.stop();
    await model?.close();
  });

  it("is there after a reload, and goes on", async () => {
    await askSlowly("Dunmore");
    await page.reload();
    await page.getByRole("heading", { level: 2, name: "When was Dunmore founded?" }).waitFor();
    await expect(answer().count()).resolves.toBe(0);
    release();
    await answer().getByText(foundedIn("Dunmore")).first().waitFor();
    await page.getByRole("button", { name: /^Copy/ }).waitFor();
  });

  it("of each question, not only of the last, says after a reload how it was found", async () => {
    await askSlowly("Elmstead");
    release();
    await answer().getByText(foundedIn("Elmstead")).first().waitFor();
    await page.getByRole("button", { name: /^Copy/ }).nth(1).waitFor();
    await page.reload();
    await page.locator("article").nth(1).waitFor();
    const summaries = page.getByText("How it was found");
    await expect(summaries.allInnerTexts()).resolves.toEqual([
      expect.stringMatching(/[1-9]\d* rounds?/),
      expect.stringMatching(/[1-9]\d* rounds?/),
    ]);
    await summaries.first().click();
    await page.locator("article").first().getByText("401").first().waitFor();
  });

  it("goes on when another tab asks in the same conversation, and both tabs show both answers", async () => {
    const other = await browser.context.newPage();
    await other.goto(page.url());
    await other.locator("article").nth(1).waitFor();
    await askSlowly("Birchwood");
    await other
      .getByRole("textbox", { name: "Your question" })
      .fill("When was Cedarville founded?");
    await other.keyboard.press("Enter");
    await other.getByText("Reading the question").waitFor();
    const releases = setInterval(() => release(), 100);
    for (const town of ["Birchwood", "Cedarville"])
      for (const tab of [page, other])
        await tab.locator("article .answer").getByText(foundedIn(town)).first().waitFor();
    clearInterval(releases);
    await other.close();
  });

  it("goes on when the connection was lost, as on a phone that sleeps", async () => {
    const sockets = new Set<Socket>();
    const way = createServer((socket) => {
      const to = connect(Number(new URL(server.url).port));
      for (const end of [socket, to]) sockets.add(end.on("error", () => undefined));
      socket.pipe(to).pipe(socket);
    }).listen(0);
    const { port } = way.address() as AddressInfo;
    const phone = await browser.context.newPage();
    await phone.goto(`http://localhost:${port}/app`);
    await askSlowly("Dunmore", phone);
    for (const socket of sockets) socket.destroy();
    await phone.getByText("the connection to the server was lost").waitFor();
    release();
    await phone.locator(".answer").getByText(foundedIn("Dunmore")).first().waitFor();
    await phone.close();
    for (const socket of sockets) socket.destroy();
    way.close();
  });

  it("that was stopped says so after a reload, and can be asked again", async () => {
    await askSlowly("Dunmore");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    release();
    await page.reload();
    await page
      .getByRole("heading", { level: 2, name: "When was Dunmore founded?" })
      .last()
      .waitFor();
    await page
      .getByText(/^Stopped\.|was interrupted/)
      .last()
      .waitFor();
    await page.getByRole("button", { name: "Ask again" }).waitFor();
  });

  it("is cited to other clients by links that open the document at the line", async () => {
    const linked = await browser.context.newPage();
    await linked.goto(`${server.url}/app#document=notes%2Fdunmore.md&line=3`);
    const dialog = linked.getByRole("dialog", { name: "Dunmore" });
    await dialog.locator("[aria-current=true]").getByText("founded in 1803").waitFor();
    await linked.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await linked.waitForURL(({ hash }) => hash === "");
    await linked.close();
  });

  it("says that it was interrupted after its server was killed, and can be asked again", async () => {
    await askSlowly("Fairview");
    const place = new URL(page.url()).hash;
    await server.kill();
    await page.getByText("the connection to the server was lost").waitFor();
    server = await server.again();
    await page.goto(`${server.url}/app${place}`);
    await page.getByRole("heading", { level: 2, name: "When was Fairview founded?" }).waitFor();
    await page.getByText("The answer was interrupted.").waitFor();
    const before = model.requests.length;
    await page.getByRole("button", { name: "Ask again" }).click();
    while (model.requests.length === before) await page.waitForTimeout(50);
    release();
    await answer().getByText(foundedIn("Fairview")).first().waitFor();
  });
});
