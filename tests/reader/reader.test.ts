import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { createReader } from "../../src/reader/create-reader.js";
import { isEnglish } from "../../src/text/languages.js";
import { plainCoverage } from "../../evals/plain-coverage.js";
import type { ReadablePassage, Reader, UnitPassage } from "../../src/reader/reader.js";

const reader = createReader({ model: "lexical" });
const passage = (text: string, title = "", headings: string[] = []): ReadablePassage => ({
  title,
  headings,
  text,
});

describe("relevance", () => {
  const question = "When was the lighthouse of Kellmouth built?";
  const answers = passage("The lighthouse of Kellmouth was built in 1871 by Anna Reed.");
  const beside = passage("Kellmouth has a harbor and a market. A lighthouse stands in Orlan.");
  const nothing = passage("Fish live in water.");

  it("ranks what answers above what only shares words, and that above the rest", async () => {
    const { passages } = await reader.relevance({
      question,
      passages: [nothing, beside, answers],
    });
    const [none = 1, some = 1, best = 0] = passages.map(({ value }) => value);
    expect(best).toBeGreaterThan(some);
    expect(some).toBeGreaterThan(none);
  });
  it("gives an empty set probability 0", async () =>
    expect(await reader.relevance({ question, passages: [] })).toEqual({ value: 0, passages: [] }));
  it("does not depend on the order of the passages", async () => {
    const forth = await reader.relevance({ question, passages: [answers, beside] });
    const back = await reader.relevance({ question, passages: [beside, answers] });
    expect(back.value).toBe(forth.value);
    expect(back.passages[1]).toEqual(forth.passages[0]);
  });
  it("reads the headings above a passage", async () => {
    const asked = "What does error code E07 mean?";
    const text = "The chuck is not closed.";
    const [bare, headed] = await Promise.all(
      [passage(text, "Drill"), passage(text, "Drill", ["Error codes", "E07"])].map((each) =>
        reader.relevance({ question: asked, passages: [each] }),
      ),
    );
    expect(headed?.value).toBeGreaterThan(1.5 * (bare?.value ?? 1));
  });
  it("counts no function word of another language, which every passage has", async () => {
    const passages = [passage("Die Biotonne wird alle zwei Wochen am Dienstag geleert.")];
    const valueOf = async (asked: string) =>
      (await reader.relevance({ question: asked, passages })).passages[0]?.value ?? 1;
    // Below the default of `abstainBelow`.
    for (const other of ["Was macht die Leber?", "Wie hoch ist die Zugspitze?", "Wer war das?"])
      expect(await valueOf(other)).toBeLessThan(0.08);
    expect(await valueOf("Wie oft wird die Biotonne geleert?")).toBeGreaterThan(0.3);
  });
  it("rejects only when its signal aborts", async () =>
    expect(
      reader.relevance({ question, passages: [answers], signal: AbortSignal.abort() }),
    ).rejects.toThrow(/abort/iu));
  it("copes with empty and endless texts", async () => {
    const passages = [passage(""), passage("a ".repeat(200_000)), passage("x".repeat(200_000))];
    const { value } = await reader.relevance({ question: "", passages });
    expect(value).toBeGreaterThanOrEqual(0);
    expect(value).toBeLessThanOrEqual(1);
  });
});

describe("reading question and passages together", () => {
  const question = "When was the lighthouse of Kellmouth built?";
  const cut = (...sentences: string[]): UnitPassage => {
    const text = sentences.join(" ");
    const units = sentences.map((each) => {
      const start = text.indexOf(each);
      return { start, end: start + each.length, text: each };
    });
    return { title: "", text, units };
  };
  const answers = cut("Kellmouth has a harbor.", "The lighthouse of Kellmouth was built in 1871.");
  const nothing = cut("Fish live in water.");

  it("puts the passage first that answers, and values its unit above the others", async () => {
    const read = await reader.read({ question, passages: [nothing, answers] });
    expect(read.order).toEqual([1, 0]);
    const [harbor = 1, built = 0] = read.passages[1]?.units ?? [];
    expect(built).toBeGreaterThan(harbor);
    expect(read.passages.map(({ units }) => units.length)).toEqual([1, 2]);
  });
  it("is confident in what the encoder has read only, whatever words are shared", async () => {
    const trained = createReader();
    const confidence = async (by: Reader, asked: string, passage: UnitPassage): Promise<number> =>
      (await by.read({ question: asked, passages: [passage] })).confidence;
    const right = await confidence(trained, question, answers);
    expect(right).toBeGreaterThan(2 * (await confidence(trained, question, nothing)));
    expect(await confidence(reader, question, answers)).toBe(0);
    const inGerman = cut("Eine Waschmarke kostet 1,50 Euro und ist beim Hausmeister erhältlich.");
    expect(await confidence(trained, "Wer ist der Hausmeister?", inGerman)).toBe(0);
    await trained.close?.();
  });
  it("is less confident where search puts another passage before the one that answers", async () => {
    const trained = createReader();
    const confidence = async (found: number, other: number): Promise<number> => {
      const passages = [
        { ...answers, found },
        { ...nothing, found: other },
      ];
      return (await trained.read({ question, passages })).confidence;
    };
    const agreed = await confidence(0.6, 0.5);
    expect(agreed).toBeGreaterThan(0.8);
    expect(await confidence(0.5, 0.6)).toBeLessThan(agreed);
    expect(await confidence(0.9, 0.1)).toBe(await confidence(0.8, 0.1));
    await trained.close?.();
  });
  it("never takes a question for the answer, as in a list of review questions", async () => {
    const passage = cut("When was Kellmouth's lighthouse built?", "Kellmouth has a harbor.");
    const read = await reader.read({ question, passages: [passage] });
    const [asked = 1, harbor = 0] = read.passages[0]?.units ?? [];
    expect(asked).toBeLessThan(harbor);
  });
  it("has no confidence without a unit that could be quoted", async () => {
    const none = { passages: [], order: [], confidence: 0 };
    expect(await reader.read({ question, passages: [] })).toEqual(none);
    const { confidence } = await reader.read({
      question,
      passages: [{ ...answers, units: [] }],
    });
    expect(confidence).toBe(0);
  });
});

describe("support", () => {
  const evidence = [
    passage("Fish live in water."),
    passage("The tower is 330 meters tall. It was finished in 1889 by Gustave Eiffel."),
  ];
  const supportOf = async (claim: string, question?: string) => {
    const [support] = await reader.support({ claims: [claim], evidence, question });
    return support;
  };

  it("finds the sentence that carries a claim, by its offsets", async () => {
    const support = await supportOf("The tower was finished in 1889.");
    expect(support?.value).toBeGreaterThan(0.5);
    const { evidence: index = 0, start, end } = support?.best ?? {};
    expect(evidence[index]?.text.slice(start, end)).toMatch(/^It was finished in 1889/u);
  });
  it("holds a sentence of the evidence supported, word for word, and reads every other", async () => {
    const trained = createReader();
    const [same, turned] = await trained.support({
      claims: ["It was finished in 1889 by Gustave Eiffel.", "It was not finished in 1889."],
      evidence,
    });
    await trained.close?.();
    expect(same).toMatchObject({ value: 0.95, best: { evidence: 1, start: 30 } });
    expect(same?.signals).not.toHaveProperty("joint");
    expect(turned?.signals).toHaveProperty("joint");
    expect(turned?.value).toBeLessThan(0.5);
  });
  it("ties an item of a list to itself, and not to a sentence before it with the same words", async () => {
    const text =
      "The guard checks all, and takes nothing away.\n\n- mark: nothing is withdrawn.\n- off: nothing is checked.";
    const [item] = await reader.support({
      claims: ["off: nothing is checked."],
      evidence: [{ title: "", text }],
    });
    expect(text.slice(item?.best?.start)).toBe("- off: nothing is checked.");
  });
  it("trusts a claim less whose number or name stands nowhere", async () => {
    const sound = await supportOf("The tower is 330 meters tall.");
    const number = await supportOf("The tower is 350 meters tall.");
    const built = await supportOf("It was finished in 1889 by Gustave Eiffel.");
    const name = await supportOf("It was finished in 1889 by Anna Reed.");
    expect(number?.value).toBeLessThan(sound?.value ?? 0);
    expect(name?.value).toBeLessThan(built?.value ?? 0);
    expect(number?.signals["numberAbsent"]).toBe(1);
  });
  it("asks no proof for the question's own words", async () => {
    const claim = "The Kellmouth tower is 330 meters tall.";
    const asked = await supportOf(claim, "How tall is the Kellmouth tower?");
    expect(asked?.value).toBeGreaterThan((await supportOf(claim))?.value ?? 1);
  });
});

describe("a reader with LangChain's Embeddings", () => {
  const input = { question: "Where do fish live?", passages: [passage("Fish live in water.")] };
  afterEach(() => void jest.useRealTimers());

  it.each<[string, () => Promise<number[]>]>([
    ["that fail", async () => Promise.reject(new Error("503 overloaded"))],
    ["that are no numbers", async () => [Number.NaN, 1]],
  ])("judges by words while vectors come %s, and by vectors again later", async (_name, fails) => {
    jest.useFakeTimers();
    let isDown = true;
    const embed = async (): Promise<number[]> => (isDown ? fails() : [1, 0]);
    const notices: string[] = [];
    const embedded = createReader({
      embeddings: { embedQuery: embed, embedDocuments: async () => [await embed()] },
      notice: (message) => void notices.push(message),
    });
    const byWords = await reader.relevance(input);
    expect(await embedded.relevance(input)).toEqual(byWords);
    isDown = false;
    expect(await embedded.relevance(input)).toEqual(byWords);
    expect(notices).toEqual([expect.stringContaining("evidence is judged by words alone")]);
    jest.advanceTimersByTime(61_000);
    expect((await embedded.relevance(input)).passages[0]?.signals).toHaveProperty("cosine", 1);
  });

  it.each<[string, (texts: string[]) => Promise<number[][]>]>([
    ["of the wrong size", async (texts) => texts.map(() => [])],
    [
      "not at all, by an error thrown at once",
      () => {
        throw new Error("no key");
      },
    ],
  ])("judges by words if vectors come %s", async (_name, embedDocuments) => {
    const embedQuery = async (): Promise<number[]> => [1, 0];
    const notices: string[] = [];
    const embedded = createReader({
      embeddings: { embedQuery, embedDocuments },
      notice: (message) => void notices.push(message),
    });
    expect(await embedded.relevance(input)).toEqual(await reader.relevance(input));
    expect(notices).toEqual([expect.stringContaining("evidence is judged by words alone")]);
  });
});

describe("a question in another language", () => {
  const input = { question: "Wo leben die Fische?", passages: [passage("Sie leben im Wasser.")] };

  it("is read by your own embeddings, and by words alone without any", async () => {
    const embed = async (): Promise<number[]> => [1, 0];
    const embeddings = { embedQuery: embed, embedDocuments: async () => [await embed()] };
    const [own] = (await createReader({ embeddings }).relevance(input)).passages;
    expect(own?.signals).toHaveProperty("cosine", 1);
    const shipped = createReader();
    expect(await shipped.relevance(input)).toEqual(await reader.relevance(input));
    await shipped.close();
  });
});

describe("telling English from other languages", () => {
  it.each([
    ["Where is Potsdam?", true],
    ["E07", true],
    ["Wie viele Mitglieder hatte The Manson Family?", false],
    ["In welchem Bundesland liegt Potsdam?", false],
    ["Où est né Victor Hugo ?", false],
    ["¿Dónde nació Cervantes?", false],
    ["Google公司总部位于哪里？", false],
  ])("%j: %s", (text, english) => expect(isEnglish(text)).toBe(english));
});

it("measures plain coverage, the baseline: rare words weigh more than common ones", () => {
  const question = "history of Zorbin";
  expect(plainCoverage(question, "Zorbin is a town.")).toBeGreaterThan(
    plainCoverage(question, "A history."),
  );
  expect(plainCoverage(question, "")).toBe(0);
});

it("embeds with a caller's embeddings the passages alone, and tells their units apart by words", async () => {
  const asked: number[] = [];
  const embeddings = {
    embedDocuments: async (texts: string[]) => {
      asked.push(texts.length);
      return texts.map(() => [1, 0]);
    },
    embedQuery: async () => [1, 0],
  };
  const units = Array.from({ length: 40 }, (_, at) => ({ start: at * 10, end: at * 10 + 9 }));
  const text = units.map((_, at) => `Bee ${String(at).padStart(2, "0")}.  `.slice(0, 10)).join("");
  const reader = createReader({ embeddings });
  const { passages } = await reader.read({
    question: "Which bee?",
    passages: [
      {
        title: "Bees",
        text,
        units: units.map((place) => ({ ...place, text: text.slice(place.start, place.end) })),
      },
    ],
  });
  expect(asked).toEqual([1]);
  expect(passages[0]?.units).toHaveLength(40);
});
