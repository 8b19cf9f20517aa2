import { describe, expect, it } from "@jest/globals";
import { UserError } from "../../src/support/errors.js";
import {
  createProviders,
  type WebProviderOptions,
} from "../../src/web/providers/create-providers.js";

const names = (options: WebProviderOptions): string[] =>
  createProviders(options).map(({ name }) => name);

describe("which providers there are", () => {
  it("none without any setting: nobody's questions leave the machine by default", () => {
    expect(names({})).toEqual([]);
    expect(names({ names: [], mediawikiUrl: "https://example.org/w/api.php" })).toEqual([]);
  });

  it("those with a key or a URL, in a fixed order", () => {
    expect(
      names({ braveApiKey: "b", searxngUrl: "http://localhost:8080", tavilyApiKey: "t" }),
    ).toEqual(["tavily", "searxng", "brave"]);
  });

  it("exactly those that are named, in the order given, keyless ones included", () => {
    expect(
      names({ names: ["mediawiki", " Brave ", "mediawiki"], braveApiKey: "b", tavilyApiKey: "t" }),
    ).toEqual(["mediawiki", "brave"]);
    expect(names({ names: ["duckduckgo"] })).toEqual(["duckduckgo"]);
  });

  it("says in one line what is wrong with a name", () => {
    expect(() => names({ names: ["google"] })).toThrow(
      new UserError('WEB_PROVIDERS names "google", which is no search provider'),
    );
    expect(() => names({ names: ["tavily"] })).toThrow(
      new UserError("WEB_PROVIDERS names tavily, but TAVILY_API_KEY is not set"),
    );
  });
});
