import { describe, expect, it } from "@jest/globals";
import { checkContext, contextForm, readContext } from "../../src/settings/context.js";
import { completeSettings } from "../../src/settings/run-settings.js";
import { UserError } from "../../src/support/errors.js";

describe("what of a run's configuration is meant for the agent", () => {
  it("is the context", () => {
    expect(readContext({ context: { profile: "signals", top_k: 3 } })).toEqual({
      context: { profile: "signals", top_k: 3 },
      warnings: [],
    });
  });

  it("is a configurable of ours, but not a host's model", () => {
    const { context } = readContext({
      configurable: { profile: "signals", model: "gpt-5", thread_id: "t", user_id: 7 },
    });
    expect(context).toEqual({ profile: "signals" });
  });

  it("is whatever stands under corrective_rag, which wins", () => {
    const { context } = readContext({
      context: { top_k: 3, corrective_rag: { top_k: 9 } },
      configurable: { model: "theirs", corrective_rag: { model: "ours", top_k: 1 } },
    });
    expect(context).toEqual({ model: "ours", top_k: 9 });
  });

  it("is nothing that would not be valid: a host's own profile is left out and named", () => {
    const { context, warnings } = readContext({
      context: { profile: "admin", tenant: "acme", top_k: 3 },
    });
    expect(context).toEqual({ top_k: 3 });
    expect(warnings).toEqual([expect.stringMatching(/^profile in the run's context is ignored: /)]);
  });

  it("is asked after where a key is misspelt", () => {
    expect(readContext({ context: { profil: "signals" } }).warnings).toEqual([
      `the run's context has no "profil": did you mean profile?`,
    ]);
  });

  it("looks for the meaning of fifty unknown keys at most", () => {
    const keys = Array.from({ length: 200 }, (_, index) => [`top_k${index}`, 1]);
    expect(readContext({ context: Object.fromEntries(keys) }).warnings).toHaveLength(50);
  });

  it("leaves out what a form sends empty", () => {
    expect(readContext({ context: { quality: null, top_k: undefined } }).context).toEqual({});
  });
});

describe("a context that a caller wrote for us", () => {
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

  it("shows type, limits, meaning and node of a setting, and what holds without it", () => {
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

  it("holds no secret and nothing of the process", () => {
    expect(Object.keys(properties)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/key$|url$|dir$/)]),
    );
  });

  it("refuses nothing: a host's context of another shape must not fail the run", () => {
    expect(form.safeParse({ profile: "admin", budget: 5, tenant: "acme" }).success).toBe(true);
  });
});
