import { describe, expect, it } from "@jest/globals";
import { checkContext, contextForm, readContext } from "../../src/settings/context.js";
import { completeSettings } from "../../src/settings/run-settings.js";
import { UserError } from "../../src/support/errors.js";

describe("the agent's settings in a run's configuration", () => {
  it("are read from the context", () => {
    expect(readContext({ context: { profile: "signals", top_k: 3 } })).toEqual({
      context: { profile: "signals", top_k: 3 },
      warnings: [],
    });
  });

  it("are read from `configurable`, except for a host's model", () => {
    const { context } = readContext({
      configurable: { profile: "signals", model: "gpt-5", thread_id: "t", user_id: 7 },
    });
    expect(context).toEqual({ profile: "signals" });
  });

  it("are read from the context first", () => {
    const { context } = readContext({ context: { top_k: 3 }, configurable: { top_k: 1 } });
    expect(context).toEqual({ top_k: 3 });
  });

  it("ignore invalid values, such as a host's own profile, with a warning", () => {
    const { context, warnings } = readContext({
      context: { profile: "admin", tenant: "acme", top_k: 3 },
    });
    expect(context).toEqual({ top_k: 3 });
    expect(warnings).toEqual([expect.stringMatching(/^profile in the run's context is ignored: /)]);
  });

  it("come with a suggestion for a misspelled key", () => {
    expect(readContext({ context: { profil: "signals" } }).warnings).toEqual([
      `the run's context has no "profil": did you mean profile?`,
    ]);
  });

  it("come with suggestions for at most fifty unknown keys", () => {
    const letters = Array.from({ length: 200 }, (_, index) => String.fromCharCode(0x3b1 + index));
    const keys = letters.map((letter) => [`top_k${letter}`, 1]);
    expect(readContext({ context: Object.fromEntries(keys) }).warnings).toHaveLength(50);
  });

  it("ignore empty fields of a form", () => {
    const budget = { seconds: null, tokens: 5 };
    expect(readContext({ context: { quality: null, top_k: undefined, budget } })).toEqual({
      context: { budget: { tokens: 5 } },
      warnings: [],
    });
  });
});

describe("a context from a caller", () => {
  it.each([
    [{ profil: "signals" }, 'there is no setting "profil" for a run: did you mean profile?'],
    [{ profile: "nope" }, "the setting profile for a run is not valid: "],
    [{ budget: { seconds: -1 } }, "the setting budget.seconds for a run is not valid: "],
  ])("is refused for %j", (context: object, message) => {
    expect(() => checkContext(context)).toThrow(UserError);
    expect(() => checkContext(context)).toThrow(message);
  });
});

describe("the form of the context", () => {
  const form = contextForm(completeSettings({ topK: 8 }));
  const { properties = {} } = form.toJSONSchema();

  it("shows type, limits, description, node and default of a setting", () => {
    expect(properties["top_k"]).toMatchObject({
      type: "integer",
      minimum: 1,
      maximum: 100,
      default: 8,
      description: expect.stringContaining("Passages"),
      langgraph_nodes: ["plan", "tools"],
    });
    expect(properties["profile"]).toMatchObject({ default: "adaptive", enum: expect.any(Array) });
  });

  it("shows no default that depends on other settings", () => {
    expect(properties["max_iterations"]).not.toHaveProperty("default");
    expect(properties["budget"]).toMatchObject({
      properties: { tokens: { default: 100_000 }, seconds: { default: 60 } },
    });
  });

  it("holds no secrets and no settings of the process", () => {
    expect(Object.keys(properties)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/key$|url$|dir$/)]),
    );
  });

  it("accepts everything: a host's own context must not fail the run", () => {
    expect(form.safeParse({ profile: "admin", budget: 5, tenant: "acme" }).success).toBe(true);
  });
});
