import { describe, expect, it } from "@jest/globals";
import type { ClaimFeatures } from "../../src/grading/claims/claim-features.js";
import {
  CLAIM_FEATURES,
  measureClaim,
  SPEAKS_FOR,
} from "../../src/grading/claims/claim-features.js";
import {
  CLAIM_MODEL,
  claimProbability,
  fitClaimModel,
} from "../../src/grading/claims/claim-model.js";
import { bareClaim } from "../../src/grading/claims/claim-overlap.js";
import { isCommonOpener } from "../../src/grading/claims/common-openers.js";
import { namesOf } from "../../src/grading/claims/claimed-names.js";
import { kinship } from "../../src/grading/claims/kinship.js";
import { prepareText } from "../../src/grading/claims/prepared-text.js";

const measure = (claim: string, ...evidence: string[]): ClaimFeatures =>
  measureClaim({ claim: bareClaim(claim), evidence: evidence.map(prepareText) }).features;

describe("the features of a claim", () => {
  it("count words of one family as nearly equal", () => {
    expect(kinship("bridge", "bridge")).toBe(1);
    expect(kinship("photograph", "photographi")).toBe(0.8);
    expect(kinship("sing", "singer")).toBe(0.7);
    expect(kinship("car", "cart")).toBe(0);
    const claim = "The photographer painted churches.";
    expect(measure(claim, "Photographs of painters and of a church.").agreement).toBeGreaterThan(
      measure(claim, "Reports of farmers and of a school.").agreement,
    );
  });

  it("give less for the same words among many other sentences", () => {
    const carrier = "The Rhine flows through Cologne.";
    const others = Array.from(
      { length: 60 },
      () => "Bread is baked from flour and water in an oven.",
    );
    const alone = measure("The Rhine flows through Cologne.", carrier);
    const among = measure("The Rhine flows through Cologne.", [...others, carrier].join(" "));
    expect(among.information).toBeLessThan(alone.information);
    expect(among.agreement).toBeCloseTo(alone.agreement);
  });

  it("do not change with other texts beside the one that carries the claim", () => {
    const carrier = "The Rhine flows through Cologne. It is a river in Europe.";
    const alone = measure("The Rhine flows through Cologne.", carrier);
    const beside = measure(
      "The Rhine flows through Cologne.",
      "Bread is baked from flour.",
      carrier,
      "Glass is made from sand.",
    );
    expect(beside).toEqual(alone);
  });

  it("take the beginning of a text as said in all of it", () => {
    const body =
      "Bread is baked from flour. It is sold in many shops. It was first crossed in 1930.";
    const claim = "The Velmora bridge was first crossed in 1930.";
    expect(measure(claim, `Velmora bridge. ${body}`).information).toBeGreaterThan(
      measure(claim, `Harbour road. ${body}`).information,
    );
  });

  it("tell numbers that stand nowhere from those that stand elsewhere and from those of a list", () => {
    const text =
      "The mill was built in 1850. It has one owner. Visitors come from far away. They stay for days. Some fish. In 1920 the roof burned.";
    expect(measure("The mill was built in 1850.", text)).toMatchObject({
      numbersMissing: 0,
      numberElsewhere: 0,
    });
    expect(
      measure(
        "The mill was built by its owner, whom visitors from far away admire, before 1920.",
        text,
      ),
    ).toMatchObject({
      numbersMissing: 0,
      numberElsewhere: 1,
    });
    expect(measure("The mill was built in 1851.", text)).toMatchObject({
      numbersMissing: 1,
      anyNumberMissing: 1,
    });
    expect(measure("7. The mill has one owner [3].", text)).toMatchObject({ anyNumberMissing: 0 });
  });

  it("see words in another order, a source that denies, and an opposite", () => {
    const text = "Arsenal beat Chelsea in the final.";
    expect(measure("Arsenal beat Chelsea.", text).disorder).toBe(0);
    expect(measure("Chelsea beat Arsenal.", text).disorder).toBe(1);
    expect(measure("The road was opened.", "The road was never opened.").sourceDenies).toBe(1);
    expect(measure("Prices increased in May.", "Prices decreased in May.").opposite).toBe(1);
  });
});

describe("the claim model", () => {
  it("gives no feature a weight against what it says by its nature", () => {
    const weights = CLAIM_FEATURES.map(
      (name) => [name, CLAIM_MODEL.features[name]?.weight ?? 0] as const,
    );
    for (const [name, weight] of weights)
      expect([name, SPEAKS_FOR.has(name) ? weight >= 0 : weight <= 0]).toEqual([name, true]);
  });

  it("is fitted the same way every time, and leaves out what the examples would turn round", () => {
    const examples = Array.from({ length: 40 }, (_, index) => ({
      features: {
        ...measure("", ""),
        information: index / 40,
        numbersMissing: index % 2,
        disorder: index / 40,
      },
      supported: index > 20,
    }));
    const model = fitClaimModel(examples, 1);
    expect(fitClaimModel(examples, 1)).toEqual(model);
    expect(model.features["information"]?.weight).toBeGreaterThan(0);
    expect(model.features["disorder"]?.weight ?? 0).toBeCloseTo(0);
    const probable = (information: number): number =>
      claimProbability({ ...measure("", ""), information }, model);
    expect(probable(0.9)).toBeGreaterThan(probable(0.1));
  });
});

describe("names at the beginning of a sentence", () => {
  const names = (text: string): string[] => namesOf(text).map(({ text: name }) => name);

  it("are told from ordinary words that are capital only there", () => {
    for (const word of ["Creating", "Additionally", "Pregnant", "Identify"])
      expect([word, isCommonOpener(word)]).toEqual([word, true]);
    for (const word of ["Edison", "Canada", "Beijing", "Italy", "Pink"])
      expect([word, isCommonOpener(word)]).toEqual([word, false]);
    expect(names("  Creating an algorithm needs Edison.")).toEqual(["Edison"]);
    expect(names("Edison made it.")).toEqual(["Edison"]);
  });

  it("are no abbreviations, which a source may spell out", () => {
    expect(names("We use MCQs in Canada with TiO2.")).toEqual(["Canada"]);
  });
});
