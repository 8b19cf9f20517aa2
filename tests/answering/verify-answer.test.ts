import { describe, expect, it } from "@jest/globals";
import { checkFigures, factOf, factsOf, statementsOf } from "../../src/answering/figures.js";
import { verifyAnswer } from "../../src/answering/verify-answer.js";
import type { Reader } from "../../src/reader/reader.js";

/** A reader that costs nothing, so that only the comparison of facts is measured. */
const reader = {
  support: ({ claims }: { claims: readonly string[] }) =>
    Promise.resolve(claims.map(() => ({ value: 0.5, best: { evidence: 0, start: 0, end: 10 } }))),
} as unknown as Reader;

describe("a long answer against long passages", () => {
  const towns = Array.from({ length: 20 }, (_, town) =>
    `Dunmore was founded in ${1000 + town} by ${12 + town} people. `.repeat(80),
  );
  const numbers = Array.from({ length: 20 }, (_, part) =>
    Array.from({ length: 500 }, (_, each) => `${part * 1000 + each} x`).join(". "),
  );
  it.each([
    ["1 2 3 4 5 6. ", numbers],
    ["1803 2211 37 44 599 61. ", towns],
    ["- a 1803.\n", towns],
    ["Dunmore was 77. ", towns],
    ["Dunmore people 1999 [1][2][3]. ", numbers],
    ["Ada Bold says so. ", towns],
  ])("is compared in seconds, not minutes: %j", async (sentence, passages) => {
    const answer = sentence.repeat(Math.floor(6_000 / sentence.length));
    const before = process.cpuUsage();
    await verifyAnswer({ answer, evidence: passages.map((text) => ({ text })), reader });
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(60);
  });
});

describe("a name that no source holds", () => {
  const text = "The old bridge of Dunmore was built in 1803. Dr. Mary Ash owns it.";
  const verified = async (answer: string) =>
    (await verifyAnswer({ answer, evidence: [{ text }], reader })).sentences.map(
      ({ isUnfounded }) => isUnfounded,
    );
  it.each([
    "The EVIL bridge is owned by Mr. Evil [1].",
    "Bertram Mallory owns the bridge [1].",
    "The bridge was built in 1803 for Prof. Mallory [1].",
  ])("is told, also behind a title: %s", async (answer) =>
    expect(await verified(answer)).toEqual([true]),
  );
  it("is not seen in one that a source holds", async () =>
    expect(await verified("Dr. Ash owns the bridge [1]. Mrs. Ash does [1].")).toEqual([
      false,
      false,
    ]));
});

describe("a name of which the sources have the initials", () => {
  const text = "The BLS counts them in the U.S. each year, employers pay NICs, and IAM is free.";
  const problemsIn = async (answer: string) =>
    (await verifyAnswer({ answer, evidence: [{ text }], reader })).sentences
      .flatMap(({ problems }) => problems)
      .join();
  it.each([
    "The Bureau of Labor Statistics counts them [1].",
    "They are counted in the United States [1].",
    "Employers pay National Insurance Contributions each year [1].",
    "Nothing is paid for Identity and Access Management [1].",
  ])("is known: %s", async (answer) => expect(await problemsIn(answer)).toBe(""));
  it("is unknown with other initials", async () =>
    expect(await problemsIn("The Board of Labor Unions counts them [1].")).toBe(
      "Labor Unions is in no source",
    ));
});

describe("a claim beside a refusal", () => {
  const evidence = [{ text: "Dunmore has a bridge." }];
  const byRefusal = {
    support: ({ claims }: { claims: readonly string[] }) =>
      Promise.resolve(
        claims.map((claim) => ({
          value: claim.startsWith("The sources") ? 0.1 : 0.7,
          best: { evidence: 0, start: 0, end: 10 },
        })),
      ),
  } as unknown as Reader;
  const scoreIn = async (answer: string) => {
    const { sentences } = await verifyAnswer({ answer, evidence, reader: byRefusal });
    return sentences.find(({ isClaim }) => isClaim)?.score ?? 0;
  };
  const [refusal, claim] = ["The sources do not say who built it.", "Dunmore has a bridge [1]."];
  it("counts less behind it, where models go on from memory, and as much before it", async () => {
    const alone = await scoreIn(claim);
    expect(await scoreIn(`${refusal} ${claim}`)).toBeLessThan(alone);
    expect(await scoreIn(`${claim} ${refusal}`)).toBe(alone);
  });
});

describe("a sentence that one source supports", () => {
  const evidence = [{ text: "One." }, { text: "Two." }];
  const split = {
    support: ({ claims, evidence: read }: Parameters<Reader["support"]>[0]) =>
      Promise.resolve(
        claims.map(() => ({
          value: read.length > 1 ? 0.9 : 0.6,
          best: { evidence: 0, start: 0, end: 4 },
        })),
      ),
  } as unknown as Reader;
  it.each([
    ["by all, if it cites none", "The bridge is old.", 0.9],
    ["by that one alone, if it cites it", "The bridge is old [1].", 0.6],
    ["by all, if it cites several", "The bridge is old [1, 2].", 0.9],
  ])("is judged %s", async (_what, answer, value) => {
    const { sentences } = await verifyAnswer({ answer, evidence, reader: split });
    expect(sentences[0]?.signals?.support).toBe(value);
  });
});

describe("a number that follows from another one of the sentence that follows", () => {
  const source = statementsOf(
    factsOf("A ticket costs 8 euros and the boat 12 euros. Members get 20 % off the sum."),
  );
  const absent = (claim: string) =>
    checkFigures(factOf(claim), { stated: [source], near: [source] }).absent;
  it.each([
    "Ticket and boat together cost 20 euros, so members pay 16 euros.",
    "Ticket and boat together cost 20 euros, and three people pay 60 euros.",
  ])("is computed in two steps: %s", (claim) => expect(absent(claim)).toEqual([]));
  it.each([
    "Ticket and boat together cost 20 euros, so members pay 15 euros.",
    "Ticket and boat together cost 21 euros, so members pay 16.80 euros.",
  ])("is missing if one of them is wrong: %s", (claim) => expect(absent(claim)).not.toEqual([]));
});
