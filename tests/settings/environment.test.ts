import { describe, expect, it } from "@jest/globals";
import { readEnvironment } from "../../src/settings/environment.js";
import { completeSettings } from "../../src/settings/run-settings.js";
import { entriesOf } from "../../src/settings/setting.js";
import { SETTINGS } from "../../src/settings/table.js";
import { UserError } from "../../src/support/errors.js";

const read = (variables: Record<string, string>) => readEnvironment(variables).settings;

describe("the table of settings", () => {
  it("has one name in the environment for each setting", () => {
    const names = entriesOf(SETTINGS).flatMap(({ env, setting }) =>
      env === undefined ? [] : [env, ...(setting.aliases ?? [])],
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it("has defaults that its own schemas accept", () => {
    for (const { path, setting } of entriesOf(SETTINGS))
      if (setting.default !== undefined)
        expect([path, setting.schema.safeParse(setting.default).success]).toEqual([path, true]);
  });

  it.each([
    ["model", "CRAG_MODEL"],
    ["topK", "CRAG_TOP_K"],
    ["budget.webSearches", "CRAG_BUDGET_WEB_SEARCHES"],
    ["tavilyApiKey", "TAVILY_API_KEY"],
    ["thresholds.keep", "CRAG_KEEP_THRESHOLD"],
  ])("calls %s %s", (key, name) => {
    expect(entriesOf(SETTINGS).find(({ path }) => path.join(".") === key)?.env).toBe(name);
  });
});

describe("reading the environment", () => {
  it("converts text to numbers, booleans and lists", () => {
    expect(
      read({
        CRAG_TOP_K: " 7 ",
        CRAG_KEY_POINTS: "ON",
        CRAG_HYDE: "0",
        WEB_PROVIDERS: "Tavily, brave",
        CRAG_PROFILE: "Holistic",
        CRAG_BUDGET_SECONDS: "2.5",
        CRAG_POLICY_WORDS: "Secret, plan B",
      }),
    ).toEqual({
      topK: 7,
      keyPoints: true,
      hyde: false,
      webProviders: ["tavily", "brave"],
      profile: "holistic",
      budget: { seconds: 2.5 },
      policyWords: ["Secret", "plan B"],
    });
  });

  it("knows the names of the specification and of other programs", () => {
    expect(
      read({
        KB_AGENT_MAX_ITERATIONS: "5",
        MAX_RAG_LOOPS: "2",
        LLM_MODEL: "m",
        RAG_QUALITY: "quick",
      }),
    ).toEqual({ maxIterations: 5, model: "m", quality: "quick" });
    expect(read({ MAX_RAG_LOOPS: "2" })).toEqual({ maxIterations: 2 });
    expect(read({ CRAG_MODEL: "ours", LLM_MODEL: "theirs" })).toEqual({ model: "ours" });
  });

  it("treats an empty variable as unset", () => {
    expect(read({ CRAG_TOP_K: "", OPENAI_API_KEY: " " })).toEqual({});
  });

  it("removes the slash at the end of an address", () => {
    expect(read({ OPENAI_BASE_URL: "http://localhost:11434/v1/" })).toEqual({
      openaiBaseUrl: "http://localhost:11434/v1",
    });
  });

  it("reads origins and hosts as browsers state them", () => {
    expect(
      read({
        CRAG_ALLOWED_ORIGINS: "https://Chat.example.com:443/app",
        CRAG_ALLOWED_HOSTS: "RAG.example.com:8443, b\u00fccher.example",
      }),
    ).toEqual({
      allowedOrigins: ["https://chat.example.com"],
      allowedHosts: ["rag.example.com", "xn--bcher-kva.example"],
    });
  });

  it("switches the audit log off in any spelling", () => {
    expect(read({ CRAG_AUDIT_LOG: "OFF" })).toEqual({ auditLog: "off" });
  });

  it.each([
    [{ CRAG_TOP_K: "many" }, "CRAG_TOP_K=many is not a whole number from 1 to 100"],
    [{ CRAG_TOP_K: "0" }, "CRAG_TOP_K=0 is not a whole number from 1 to 100"],
    [{ CRAG_KEEP_THRESHOLD: "1.2" }, "CRAG_KEEP_THRESHOLD=1.2 is not a number from 0 to 1"],
    [{ CRAG_HYDE: "maybe" }, "CRAG_HYDE=maybe is not on or off"],
    [{ CRAG_PROFILE: "x" }, "CRAG_PROFILE=x is not one of adaptive, signals, "],
    [{ QDRANT_URL: "qdrant:6333" }, "QDRANT_URL=qdrant:6333 is not a URL that begins with http"],
    [{ CRAG_ALLOWED_HOSTS: "https://a.example" }, "CRAG_ALLOWED_HOSTS=https://a.example is not a"],
    [{ RERANKER: "voyeur" }, "RERANKER=voyeur is not one of voyage, cohere, jina"],
    [{ WEB_PROVIDERS: "tavily,bing" }, "WEB_PROVIDERS=tavily,bing is not a list of tavily, "],
  ])("refuses %j in one line", (variables, message) => {
    expect(() => read(variables)).toThrow(UserError);
    expect(() => read(variables)).toThrow(message);
  });

  it("warns of misspelled names with a suggestion", () => {
    const { warnings } = readEnvironment({
      CRAG_TOPK: "7",
      TOP_K: "7",
      CRAG_WHATEVER_THIS_IS: "1",
      crag_api_keys: "anna:key",
      CRAG_API_KEY: "anna:key",
      OPENAI_API_KY: "sk",
      MODEL: "theirs",
      PATH: "/bin",
    });
    expect(warnings).toEqual([
      "CRAG_TOPK is not a setting: did you mean CRAG_TOP_K?",
      "TOP_K is not read: the setting is called CRAG_TOP_K",
      "CRAG_WHATEVER_THIS_IS is not a setting",
      "crag_api_keys is not read: the setting is called CRAG_API_KEYS",
      "CRAG_API_KEY is not a setting: did you mean CRAG_API_KEYS?",
      "OPENAI_API_KY is not read: the setting is called OPENAI_API_KEY",
    ]);
  });
});

describe("settings from several places", () => {
  it("prefers the first, and completes them with the defaults", () => {
    const settings = completeSettings(
      { topK: 9, budget: { seconds: 5 } },
      { topK: 3, budget: { tokens: 10 } },
    );
    expect(settings).toMatchObject({
      topK: 9,
      searchMode: "auto",
      budget: { seconds: 5, tokens: 10, webSearches: 3 },
    });
  });
});
