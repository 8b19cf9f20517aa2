import { describe, expect, it } from "@jest/globals";
import { newCalls } from "../../src/state/run-record.js";

const search = (query: string) => ({ tool: "web_search", args: { query, limit: 5 } });

describe("a query that was asked before (N19)", () => {
  it.each(["who won the race", "Who won the race?", " Who  won the RACE ?"])(
    "is not asked again in another form: %j",
    (query) => expect(newCalls([search(query)], [search("Who won the race?")])).toEqual([]),
  );
  it("is asked once where it stands in one round in two forms", () =>
    expect(newCalls([search("Who won?"), search("who won")], [])).toHaveLength(1));
  it.each(['"who won the race"', "who won the race in C#", "the race who won"])(
    "is another one, if the search may find something else: %s",
    (query) => expect(newCalls([search(query)], [search("Who won the race?")])).toHaveLength(1),
  );
});

describe("a call of a tool", () => {
  it("is the same with its arguments in another order, and another with other arguments", () => {
    const made = [{ tool: "grep_search", args: { pattern: "E07", path: "a.md" } }];
    const again = (args: Record<string, string>) => newCalls([{ tool: "grep_search", args }], made);
    expect(again({ path: "a.md", pattern: "E07" })).toEqual([]);
    expect(again({ path: "a.md", pattern: "e07" })).toHaveLength(1);
  });
});
