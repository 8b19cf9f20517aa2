/**
 * The SDK's React hook, unchanged, in a real browser: the client of agent-chat-ui and of most pages
 * that people build. Preact stands in for React.
 */
import { Client } from "@langchain/langgraph-sdk";
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { build } from "esbuild";
import { hasBrowser, openBrowser, type OpenBrowser } from "./browser.js";
import { startSearchServer, type SearchServer } from "../support/search-servers.js";
import { startDevServer, startServe, type DevServer } from "./dev-server.js";
import { foundedIn, TOWN_FILES } from "./towns.js";

const PAGE = `
import { useStream } from "@langchain/langgraph-sdk/react";
import { createElement as h, render } from "preact/compat";
import { useState } from "preact/hooks";

function Chat() {
  const [threadId, setThreadId] = useState(new URL(location.href).searchParams.get("thread"));
  const chat = useStream({
    apiUrl: location.origin, assistantId: "agent", messagesKey: "messages",
    threadId, onThreadId: setThreadId, reconnectOnMount: true, fetchStateHistory: true,
    onCustomEvent: ({ type }) => (document.title = type),
  });
  const ask = (text, options) => chat.submit({ messages: [{ type: "human", content: text }] }, options);
  window.chat = { ask, stop: () => chat.stop(), threadId };
  window.branch = (index, text) => {
    const meta = chat.getMessagesMetadata(chat.messages[index], index);
    return ask(text, { checkpoint: meta.firstSeenState.parent_checkpoint });
  };
  window.refresh = (index) => {
    const meta = chat.getMessagesMetadata(chat.messages[index], index);
    return chat.submit(undefined, { checkpoint: meta.firstSeenState.parent_checkpoint });
  };
  const decide = () => chat.submit(undefined, { command: { resume: { decisions: [{ type: "approve" }] } } });
  return h("main", { "data-loading": String(chat.isLoading), "data-thread": threadId },
    chat.messages.map((each) => h("p", { key: each.id, className: each.type }, each.content)),
    chat.interrupt?.value ? h("button", { onClick: decide }, chat.interrupt.value.reviewConfigs[0].action_name) : null,
    chat.error ? h("b", null, String(chat.error)) : null);
}
render(h(Chat), document.body);
`;

let script: string;
beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: PAGE, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    define: { "process.env.NODE_ENV": '"production"' },
    alias: {
      react: "preact/compat",
      "react-dom": "preact/compat",
      "react/jsx-runtime": "preact/jsx-runtime",
    },
  });
  script = outputFiles[0]!.text.replaceAll("</script", "<\\/script");
});

(hasBrowser ? describe : describe.skip).each([
  ["serve", startServe],
  ["dev", startDevServer],
])("clients of %s", (_, start) => {
  let server: DevServer;
  let web: SearchServer;
  let browser: OpenBrowser;

  beforeAll(async () => {
    const text = "The harbor master of Wyre is called Tilda Brook.";
    const rows = [{ title: "Harbor news", url: "https://wyre.example/", text }];
    web = await startSearchServer("searxng", { rows });
    server = await start(TOWN_FILES, { SEARXNG_URL: web.url, CRAG_WEB_SEARCH: "ask" });
    browser = await openBrowser();
    await browser.page.route("**/hook.html*", (route) =>
      route.fulfill({
        contentType: "text/html; charset=utf-8",
        body: `<!doctype html><body><script type="module">${script}</script>`,
      }),
    );
    await browser.page.goto(`${server.url}/hook.html`);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await web?.close();
  });

  const answers = () => browser.page.locator("p.ai");
  const untilIdle = () => browser.page.locator('main[data-loading="false"]').waitFor();
  const ask = (town: string) =>
    browser.page.evaluate(`chat.ask("When was ${town} founded?") && undefined`);

  it("stands beside the page, to which the bare address leads", async () => {
    const response = await fetch(server.url);
    expect([response.status, response.url]).toEqual([200, `${server.url}/app`]);
  });

  it("makes a thread, streams an answer, and understands what follows", async () => {
    await ask("Dunmore");
    await answers()
      .filter({ hasText: foundedIn("Dunmore") })
      .waitFor();
    await untilIdle();
    await ask("Elmstead");
    await answers()
      .filter({ hasText: foundedIn("Elmstead") })
      .waitFor();
    await untilIdle();
    expect(await answers().count()).toBe(2);
    expect(await browser.page.title()).toBe("graph_outcome");
  });

  it("reads its history after a reload", async () => {
    const thread = await browser.page.locator("main").getAttribute("data-thread");
    await browser.page.goto(`${server.url}/hook.html?thread=${thread}`);
    await answers().nth(1).waitFor();
    expect(await browser.page.locator("p").count()).toBe(4);
  });

  it.each([{ graph_id: "agent" }, { assistant_id: "fe096781-5601-53d2-b2f6-0d3403f7e9ca" }])(
    "finds its thread by %j, as lists of conversations do",
    async (metadata) => {
      const found = await new Client({ apiUrl: server.url }).threads.search({ metadata });
      const thread = await browser.page.locator("main").getAttribute("data-thread");
      expect(found.map(({ thread_id: id }) => id)).toEqual([thread]);
    },
  );

  it("asks an earlier question again, on a branch", async () => {
    await browser.page.evaluate('branch(2, "When was Fairview founded?") && undefined');
    await answers()
      .filter({ hasText: foundedIn("Fairview") })
      .waitFor();
    await untilIdle();
    expect(
      await answers()
        .filter({ hasText: foundedIn("Elmstead") })
        .count(),
    ).toBe(0);
    expect(await browser.page.locator("p").count()).toBe(4);
    expect(browser.complaints).toEqual([]);
  });

  it("writes an answer again in its place", async () => {
    await browser.page.evaluate("refresh(3) && undefined");
    await browser.page.locator('main[data-loading="true"]').waitFor();
    await untilIdle();
    expect(await answers().nth(1).textContent()).toContain(foundedIn("Fairview"));
    expect(await browser.page.locator("p").count()).toBe(4);
  });

  it("asks a person before it searches the web, and goes on with the permission", async () => {
    const question = "Who is the harbor master of Wyre?";
    await browser.page.evaluate(`chat.ask(${JSON.stringify(question)}) && undefined`);
    const allow = browser.page.getByRole("button", { name: "web_search" });
    await allow.waitFor();
    // Until it has read the thread's history, the hook resumes from where it was before.
    await untilIdle();
    await allow.click();
    await answers().filter({ hasText: "Tilda Brook" }).waitFor();
    expect(web.requests).toHaveLength(1);
    expect(browser.complaints).toEqual([]);
  });

  it("answers on its own page, and goes on after an edited question", async () => {
    const { page } = browser;
    const answered = async (town: string) => {
      await page.keyboard.press("Enter");
      const turn = page.locator("article").filter({ hasText: foundedIn(town) });
      await turn.getByRole("button", { name: "Copy as Markdown with sources" }).waitFor();
    };
    await page.goto(`${server.url}/app`);
    for (const town of ["Hartwell", "Ashford"]) {
      await page.locator("#question").fill(`When was ${town} founded?`);
      await answered(town);
    }
    const turns = page.locator("article");
    await turns.last().getByRole("button", { name: "Edit the question" }).click();
    await page.getByRole("textbox", { name: "Edited question" }).fill("When was Ivydale founded?");
    await answered("Ivydale");
    await page.locator("#question").fill("When was Juniper founded?");
    await answered("Juniper");
    await page.reload();
    await turns.nth(2).waitFor();
    expect(await turns.locator("h2").allTextContents()).toEqual(
      ["Hartwell", "Ivydale", "Juniper"].map((town) => `When was ${town} founded?`),
    );
    expect(browser.complaints).toEqual([]);
  });

  it("answers a client of OpenAI's protocol, and one of MCP", async () => {
    const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
    const question = "When was Glenrock founded?";
    const { choices } = await openai.chat.completions.create({
      model: "corrective-rag",
      messages: [{ role: "user", content: question }],
    });
    expect(choices[0]?.message.content).toContain(foundedIn("Glenrock"));
    const mcp = new McpClient({ name: "test", version: "1" });
    await mcp.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
    const result = await mcp.callTool({ name: "ask", arguments: { question } });
    expect(JSON.stringify(result)).toContain(foundedIn("Glenrock"));
    await mcp.close();
  });
});
