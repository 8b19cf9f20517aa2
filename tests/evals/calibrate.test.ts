import { describe, expect, it, jest } from "@jest/globals";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { calibrateCommand } from "../../evals/calibrate.js";
import { fitLogistic } from "../../evals/fit-logistic.js";
import { fitWeights, measureFamily } from "../../evals/fit-weights.js";
import { LabeledSetSchema, type LabeledSet, applyPlatt } from "../../evals/recalibrate.js";
import { auc, calibrationError, ratesAt } from "../../evals/metrics.js";
import { bootstrap } from "../../evals/statistics.js";
import { createReader } from "../../src/reader/create-reader.js";
import { logOdds, probability, loadWeights, SHIPPED_WEIGHTS } from "../../src/reader/weights.js";
import { readJsonLines } from "../../evals/json-lines.js";
import { UserError } from "../../src/support/errors.js";

const THINGS = ["bridge", "tower", "harbor", "cathedral", "railway", "museum", "garden", "castle"];

/** Questions on made-up places; every second set speaks of another, every seventh label is wrong. */
function labeled(count: number): LabeledSet[] {
  return Array.from({ length: count }, (_, i) => {
    const thing = THINGS[i % THINGS.length] ?? "";
    const matches = i % 2 === 0;
    const text = matches
      ? `The ${thing} of Zorbin${i} was built in ${1800 + i} by Anna Kell.`
      : `A ${thing} is found in many towns, and Orlan has one too.`;
    const answerable = i % 7 === 3 ? !matches : matches;
    return {
      id: String(i),
      question: `When was the ${thing} of Zorbin${i} built?`,
      answerable,
      passages: [
        { title: "", text, relevant: answerable },
        { title: "", text: "Fish live in water.", relevant: false },
      ],
    };
  });
}

function labelFile(sets: readonly unknown[]): string {
  const file = join(mkdtempSync(join(tmpdir(), "labels-")), "labels.jsonl");
  writeFileSync(file, sets.map((set) => `${JSON.stringify(set)}\n`).join(""));
  return file;
}

describe("metrics", () => {
  const cases = [
    { score: 0.9, positive: true },
    { score: 0.8, positive: false },
    { score: 0.7, positive: true },
    { score: 0.1, positive: false },
  ];
  it("computes AUC with ties counting half, and none for one class", () => {
    expect(auc(cases)).toBe(0.75);
    expect(auc(cases.map(({ positive }) => ({ score: 1, positive })))).toBe(0.5);
    expect(auc(cases.filter(({ positive }) => positive))).toBeNaN();
  });
  it("computes rates at a threshold, inclusive", () =>
    expect(ratesAt(cases, 0.8)).toMatchObject({ accuracy: 0.5, falsePositiveRate: 0.5 }));
  it("finds no calibration error where shares agree with probabilities", () => {
    const half = [true, false].map((positive) => ({ score: 0.5, positive }));
    expect(calibrationError(half)).toBe(0);
    expect(calibrationError([{ score: 1, positive: false }])).toBe(1);
  });
  it("gives the same bootstrap interval each time, and it holds the value", () => {
    const mean = (values: readonly number[]): number =>
      values.reduce((a, b) => a + b, 0) / values.length;
    const interval = bootstrap([1, 2, 3, 4, 5, 6], mean, 200);
    expect(bootstrap([1, 2, 3, 4, 5, 6], mean, 200)).toEqual(interval);
    expect(interval.low).toBeLessThan(3.5);
    expect(interval.high).toBeGreaterThan(3.5);
  });
});

describe("fitting", () => {
  it("drops a signal whose weight would have the wrong sign", () => {
    const examples = Array.from({ length: 200 }, (_, i) => ({
      signals: { good: i % 10, bad: -(i % 10) + (i % 3) },
      positive: i % 10 > 4,
      weight: 1,
    }));
    const model = fitLogistic(examples, { good: "for", bad: "for" });
    expect(model.signals["good"]?.weight).toBeGreaterThan(0);
    expect(model.signals["bad"]).toBeUndefined();
    expect(fitLogistic(examples, { good: "for", bad: "against" }).signals["bad"]).toBeDefined();
  });

  it("applies a Platt map by rescaling the weights", () => {
    const model = SHIPPED_WEIGHTS.lexical.set;
    const signals = { sentence: 0.4, title: 0.2 };
    const mapped = applyPlatt(model, { slope: 0.5, offset: -1 });
    expect(logOdds(signals, mapped)).toBeCloseTo(0.5 * logOdds(signals, model) - 1, 10);
  });

  it("makes the same weights of the same families, with a cut-off for each label", async () => {
    const reader = createReader({ model: "lexical" });
    const families = [
      await measureFamily({ name: "a", sets: labeled(60), claims: [] }, reader),
      await measureFamily({ name: "b", sets: labeled(40), claims: [] }, reader),
    ];
    const weights = fitWeights(families, SHIPPED_WEIGHTS);
    expect(fitWeights(families, SHIPPED_WEIGHTS)).toEqual(weights);
    const { correct, incorrect } = weights.lexical.thresholds;
    expect(incorrect).toBeLessThanOrEqual(correct);
    const [first, second] = families[0]?.sets ?? [];
    expect(probability(first?.signals ?? {}, weights.lexical.set)).toBeGreaterThan(
      probability(second?.signals ?? {}, weights.lexical.set),
    );
  });
});

describe("reading labels", () => {
  const read = (sets: readonly unknown[]) =>
    readJsonLines(labelFile(sets), LabeledSetSchema, "labels");
  it("names file and line of what is wrong, and of what is not labeled yet", async () => {
    await expect(read([{ id: "1", question: "?", passages: [] }])).rejects.toThrow(
      /labels\.jsonl, line 1: answerable/u,
    );
    const open = { id: "1", question: "?", answerable: null, passages: [] };
    await expect(read([...labeled(1), open])).rejects.toThrow(/line 2: answerable: not labeled/u);
    await expect(readJsonLines("no/such/file.jsonl", LabeledSetSchema, "labels")).rejects.toThrow(
      UserError,
    );
  });
  it("takes sets whose passages carry no labels", async () => {
    const [set] = labeled(1);
    const passages = [{ title: null, text: "x", relevant: null }];
    expect((await read([{ ...set, passages }]))[0]?.passages).toEqual([
      { title: "", text: "x", relevant: null },
    ]);
  });
});

describe("the calibrate command", () => {
  it("writes a file that an agent can be given, and reports before and after", async () => {
    process.env["CRAG_READER"] = "lexical";
    const out = join(mkdtempSync(join(tmpdir(), "out-")), "calibration.json");
    const printed = jest.spyOn(process.stdout, "write").mockReturnValue(true);
    await calibrateCommand([labelFile(labeled(70))], { out, json: true });
    const document: unknown = JSON.parse(printed.mock.calls.join(""));
    printed.mockRestore();
    expect(document).toMatchObject({ out, questions: 70, before: {}, after: {} });
    const weights = loadWeights(out);
    expect(weights.trained).toEqual(SHIPPED_WEIGHTS.trained);
    expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({ report: { questions: 70 } });
    expect(weights.lexical.thresholds.correct).not.toBe(SHIPPED_WEIGHTS.lexical.thresholds.correct);
  });
  it("refuses too few questions, and questions of one kind", async () => {
    await expect(calibrateCommand([labelFile(labeled(20))], {})).rejects.toThrow(/too few/u);
    const one = labeled(60).map((set) => ({ ...set, answerable: true }));
    await expect(calibrateCommand([labelFile(one)], {})).rejects.toThrow(/only 0 of 60/u);
  });
  it("refuses a file that is something else", () => {
    const file = labelFile([{ version: 7 }]);
    expect(() => loadWeights(file)).toThrow(/is not a calibration file/u);
  });
});
