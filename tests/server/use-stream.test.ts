/**
 * The SDK's React hook, unchanged, in a real browser: the client of agent-chat-ui and of most pages
 * that people build. Preact stands in for React.
 */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { build } from "esbuild";
import { hasBrowser, openBrowser, type OpenBrowser } from "./browser.js";
import { startServe, type Served } from "./dev-server.js";
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
  return h("main", { "data-loading": String(chat.isLoading), "data-thread": threadId },
    chat.messages.map((each) => h("p", { key: each.id, className: each.type }, each.content)),
    chat.error ? h("b", null, String(chat.error)) : null);
}
render(h(Chat), document.body);
`;

(hasBrowser ? describe : describe.skip)("useStream", () => {
  let server: Served;
  let browser: OpenBrowser;

  beforeAll(async () => {
    server = await startServe(TOWN_FILES);
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
    const script = outputFiles[0]!.text.replaceAll("</script", "<\\/script");
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
  });

  const answers = () => browser.page.locator("p.ai");
  const untilIdle = () => browser.page.locator('main[data-loading="false"]').waitFor();
  const ask = (town: string) =>
    browser.page.evaluate(`chat.ask("When was ${town} founded?") && undefined`);

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
});
