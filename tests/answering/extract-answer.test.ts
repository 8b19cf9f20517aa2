import { describe, expect, it } from "@jest/globals";
import { assembleWindow } from "../../src/answering/context-window.js";
import { extractAnswer } from "../../src/answering/quoting/extract-answer.js";
import { guardAnswer } from "../../src/answering/guard.js";
import { wholePassages } from "../../src/answering/strips.js";
import type { Evidence } from "../../src/state/evidence.js";
import { passage } from "./passage.js";

const tower = passage(
  "tower",
  "Eiffel Tower",
  "The Eiffel Tower is a wrought-iron lattice tower in Paris.[5] It was completed on 31 March 1889 and named after **Gustave Eiffel**. The tower is 330 metres tall.\n\n" +
    "Maurice Koechlin and Émile Nouguier designed the first drawings. The tower was criticised because artists found it ugly.",
);
const guide = passage(
  "guide",
  "Server guide",
  "# Starting the server\n\nRun the server with the start command:\n\n```sh\nnpm start -- --port 8080\n```\n\n## Ports\n\n| Setting | Default |\n|---|---|\n| PORT | 8080 |\n| HOST | localhost |\n\n" +
    "To change the log level:\n\n- open `config.json`\n- set `logLevel` to `debug`\n- restart the server\n",
);

async function ask(question: string, evidence: Evidence[], evidenceScore?: number) {
  const window = await assembleWindow({ evidence, strips: wholePassages(evidence) });
  return extractAnswer({
    question,
    window,
    evidence,
    evidenceScore,
    abstainBelow: 0.3,
    confidentFrom: 0,
  });
}

describe("a short direct answer first", () => {
  it("gives the date", async () => {
    const { text } = await ask("When was the Eiffel Tower completed?", [tower]);
    expect(text).toMatch(
      /^\*\*31 March 1889\*\* — It was completed on 31 March 1889 and named after Gustave Eiffel\. \[1\]/u,
    );
  });

  it("gives the number with its unit", async () => {
    expect((await ask("How tall is the Eiffel Tower?", [tower])).text).toMatch(
      /^\*\*330 metres\*\* — The tower is 330 metres tall\. \[1\]/u,
    );
  });

  it("gives the person who did it", async () => {
    expect((await ask("Who designed the first drawings of the tower?", [tower])).text).toMatch(
      /^(?:\*\*)?Maurice Koechlin/u,
    );
  });

  it("stays within about sixty words, markup and footnotes gone", async () => {
    const { text } = await ask("Where is the Eiffel Tower?", [tower, guide]);
    expect(text.split(/\s+/u).length).toBeLessThanOrEqual(65);
    expect(text).not.toContain("[5]");
  });
});

describe("longer answers", () => {
  it("quotes the sentence with the reason", async () => {
    expect((await ask("Why was the tower criticised?", [tower])).text).toContain(
      "because artists found it ugly. [1]",
    );
  });

  it("gives the code that a lead-in announces", async () => {
    const { text } = await ask("How do I start the server?", [guide]);
    expect(text).toContain("npm start -- --port 8080");
  });

  it("gives the steps of a list", async () => {
    const { text } = await ask("How do I change the log level?", [guide]);
    expect(text).toContain("- set `logLevel` to `debug` [1]");
    expect(text).toContain("- restart the server [1]");
  });

  it("reads a table row", async () => {
    expect((await ask("What is the default PORT setting?", [guide])).text).toContain("PORT: 8080");
  });
});

describe("when it does not answer", () => {
  it("says so when the evidence was found too weak", async () => {
    expect(await ask("How tall is the Eiffel Tower?", [tower], 0.1)).toMatchObject({
      text: "",
      unanswerable: true,
      reason: expect.stringContaining("too weak"),
    });
  });

  it("says so when no sentence bears on the question, or there is none", async () => {
    expect(await ask("Which enzyme digests lactose?", [guide])).toMatchObject({
      unanswerable: true,
    });
    expect(await ask("Anything?", [])).toMatchObject({
      unanswerable: true,
      reason: "no evidence was found",
    });
  });

  it("is less confident about a question whose subject is missing", async () => {
    const known = await ask("How tall is the Eiffel Tower?", [tower]);
    const unknown = await ask("How tall was the Colossus of Rhodes in 1950?", [tower]);
    expect(unknown.confidence).toBeLessThan(known.confidence);
  });
});

describe("a graded question with the shipped cut-offs", () => {
  const turm = passage(
    "turm",
    "Eiffelturm",
    "Der Eiffelturm in Paris wurde 1889 von Gustave Eiffel gebaut. Er ist 330 Meter hoch.",
  );
  const mauer = passage(
    "mauer",
    "长城",
    "长城是中国古代的军事防御工程。长城总长超过两万公里，始建于公元前七世纪。",
  );
  const keys = passage(
    "keys",
    "API keys",
    "The key is sent in a header. Keys expire after 90 days. Contact Maria Lopez to renew a key.",
  );
  const graded = async (question: string, item: Evidence) => {
    const window = await assembleWindow({ evidence: [item], strips: wholePassages([item]) });
    return extractAnswer({
      question,
      window,
      evidence: [item],
      evidenceScore: 0.6,
      abstainBelow: 0.22,
    });
  };

  it.each([
    ["Wer baute den Eiffelturm?", turm, "Gustave Eiffel"],
    ["长城有多长？", mauer, "两万公里"],
    ["Who do I contact to renew a key?", keys, "Maria Lopez"],
    ["When do keys expire?", keys, "90 days"],
  ])("answers %s, short or in another language as it is", async (question, item, wanted) => {
    expect((await graded(question, item)).text).toContain(wanted);
  });

  it("withholds a fact about something else than the question names", async () => {
    expect(
      await graded("In what year did Gustave Eiffel lose the Battle of Hastings?", turm),
    ).toMatchObject({ unanswerable: true });
  });
});

it("passes its own guard untouched", async () => {
  const questions = [
    "When was the Eiffel Tower completed?",
    "How tall is the Eiffel Tower?",
    "Why was the tower criticised?",
    "How do I start the server?",
    "How do I change the log level?",
  ];
  for (const question of questions) {
    const evidence = [tower, guide];
    const { text } = await ask(question, evidence);
    expect(guardAnswer({ answer: text, evidence, question, mayRetry: true })).toMatchObject({
      verdict: "pass",
      text,
      withdrawn: [],
    });
  }
});
