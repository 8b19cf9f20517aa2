import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { passageBase } from "../../evals/live/passage-base.js";
import { PASSAGES } from "../../evals/live/questions.js";
import { createCorrectiveRag } from "../../src/corrective-rag.js";
import type { CorrectiveRag, CorrectiveRagResult } from "../../src/corrective-rag.js";
import type { ModelServer } from "../support/model-server.js";
import { startModelServer } from "../support/model-server.js";

// Whole runs of the agent, on machines that do other things besides.

/** A model that lies, behind the compiled graph: the guard must catch it whatever it says. */
describe("in the compiled graph, a model's answer", () => {
  let server: ModelServer;
  let agent: CorrectiveRag;
  beforeAll(async () => {
    server = await startModelServer();
    agent = createCorrectiveRag({
      environment: {
        OPENAI_BASE_URL: server.baseUrl,
        LLM_MODEL: "test-model",
        KB_AGENT_AUDIT_LOG_PATH: "off",
        CRAG_READER: "lexical",
        WEB_SEARCH: "off",
      },
      knowledgeBase: passageBase(PASSAGES),
      checkpointer: false,
    });
  });
  afterAll(async () => {
    await agent.close();
    await server.close();
  });
  beforeEach(() => server.reset());

  async function answered(question: string, answer: string): Promise<CorrectiveRagResult> {
    // The number of the source that holds the words, whatever the order in which the sources are shown; {other} is one that does not.
    server.script("answer", ({ user }: { user: string }) => {
      const sources = [...user.matchAll(/<source id="(\d+)">\n([\s\S]*?)\n<\/source>/g)];
      const right =
        sources.find(([, , text = ""]) => /1,208|Brandt|income tax|07:15/.test(text))?.[1] ?? "1";
      const other = sources.find(([, id]) => id !== right)?.[1] ?? "9";
      return answer.replaceAll("{right}", right).replaceAll("{other}", other);
    });
    return agent.ask(question, { context: { max_iterations: 0 } });
  }

  /** Withdrawn, or marked as not confirmed: never told as supported. */
  function expectCaught({
    citations,
    outcome,
  }: Pick<CorrectiveRagResult, "citations" | "outcome">): void {
    if (outcome.status === "success") expect(citations.length).toBeGreaterThan(0);
    for (const { status } of citations) expect(status).not.toBe("supported");
  }

  it("with an invented number is caught", async () => {
    const { citations, outcome, warnings } = await answered(
      "How high is Mount Ashen?",
      "Mount Ashen is 1,508 metres high [{right}].",
    );
    expectCaught({ citations, outcome });
    expect(warnings.join("\n")).toContain("1,508");
  });

  it("with a swapped name and invented details is caught", async () => {
    const { citations, outcome, warnings } = await answered(
      "Who led the first settlers?",
      "They were led by Olaf Steen, a merchant from Bergen [{right}].",
    );
    expectCaught({ citations, outcome });
    expect(warnings.join("\n")).toContain("Olaf Steen");
  });

  it.each([
    [
      "Who led the first settlers?",
      "The first settlers came in 1647 under Captain Olaf Steen [{right}].",
      "Captain Ida Brandt",
    ],
    [
      "Does the council levy an income tax?",
      "The council does levy an income tax [{right}].",
      "does not levy an income tax",
    ],
  ])(
    "with nothing but a name swapped or a 'not' missing passes, and its citation shows what the source says: %s",
    async (question, lie, truth) => {
      const { answer, citations } = await answered(question, lie);
      expect(answer).toContain(lie.split(" [")[0]);
      expect(citations.map(({ quote }) => quote).join("\n")).toContain(truth);
    },
  );

  it("that cites the wrong source is caught: the claim is tied to the right source, or withdrawn", async () => {
    const { citations } = await answered(
      "How high is Mount Ashen?",
      "Mount Ashen is 1,208 metres high [{other}].",
    );
    for (const { quote, status } of citations)
      if (status === "supported") expect(quote).toContain("1,208");
  });

  it("that cites a missing source, or none, ends with real citations or without the claim", async () => {
    for (const marker of ["[17]", ""]) {
      const { answer, citations, sources } = await answered(
        "How high is Mount Ashen?",
        `Mount Ashen is 1,208 metres high ${marker}.`,
      );
      expect(answer).not.toContain("[17]");
      const markers = new Set(sources.map(({ marker: known }) => known));
      for (const citation of citations) expect(markers.has(citation.marker)).toBe(true);
      if (answer.includes("1,208 metres high")) expect(citations.length).toBeGreaterThan(0);
    }
  });

  it("in another language than the evidence is caught or reported", async () => {
    const { outcome, warnings } = await answered(
      "How high is Mount Ashen?",
      "Der Berg Ashen erhebt sich hoch über dem Meer und ist sehr bekannt [{right}].",
    );
    expect(warnings.length > 0 || outcome.status === "abstained").toBe(true);
  });

  it("that is right stays as it is", async () => {
    const { answer, warnings, outcome } = await answered(
      "How high is Mount Ashen?",
      "Its highest point is Mount Ashen at 1,208 metres [{right}].",
    );
    expect(answer).toMatch(/^Its highest point is Mount Ashen at 1,208 metres \[\d\]\.$/);
    expect({ warnings, outcome }).toEqual({
      warnings: [],
      outcome: { status: "success", causes: [] },
    });
  });
});
