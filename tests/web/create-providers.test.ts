import { describe, expect, it } from "@jest/globals";
import { webSearchFrom } from "../../src/assembly/adapters.js";
import { completeSettings } from "../../src/settings/run-settings.js";
import type { SettingsInput } from "../../src/settings/table.js";
import { UserError } from "../../src/support/errors.js";

const names = async (settings: SettingsInput): Promise<readonly string[]> =>
  (await webSearchFrom(completeSettings(settings), undefined))?.providers ?? [];

describe("which providers there are", () => {
  it("none without any setting: nobody's questions leave the machine by default", async () => {
    expect(await names({})).toEqual([]);
    expect(
      await names({ webProviders: [], mediawikiUrl: "https://example.org/w/api.php" }),
    ).toEqual([]);
  });

  it("those with a key or a URL, in a fixed order", async () => {
    expect(
      await names({ braveApiKey: "b", searxngUrl: "http://localhost:8080", tavilyApiKey: "t" }),
    ).toEqual(["tavily", "searxng", "brave"]);
  });

  it("exactly those that are named, in the order given, keyless ones included", async () => {
    expect(
      await names({
        webProviders: ["mediawiki", "brave", "mediawiki"],
        braveApiKey: "b",
        tavilyApiKey: "t",
      }),
    ).toEqual(["mediawiki", "brave"]);
    expect(await names({ webProviders: ["duckduckgo"] })).toEqual(["duckduckgo"]);
  });

  it("names in one line the setting that a named provider lacks", async () => {
    await expect(names({ webProviders: ["tavily"] })).rejects.toThrow(
      new UserError("CRAG_WEB_PROVIDERS names tavily, but TAVILY_API_KEY is not set"),
    );
  });
});
