import { describe, expect, it } from "@jest/globals";
import { withoutMarkers } from "../../src/answering/citations.js";
import { isNoAnswer, isRefusingSentence } from "../../src/answering/refusal.js";
import { verifyAnswer } from "../../src/answering/verify-answer.js";
import { passage } from "./passage.js";
import { lexical } from "./readers.js";

describe("an answer that only refuses (N13)", () => {
  it.each([
    "The sources do not state the salary of the harbour master [1].",
    "None of the documents mentions what the pier cost.",
    "I'm sorry, but I cannot answer this from the sources.",
    "There is no information about the opening hours in the context.",
    "Based on the documents, it cannot be determined when it opened.",
    "I don't know.",
    "Die Quellen nennen das Gehalt des Hafenmeisters nicht [1].",
    "Dazu enthalten die Quellen keine Angaben.",
    "Les sources n'indiquent pas le salaire du capitaine de port [1].",
    "Aucune source ne mentionne le prix.",
    "Las fuentes no indican el salario del capitán [1].",
    "No lo sé.",
    "来源中没有提到港务长的工资 [1]。",
    "根据提供的资料，无法确定塔的高度。",
    "出典には港長の給与は記載されていません [1]。",
    "その情報は資料にありません。",
    "Le fonti non indicano lo stipendio del capitano [1].",
    "As fontes não mencionam o salário [1].",
    "De bronnen vermelden het salaris niet [1].",
    "Källorna anger inte lönen [1].",
    "В источниках не указана зарплата [1].",
    "Neither source says who built it [2].",
  ])("is %j", (sentence) => {
    expect(isRefusingSentence(withoutMarkers(sentence))).toBe(true);
  });

  it.each([
    "The tower is not 330 metres tall [1].",
    "The document must not be opened by guests [1].",
    "Das Museum ist montags nicht geöffnet [1].",
    "Le musée n'est pas ouvert le lundi [1].",
    "El museo no abre los lunes [1].",
    "The non-linear context of documents is determined by the parser [1].",
    "博物馆周一不开放 [1]。",
    "博物館は月曜日には開いていません [1]。",
    "No, based on the passages, watching stories does not raise the score [1].",
    "The sources do not state the salary, but the town pays the harbour master.",
    "The harbour master is paid 3,000 euros; the sources do not say by whom.",
  ])("is not %j", (sentence) => {
    expect(isRefusingSentence(withoutMarkers(sentence))).toBe(false);
  });
});

describe("a sentence with the words of a refusal that a source states (N13)", () => {
  const source = passage(
    "terms",
    "Terms",
    "Theft is not covered. The source code is not available. The boards contain no asbestos. " +
      "The harbour master is appointed by the town.",
  );
  const verify = (answer: string) => verifyAnswer({ answer, evidence: [source], reader: lexical });

  it.each(["We do not cover theft [1].", "The source code is not available [1]."])(
    "is an answer: %j",
    async (answer) => {
      const { sentences } = await verify(answer);
      expect(sentences).toMatchObject([{ isClaim: true, carriedBy: [1] }]);
    },
  );

  it("is none where no source does", async () => {
    const { sentences } = await verify(
      "Sorry. The sources do not state the salary of the harbour master [1]. Please ask again.",
    );
    const none = { isClaim: false, citations: [] };
    expect(sentences).toMatchObject([none, none, none]);
  });
});

it.each([
  '<tool_call>{"name": "search", "arguments": {}}</tool_call> [1]',
  '{"answer": "The tower is tall."}',
  "<|channel|>analysis<|message|>The user asks about the tower.",
  '[TOOL_CALLS] [{"name": "search"}]',
])("takes %j for no answer (N17)", (text) => {
  expect(isNoAnswer(text)).toBe(true);
});

it.each([
  "The tower is tall [1].",
  "[1] The tower is tall.",
  'Send `{"answer": 1}` to the server [1].',
  "The token `<|im_end|>` ends a turn [1].",
])("takes %j for an answer", (text) => {
  expect(isNoAnswer(text)).toBe(false);
});
