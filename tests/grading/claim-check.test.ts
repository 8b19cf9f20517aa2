import { describe, expect, it } from "@jest/globals";
import { checkClaim } from "../../src/grading/claims/claim-check.js";
import { fitLogistic } from "../../src/grading/calibration/fit.js";
import { probability } from "../../src/grading/logistic.js";

const evidence = [
  "The Eiffel Tower was built by Gustave Eiffel's company between 1887 and 1889. It is 330 metres (1,083 ft) tall. It was not liked by artists. About 75% of its visitors come from abroad.",
  "The Rhine is a river in Europe. It flows to the north and is about 1,230 km long. Its largest city is Cologne.",
];
const status = (claim: string): string => checkClaim({ claim, evidence }).status;

describe("checkClaim", () => {
  it("supports what stands there and shows the exact span", () => {
    const check = checkClaim({ claim: "The Rhine is about 1,230 km long.", evidence });
    expect(check.status).toBe("supported");
    expect(check.span).toBeDefined();
    const { span } = check;
    if (span === undefined) return;
    expect(span.evidence).toBe(1);
    expect(evidence[span.evidence]?.slice(span.start, span.end)).toBe(span.quote);
    expect(span.quote).toContain("1,230 km");
  });

  it("supports what stands there word by word, whatever function word it begins with", () => {
    const policy =
      "Seit dem 1. Mai 2021 arbeiten viele zu Hause. Für die Ausstattung des Arbeitsplatzes zahlt die Firma einmalig 400 Euro.";
    const claim = "Für die Ausstattung des Arbeitsplatzes zahlt die Firma einmalig 400 Euro.";
    expect(checkClaim({ claim, evidence: [policy, claim] })).toMatchObject({
      status: "supported",
      problems: [],
    });
  });

  it("supports a claim spread over sentences that follow one another", () => {
    expect(
      status("The Eiffel Tower, built by the company of Gustave Eiffel, is 330 metres tall."),
    ).toBe("supported");
  });

  it("takes 1230 for 1,230 and per cent for %", () => {
    expect(status("The Rhine is about 1230 km long.")).toBe("supported");
    expect(status("About 75 per cent of its visitors come from abroad.")).toBe("supported");
  });

  it("contradicts another number, year, name, direction, or a missing or added not", () => {
    for (const claim of [
      "It is 350 metres tall.",
      "The Eiffel Tower was built by Gustave Eiffel's company between 1887 and 1895.",
      "The Eiffel Tower was built by Thomas Edison's company between 1887 and 1889.",
      "About 25% of its visitors come from abroad.",
      "It was liked by artists.",
      "The Rhine is not a river in Europe.",
    ]) {
      expect([claim, status(claim)]).toEqual([claim, "contradicted"]);
    }
  });

  it("scores what is contradicted below what is as likely as not, whatever else agrees", () => {
    const { score } = checkClaim({
      claim: "The Rhine is a river in Europe. It flows to the north and is about 1,320 km long.",
      evidence,
    });
    expect(score).toBeLessThan(0.5);
  });

  it("does not take one captain, mountain or university for another because the title is the same", () => {
    const texts = [
      "The first settlers came in 1647 under Captain Ida Brandt. Mount Ashen is the highest point. She studied at the University of Oxford.",
    ];
    for (const claim of [
      "The first settlers came in 1647 under Captain Olaf Steen.",
      "The first settlers of Velmora came in 1647 under Captain Olaf Steen.",
      "Mount Doom is the highest point.",
      "She studied at the University of Cambridge.",
    ]) {
      expect([
        claim,
        checkClaim({ claim, evidence: texts, question: "Who led the first settlers of Velmora?" })
          .status,
      ]).toEqual([claim, "contradicted"]);
    }
    expect(
      checkClaim({ claim: "The first settlers came in 1647 under Ida Brandt.", evidence: texts })
        .status,
    ).toBe("supported");
  });

  it("takes a full name that nobody mentioned for invented, unless it may be another spelling", () => {
    const claim = (name: string): string =>
      checkClaim({ claim: `The tower was built between 1887 and 1889 for ${name}.`, evidence })
        .status;
    expect(claim("Henrik Zorn")).not.toMatch(/supported$|partial/);
    const spelled = checkClaim({
      claim: "The composer Pyotr Tchaikovsky was born in 1840.",
      evidence: ["The composer Peter Tchaikowski was born in 1840."],
    });
    expect(spelled.status).not.toBe("unsupported");
  });

  it("contradicts a name that the source knows only with another first part, but not its titles or spellings", () => {
    const texts = [
      "The song was made popular by Edith Piaf in 1946. Peter Tchaikovsky heard it, and so did Lady Anne Clark.",
    ];
    const of = (claim: string): string => checkClaim({ claim, evidence: texts }).status;
    expect(of("The song was made popular by Edith Piaf in 1946.")).toBe("supported");
    expect(of("The song was made popular by Kelly Piaf in 1946.")).toBe("contradicted");
    expect(of("Pyotr Tchaikovsky heard the song.")).not.toBe("contradicted");
    expect(of("Dame Anne Clark heard the song.")).not.toBe("contradicted");
  });

  it("contradicts exchanged roles, in either voice, but not a passive that says the same", () => {
    const texts = [
      "Arsenal defeated Chelsea in the final. Romeo loved Juliet. The village was destroyed by Caesar's army.",
    ];
    const of = (claim: string): string => checkClaim({ claim, evidence: texts }).status;
    expect(of("Arsenal defeated Chelsea in the final.")).toBe("supported");
    expect(of("Chelsea was defeated by Arsenal in the final.")).not.toBe("contradicted");
    expect(of("Chelsea defeated Arsenal in the final.")).toBe("contradicted");
    expect(of("Arsenal was defeated by Chelsea in the final.")).toBe("contradicted");
  });

  it("does not take the other order of a list, or of what goes both ways, for exchanged roles", () => {
    const texts = [
      "The kingdom includes England, Scotland, Wales and Ireland. France borders Spain. Anna met Bertha in Rome.",
    ];
    for (const claim of [
      "The kingdom includes Ireland, Wales, Scotland and England.",
      "Spain borders France.",
      "Bertha met Anna in Rome.",
    ]) {
      expect([claim, checkClaim({ claim, evidence: texts }).status]).not.toEqual([
        claim,
        "contradicted",
      ]);
    }
  });

  it("contradicts a name of the source in the place of another, and not a name that stands there as well", () => {
    const texts = [
      "Polar bears are aggressive predators, known for taking seals. They hunt on Arctic ice.",
      "The prize went to Hall in 1970 and the medal went to Brandt in 1977. Hall wrote four books on Norway.",
    ];
    const of = (claim: string) => checkClaim({ claim, evidence: texts });
    const usurped = of("Arctic bears are aggressive predators, known for taking seals.");
    expect(usurped.status).toBe("contradicted");
    expect(usurped.problems).toEqual(["the source names Polar there, not Arctic"]);
    expect(usurped.span?.quote).toMatch(/^Polar bears/u);
    expect(of("Polar bears are aggressive predators, known for taking seals.").status).toBe(
      "supported",
    );
    expect(of("The medal went to Norway in 1977.").status).toBe("contradicted");
    expect(of("The medal went to Brandt in 1977.").status).toBe("supported");
  });

  it("calls a denial partial where no source denies anything, unless the source says it in another way", () => {
    const of = (claim: string, text: string): string =>
      checkClaim({ claim, evidence: [text] }).status;
    const text =
      "The committee and all of its members have read the annual report on the state of the harbour.";
    expect(of("The committee has read the annual report on the state of the harbour.", text)).toBe(
      "supported",
    );
    expect(
      of(
        "The committee has read the annual report, and was not shown the state of the harbour.",
        text,
      ),
    ).toBe("partial");
    expect(
      of(
        "The old harbour is not safe for large ships.",
        "The old harbour is unsafe for large ships.",
      ),
    ).toBe("supported");
  });

  it("does not read the marker of a citation as a number of the claim", () => {
    expect(status("The Rhine is about 1,230 km long [7].")).toBe("supported");
  });

  it("does not take a unit for another", () => {
    expect(status("The Rhine is about 1,230 miles long.")).not.toBe("supported");
  });

  it("finds no support for something else, and says which number or name is missing", () => {
    expect(status("Bananas are rich in potassium.")).toBe("unsupported");
    expect(
      checkClaim({
        claim: "In 2019 it was painted yellow by 60 workers.",
        evidence,
      }).problems.join(),
    ).toContain("60");
  });

  it("gives a score in 0–1, also without evidence or words", () => {
    for (const input of [
      { claim: "Something.", evidence: [] },
      { claim: "", evidence },
      { claim: "x", evidence: [""] },
    ]) {
      const { score } = checkClaim(input);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
    }
  });

  it("takes less than 10 ms for a long claim against 20,000 characters", () => {
    const long = [
      "The tower is high and the river is long, as many people in the city say. ".repeat(270),
    ];
    checkClaim({ claim: "warm up", evidence: long });
    const begun = performance.now();
    for (let round = 0; round < 5; round += 1)
      checkClaim({
        claim:
          "The river in the city is long, and many people say that the tower is very high indeed.",
        evidence: long,
      });
    // Five rounds, with room for a busy machine.
    expect((performance.now() - begun) / 5).toBeLessThan(100);
  });
});

it("fits the same logistic model to the same examples, and orders what can be ordered", () => {
  const examples = Array.from({ length: 60 }, (_, index) => ({
    features: { a: index / 60, noise: ((index * 7) % 13) / 13 },
    positive: index > 30,
  }));
  const model = fitLogistic(examples, ["a", "noise"], 1);
  expect(fitLogistic(examples, ["a", "noise"], 1)).toEqual(model);
  expect(probability({ a: 0.9, noise: 0.5 }, model)).toBeGreaterThan(0.8);
  expect(probability({ a: 0.1, noise: 0.5 }, model)).toBeLessThan(0.2);
});
