/** REFINE where the embedded judge graded and the kept evidence holds every word of the question: there is nothing to look for in the same way. */
import { expect, it } from "@jest/globals";
import type { Reasoner } from "../../src/reasoning/reasoner.js";
import { scriptedGraph } from "../support/scripted-parts.js";
import { passage, scriptedBase } from "../support/scripted-base.js";

const QUESTION = { question: "What did the keeper count?" };
const first = passage("alpha", "The keeper is asked what to count: the keeper did count.");
const second = passage("beta", "Twelve lanterns hang in the harbour of the old town.");

/** As the embedded judge says it when evidence is neither good nor bad and speaks of everything that was asked. */
const ambiguous: Partial<Reasoner> = {
  grade: async ({ ungraded }) => ({
    judge: "embedded",
    scores: Object.fromEntries(ungraded.map(({ id }) => [id, 0.4])),
    set: { score: 0.4, hints: [] },
  }),
};

it("makes no search with the same words in another order, and ends because nothing new would come", async () => {
  const knowledgeBase = scriptedBase([[first], [second]]);
  const { graph, events } = scriptedGraph({ knowledgeBase, reasoner: ambiguous });
  const { outcome } = await graph.invoke(QUESTION);
  expect(knowledgeBase.searches.map(({ query }) => query)).toEqual([QUESTION.question]);
  expect(outcome.causes).toContain("nothing_new");
  expect(events.filter(({ type }) => type === "tool_call")).toHaveLength(1);
});

it("tries a strategy that was not tried, in the very next round", async () => {
  const knowledgeBase = scriptedBase([[first], [second]], ["keyword", "vector"]);
  const { graph, events } = scriptedGraph({ knowledgeBase, reasoner: ambiguous });
  await graph.invoke(QUESTION);
  const planned = events.flatMap((event) =>
    event.type === "planned" ? [event.calls.map(({ tool }) => tool)] : [],
  );
  expect(planned[0]).toEqual(["keyword_search"]);
  expect(planned[1]).toContain("vector_search");
});

it("still looks for a word that the kept evidence lacks", async () => {
  const knowledgeBase = scriptedBase([[first], [second]]);
  const { graph } = scriptedGraph({ knowledgeBase, reasoner: ambiguous });
  await graph.invoke({ question: "What did the keeper count in Lisbon?" });
  expect(knowledgeBase.searches.slice(1).some(({ query }) => query.includes("Lisbon"))).toBe(true);
});

it("is judged by the embedded judge and its cut-offs to the end, also when all that comes had been discarded before", async () => {
  const off = passage("off", "The keeper paints boats.");
  const { graph } = scriptedGraph({
    knowledgeBase: scriptedBase([[off], [off]], ["keyword", "vector"]),
  });
  const { details, outcome } = await graph.invoke({
    question: "What did the mayor of Lisbon count?",
  });
  expect(outcome.status).toBe("abstained");
  expect(details?.evaluation).toMatchObject({ judge: "embedded", label: "INCORRECT", score: 0 });
});
