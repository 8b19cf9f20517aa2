/** DuckDuckGo through the real packages, `@langchain/community`'s tool and `duck-duck-scrape`, against a site on this machine. */
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createWebSearch } from "../../src/web/chain.js";
import { createDuckDuckGo } from "../../src/web/providers.js";
import type { WebSearchProvider } from "../../src/web/search-provider.js";
import {
  anomalyScript,
  emptyScript,
  openDuckDuckGoSite,
  scriptOf,
  type DuckDuckGoSite,
} from "../support/duckduckgo-site.js";

let site: DuckDuckGoSite;
beforeEach(async () => {
  site = await openDuckDuckGoSite();
});
afterEach(() => site.close());

const ROWS = [
  {
    t: "Halden pump",
    u: "https://example.org/halden",
    a: "The <b>Halden</b> pump was built in 1974 &amp; moves 42 litres.",
  },
  { t: "Ems pump", u: "https://example.com/ems", a: "Another pump." },
  { t: "Third", u: "https://example.net/third", a: "A third." },
];
const search = () => createDuckDuckGo().search({ query: "who built the Halden pump", limit: 2 });

/** What the chain makes of it, with a provider behind that always answers. */
const behind: WebSearchProvider = {
  name: "behind",
  search: () =>
    Promise.resolve([
      {
        title: "Behind",
        url: "https://example.org/behind",
        text: "It answers.",
        provider: "behind",
      },
    ]),
};
const chain = () =>
  createWebSearch({ providers: [createDuckDuckGo(), behind] }).search({
    query: "halden",
    limit: 3,
  });

describe("a search", () => {
  it("fetches a token, asks with it, and gives the rows as text, as many as were wanted", async () => {
    site.results = scriptOf(ROWS);
    expect(await search()).toEqual([
      {
        title: "Halden pump",
        url: "https://example.org/halden",
        text: "The Halden pump was built in 1974 & moves 42 litres.",
        provider: "duckduckgo",
      },
      {
        title: "Ems pump",
        url: "https://example.com/ems",
        text: "Another pump.",
        provider: "duckduckgo",
      },
    ]);
    const query = "who built the Halden pump";
    expect(site.asked).toEqual([
      { host: "duckduckgo.com", path: "/", query, token: null },
      {
        host: "links.duckduckgo.com",
        path: "/d.js",
        query,
        token: expect.stringMatching(/^4-\d+$/),
      },
    ]);
  });

  it("takes descriptions for text whatever they hold, and titles where there are none", async () => {
    const text = '{"error":"rate limit"}';
    site.results = scriptOf([
      { t: "An error", u: "https://example.org/error", a: text },
      { t: "Title", u: "https://example.com/title", a: "" },
    ]);
    expect((await search()).map((row) => row.text)).toEqual([text, "Title"]);
  });

  it("may find nothing", async () => {
    site.results = emptyScript;
    expect(await search()).toEqual([]);
  });
});

describe("what goes wrong there", () => {
  const faults: [string, () => void, string, RegExp][] = [
    ["asked too often", () => (site.results = anomalyScript), "rate_limited", /too quickly/],
    [
      "a server error",
      () => (site.results = (response) => response.end("DDG.deep.is506 = 1;")),
      "malformed",
      /could not be reached/,
    ],
    [
      "HTML where results should be",
      () => (site.results = (response) => response.end("<html>Are you a robot?</html>")),
      "malformed",
      /could not be reached/,
    ],
    [
      "results that are no JSON",
      () =>
        (site.results = (response) =>
          response.end("DDG.pageLayout.load('d',[{]);DDG.duckbar.load('x'")),
      "malformed",
      /could not be reached/,
    ],
    [
      "a first page without a token",
      () => (site.page = (response) => response.end("<html>blocked</html>")),
      "malformed",
      /could not be reached/,
    ],
    [
      "a connection that is cut",
      () => (site.page = (response) => response.destroy()),
      "malformed",
      /could not be reached/,
    ],
  ];

  it.each(faults)(
    "is named, and does not repeat the question: %s",
    async (_name, arrange, kind, message) => {
      arrange();
      await expect(search()).rejects.toMatchObject({
        name: "HttpError",
        failure: kind,
        message: expect.stringMatching(message),
      });
      await expect(search()).rejects.toMatchObject({
        message: expect.not.stringContaining("Halden"),
      });
    },
  );

  it.each(faults)("lets the next provider answer: %s", async (_name, arrange, kind, message) => {
    arrange();
    const report = await chain();
    expect(report.provider).toBe("behind");
    expect(report.attempts.map(({ provider, outcome }) => [provider, outcome])).toEqual([
      ["duckduckgo", "failed"],
      ["behind", "answered"],
    ]);
    expect(report.attempts[0]?.message).toMatch(new RegExp(`^${kind}: .*${message.source}`));
  });

  it("lets the next provider answer when nothing was found", async () => {
    site.results = emptyScript;
    const report = await chain();
    expect(report).toMatchObject({
      provider: "behind",
      attempts: [{ outcome: "empty" }, { outcome: "answered" }],
    });
  });
});
