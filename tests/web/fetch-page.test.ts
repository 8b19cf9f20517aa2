import { afterEach, describe, expect, it } from "@jest/globals";
import type { RequestListener } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { createFetchPage, safeFetch, type SafeFetchOptions } from "../../src/web/safe-fetch.js";
import type { WebPage } from "../../src/web/search-provider.js";
import { startPageNetwork, type PageNetwork } from "../support/page-network.js";

const networks: PageNetwork[] = [];
afterEach(async () => {
  await Promise.all(networks.splice(0).map((network) => network.close()));
});

async function fetchFrom(
  listener: RequestListener,
  options: SafeFetchOptions & { signal?: AbortSignal; url?: string } = {},
): Promise<WebPage> {
  const { signal, url = "http://example.com/articles/tides.html", ...rest } = options;
  const network = await startPageNetwork(listener);
  networks.push(network);
  return createFetchPage({ resolve: network.resolve, dial: network.dial, ...rest })(url, {
    signal,
  });
}

const respond =
  (
    body: string | Buffer,
    headers: Record<string, string> = { "content-type": "text/html; charset=utf-8" },
  ): RequestListener =>
  (_request, response) => {
    response.writeHead(200, headers).end(body);
  };

const PARAGRAPH =
  "The tide rises and falls twice a day because the Moon pulls on the oceans, and the Earth turns beneath the bulges that it raises. ";
const ARTICLE = `<!doctype html><html><head><title>Tides – The Sea Almanac</title>
  <meta property="article:published_time" content="2024-03-05T12:00:00+01:00"></head>
  <body><nav><a href="/">Home</a><a href="/shop">Buy our mugs</a></nav>
  <article><h1>Why there are tides</h1><p>${PARAGRAPH.repeat(3)}</p><p>Spring tides come at new &amp; full moon. ${PARAGRAPH.repeat(2)}</p>
  <table><tr><th>Port</th><th>Range</th></tr><tr><td>Saint-Malo</td><td>12 m</td></tr></table></article>
  <aside>Subscribe to our newsletter</aside><script>track("everything")</script></body></html>`;

describe("the main content of a page", () => {
  it("is the article with its title and date, without navigation and scripts, paragraphs kept apart", async () => {
    const page = await fetchFrom(respond(ARTICLE));
    expect(page).toMatchObject({
      url: "http://example.com/articles/tides.html",
      date: "2024-03-05T11:00:00.000Z",
    });
    expect(page.title).toMatch(/tides/i);
    expect(page.text).toMatch(/raises\.\s*\n+Spring tides come at new & full moon\./);
    expect(page.text).toContain("Port: Saint-Malo; Range: 12 m");
    expect(page.text).not.toMatch(/mugs|newsletter|track/);
  });

  it("is all of the text where there is no article", async () => {
    const page = await fetchFrom(respond("<title>Hours</title><p>Open from 9 to 17.</p>"));
    expect(page).toMatchObject({ title: "Hours", text: "Open from 9 to 17." });
  });

  it.each([
    [
      "nested five hundred deep, which would take the extraction half a minute",
      `${"<div>".repeat(500)}at the bottom`,
    ],
    [
      "nested two thousand deep behind a document type",
      `<!doctype html><html><body>${"<div>".repeat(2_000)}at the bottom`,
    ],
    [
      "nested a hundred thousand deep, which would exhaust the stack",
      `${"<div>".repeat(100_000)}at the bottom`,
    ],
    ["of a hundred thousand elements", `${"<a href=x> </a>".repeat(100_000)}at the bottom`],
    [
      "whose main part alone is read",
      `<p>menu</p>${"<b></b>".repeat(15_000)}<main>at the bottom</main><p>imprint</p>`,
    ],
  ])("is found without delay in a page %s", async (_name, html) => {
    const startedAt = performance.now();
    expect((await fetchFrom(respond(html))).text).toBe("at the bottom");
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });

  it("is the text itself for plain text and JSON, named after the file", async () => {
    const text = await fetchFrom(
      respond("plain words:\r\n  indented | ", {
        "content-type": "text/plain",
        "last-modified": "Tue, 05 Mar 2024 11:00:00 GMT",
      }),
      {
        url: "http://example.com/notes/read%20me.txt",
      },
    );
    expect(text).toMatchObject({
      title: "read me.txt",
      text: "plain words:\n  indented |",
      date: "2024-03-05T11:00:00.000Z",
    });
    const json = await fetchFrom(respond('{"a": 1}', { "content-type": "application/json" }), {
      url: "http://example.com/",
    });
    expect(json).toMatchObject({ title: "example.com", text: '{"a": 1}' });
  });

  it("is cut to a bounded length, but never through a character", async () => {
    const { text } = await fetchFrom(respond(`a${"😀".repeat(150_000)}`));
    expect(text).toHaveLength(199_999);
    expect(text.at(-1)).toBe("\ude00");
  });

  it("is reported missing if there is none", async () => {
    await expect(fetchFrom(respond("<script>everything()</script>"))).rejects.toMatchObject({
      message: "the page has no text",
    });
  });
});

describe("the charset", () => {
  const umlauts = Buffer.from("<p>M\xfcnchen</p>", "latin1");
  it.each([
    ["from the header", umlauts, "text/html; charset=ISO-8859-1"],
    [
      "from a meta element",
      Buffer.concat([Buffer.from('<meta charset="windows-1252">'), umlauts]),
      "text/html",
    ],
    [
      "from http-equiv",
      Buffer.concat([
        Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">'),
        umlauts,
      ]),
      "text/html",
    ],
    [
      "from a byte order mark, which outdoes the header",
      Buffer.from("\ufeff<p>München</p>", "utf16le"),
      "text/html; charset=utf-8",
    ],
    ["UTF-8 where none is named", Buffer.from("<p>München</p>"), "text/html"],
    ["UTF-8 where it is unknown", Buffer.from("<p>München</p>"), "text/html; charset=klingon"],
  ])("is taken %s", async (_name, body, type) => {
    expect((await fetchFrom(respond(body, { "content-type": type }))).text).toBe("München");
  });

  it("reads Shift JIS", async () => {
    const page = await fetchFrom(
      respond(Buffer.from([0x93, 0x8c, 0x8b, 0x9e]), {
        "content-type": "text/plain; charset=Shift_JIS",
      }),
    );
    expect(page.text).toBe("東京");
  });
});

describe("what is refused", () => {
  it.each([
    "application/pdf",
    "image/png",
    "application/octet-stream",
    "video/mp4",
    "application/zip",
  ])("content of type %s", async (type) => {
    await expect(fetchFrom(respond("x", { "content-type": type }))).rejects.toMatchObject({
      message: expect.stringContaining("is not read"),
    });
  });

  it("binary content without a type", async () => {
    await expect(
      fetchFrom(respond(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0]), {})),
    ).rejects.toMatchObject({ message: expect.stringContaining("it is not text") });
  });

  it.each([404, 500, 204 + 100])("status %s", async (status) => {
    const answer: RequestListener = (_request, response) =>
      void response.writeHead(status).end("x");
    await expect(fetchFrom(answer)).rejects.toMatchObject({ name: "PageError" });
  });

  it("a body without end, by size, long before the time limit", async () => {
    const endless: RequestListener = (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      const write = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    };
    await expect(
      fetchFrom(endless, { maxBytes: 500_000, timeoutInMs: 10_000 }),
    ).rejects.toMatchObject({ message: expect.stringContaining("longer than") });
  });

  it("a declared length beyond the limit, unread", async () => {
    const answer: RequestListener = (_request, response) =>
      void response
        .writeHead(200, { "content-type": "text/html", "content-length": "99999999" })
        .flushHeaders();
    await expect(fetchFrom(answer, { timeoutInMs: 5_000 })).rejects.toMatchObject({
      message: expect.stringContaining("longer than"),
    });
  });

  it("ends after its time limit when a name look-up never answers", async () => {
    const resolve = () => new Promise<never>(() => undefined);
    await expect(
      safeFetch("https://example.org/", { resolve, timeoutInMs: 50 }),
    ).rejects.toMatchObject({ message: "no page within 0.05 s" });
  });

  it("a slow server, by time", async () => {
    const drip: RequestListener = (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    };
    await expect(fetchFrom(drip, { timeoutInMs: 200 })).rejects.toMatchObject({
      message: "no page within 0.2 s",
    });
    await expect(fetchFrom(() => undefined, { timeoutInMs: 200 })).rejects.toMatchObject({
      message: "no page within 0.2 s",
    });
  });

  it("a connection that is cut", async () => {
    const cut: RequestListener = (_request, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-length": "1000" });
      response.write("<p>begun");
      setTimeout(() => response.destroy(), 5);
    };
    await expect(fetchFrom(cut)).rejects.toMatchObject({
      message: expect.stringContaining("could not be fetched"),
    });
  });

  it("ends at once when cancelled, with the caller's reason", async () => {
    await expect(
      fetchFrom(() => undefined, { signal: AbortSignal.timeout(50) }),
    ).rejects.toMatchObject({ name: "TimeoutError" });
    await expect(fetchFrom(() => undefined, { signal: AbortSignal.abort() })).rejects.toMatchObject(
      { name: "AbortError" },
    );
  });
});

describe("compression", () => {
  it.each([
    ["gzip", gzipSync(ARTICLE)],
    ["br", brotliCompressSync(ARTICLE)],
    ["x-gzip", gzipSync(ARTICLE)],
    ["deflate", deflateSync(ARTICLE)],
    ["identity", ARTICLE],
  ])("%s is read", async (encoding, body) => {
    expect(
      (
        await fetchFrom(
          respond(body, { "content-type": "text/html", "content-encoding": encoding }),
        )
      ).text,
    ).toContain("Spring tides");
  });

  it.each([
    ["gzip", gzipSync(Buffer.alloc(50_000_000))],
    ["br", brotliCompressSync(Buffer.alloc(50_000_000))],
  ])("a %s bomb is stopped at the limit", async (encoding, bomb) => {
    expect(bomb.byteLength).toBeLessThan(100_000);
    const before = process.memoryUsage().rss;
    await expect(
      fetchFrom(respond(bomb, { "content-type": "text/html", "content-encoding": encoding })),
    ).rejects.toMatchObject({
      message: expect.stringContaining("longer than"),
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(45_000_000);
  });

  it.each([
    ["gzip, gzip", gzipSync(gzipSync("x"))],
    ["compress", "x"],
    ["aes128gcm", "x"],
  ])("%s is refused", async (encoding, body) => {
    await expect(
      fetchFrom(respond(body, { "content-type": "text/html", "content-encoding": encoding })),
    ).rejects.toMatchObject({ message: `content encoding ${encoding} is not read` });
  });

  it("is asked for in no form that servers send in two ways, with a head and without", async () => {
    let asked: unknown;
    await fetchFrom((request, response) => {
      asked = request.headers["accept-encoding"];
      respond(ARTICLE, { "content-type": "text/html" })(request, response);
    });
    expect(asked).toBe("gzip, br");
  });

  it("a truncated stream is no whole page, and a false one is an error", async () => {
    const headers = { "content-type": "text/html", "content-encoding": "gzip" };
    const cut = respond(gzipSync(ARTICLE).subarray(0, 200), headers);
    await expect(fetchFrom(cut)).rejects.toMatchObject({
      message: "it is cut off: its compressed text has no end",
    });
    await expect(fetchFrom(respond("not compressed at all", headers))).rejects.toMatchObject({
      message: expect.stringContaining("could not be fetched"),
    });
  });
});
