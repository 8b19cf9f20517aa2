import { describe, expect, it } from "@jest/globals";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "../../src/settings/user-error.js";
import { calibrate, fitPlatt, fitThresholds } from "../../src/grading/calibration/calibrate.js";
import { loadJudge, readCalibrationFile } from "../../src/grading/calibration/calibration-file.js";
import { readFamily } from "../../src/grading/calibration/evidence-file.js";
import type { LabelledSet } from "../../src/grading/calibration/evidence-set.js";
import { fitNonNegative } from "../../src/grading/calibration/fit.js";
import {
  auc,
  bootstrap,
  calibrationError,
  quantile,
  ratesAt,
} from "../../src/grading/calibration/metrics.js";
import { measureFamily, trainJudge } from "../../src/grading/calibration/train.js";
import { applyPlatt, SHIPPED_JUDGE } from "../../src/grading/judge/model.js";
import { calibrateCommand } from "../../src/cli/calibrate.js";

const THINGS = ["bridge", "tower", "harbour", "cathedral", "railway", "museum", "garden", "castle"];
/** Questions on made-up places; every second set speaks of another place, every seventh label is wrong. */
function labelled(count: number): LabelledSet[] {
  return Array.from({ length: count }, (_, i) => {
    const thing = THINGS[i % THINGS.length] ?? "";
    const matches = i % 2 === 0;
    const place = `Zorbin${i}`;
    const text = matches
      ? `The ${thing} of ${place} was built in ${1800 + i} by Anna Kell.`
      : `A ${thing} is found in many towns, and Orlan has one too.`;
    const answerable = i % 7 === 3 ? !matches : matches;
    return {
      id: String(i),
      question: `When was the ${thing} of ${place} built?`,
      answerable,
      passages: [
        { title: "", text, relevant: answerable },
        { title: "", text: "Fish live in water.", relevant: false },
      ],
    };
  });
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
  it("computes rates at a threshold, inclusive", () => {
    expect(ratesAt(cases, 0.8)).toEqual({
      accuracy: 0.5,
      balancedAccuracy: 0.5,
      falsePositiveRate: 0.5,
      falseNegativeRate: 0.5,
    });
  });
  it("finds no calibration error where shares agree with probabilities", () => {
    expect(
      calibrationError([
        { score: 0.5, positive: true },
        { score: 0.5, positive: false },
      ]),
    ).toBe(0);
    expect(calibrationError([{ score: 1, positive: false }])).toBe(1);
  });
  it("gives the same bootstrap interval each time, and it holds the value", () => {
    const mean = (values: readonly number[]): number =>
      values.reduce((a, b) => a + b, 0) / values.length;
    const interval = bootstrap([1, 2, 3, 4, 5, 6], mean, 200);
    expect(bootstrap([1, 2, 3, 4, 5, 6], mean, 200)).toEqual(interval);
    expect(interval.low).toBeLessThan(3.5);
    expect(interval.high).toBeGreaterThan(3.5);
    expect(quantile([1, 2, 3], 0.5)).toBe(2);
  });
});

describe("fitting", () => {
  it("drops a feature that would speak against relevance and keeps one that speaks for it", () => {
    const examples = Array.from({ length: 200 }, (_, i) => ({
      features: { good: i % 10, bad: -(i % 10) + (i % 3) },
      positive: i % 10 > 4,
      weight: 1,
    }));
    const model = fitNonNegative(examples, ["good", "bad"], 1);
    expect(model.features["good"]?.weight).toBeGreaterThan(0);
    expect(model.features["bad"]).toBeUndefined();
    expect(fitNonNegative(examples, ["good", "bad"], 1)).toEqual(model);
  });
  it("learns a Platt map that moves probabilities to the observed share", () => {
    const cases = Array.from({ length: 200 }, (_, i) => ({ score: 0.5, positive: i % 5 === 0 }));
    expect(applyPlatt(0.5, fitPlatt(cases))).toBeCloseTo(0.2, 2);
  });
  it("trains the same file from the same families, one without unanswerable sets included", () => {
    const families = [
      { name: "a", sets: labelled(60) },
      {
        name: "b",
        sets: labelled(40).map((set) => ({
          ...set,
          answerable: true,
          passages: [
            { title: "", text: set.question, relevant: true },
            { title: "", text: "Fish live in water.", relevant: false },
          ],
        })),
      },
    ];
    const model = trainJudge(families);
    expect(trainJudge(families)).toEqual(model);
    expect(model.thresholds.incorrect).toBeLessThanOrEqual(model.thresholds.correct);
  });

  it("makes several sets of a question with relevant passages and noise, as many without an answer as with one", () => {
    const noise = [
      "Fish live in water.",
      "Rain falls in spring.",
      "Bread is baked.",
      "Stones are hard.",
    ];
    const passages = ["first", "second"].map((which) => ({
      title: "",
      text: `The ${which} answer.`,
      relevant: true,
    }));
    const set = {
      question: "Which answer?",
      answerable: true,
      passages: [...passages, ...noise.map((text) => ({ title: "", text, relevant: false }))],
    };
    const { forSets } = measureFamily({ name: "rgb", sets: [{ id: "1", ...set }] });
    expect(forSets).toHaveLength(8);
    expect(forSets.map(({ set: drawn }) => drawn.answerable)).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
      true,
      false,
    ]);
    for (const { set: drawn } of forSets) {
      expect(drawn.passages).toHaveLength(4);
      expect(drawn.passages.some(({ relevant }) => relevant)).toBe(drawn.answerable);
    }
  });

  it("evens out short and long questions by the sets that answer nothing, and never against long ones", () => {
    const { features } = trainJudge([{ name: "a", sets: labelled(60) }]).set;
    expect(features["rarity"]?.weight ?? 0).toBeGreaterThanOrEqual(0);
    expect(SHIPPED_JUDGE.set.features["rarity"]?.weight).toBeGreaterThan(0);
  });
});

describe("calibrate", () => {
  it("grants the wish on false CORRECT on the data it was fitted on, and reports held-out figures", () => {
    const result = calibrate({
      sets: labelled(140),
      base: SHIPPED_JUDGE,
      wish: { kind: "max_false_correct", share: 0.2 },
    });
    if (!result.success) throw new Error(result.error);
    expect(result.value.after.falseCorrect).toBeLessThanOrEqual(0.3);
    expect(result.value.after.brier).toBeLessThanOrEqual(result.value.before.brier + 0.02);
    expect(result.value.questions).toBe(140);
  });
  it("puts the cut higher the dearer a wrong answer is", () => {
    const cases = Array.from({ length: 100 }, (_, i) => ({
      score: i / 100,
      positive: (i * 7) % 100 < i,
    }));
    const cheap = fitThresholds(cases, { kind: "cost", web: 1, wrong: 1.1 });
    const dear = fitThresholds(cases, { kind: "cost", web: 1, wrong: 20 });
    expect(dear.correct).toBeGreaterThan(cheap.correct);
  });
  it("refuses too few questions and one class, and says so", () => {
    const wish = { kind: "max_false_correct", share: 0.1 } as const;
    expect(calibrate({ sets: labelled(49), base: SHIPPED_JUDGE, wish })).toMatchObject({
      success: false,
      error: expect.stringContaining("49"),
    });
    const oneClass = labelled(80).map((set) => ({ ...set, answerable: true }));
    expect(calibrate({ sets: oneClass, base: SHIPPED_JUDGE, wish })).toMatchObject({
      success: false,
      error: expect.stringContaining("only 0 of 80"),
    });
  });
});

describe("the calibration file", () => {
  const folder = mkdtempSync(join(tmpdir(), "calibration-"));
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it("is written by the command and read back into judge and cut-offs", async () => {
    const labels = file(
      "labels.jsonl",
      labelled(80)
        .map((set) => JSON.stringify(set))
        .join("\n"),
    );
    const out = join(folder, "out.json");
    const written: string[] = [];
    const original = process.stdout.write.bind(process.stdout);
    process.stdout.write = (chunk: string | Uint8Array): boolean => written.push(String(chunk)) > 0;
    try {
      expect(await calibrateCommand([labels], { out, json: true })).toBe(0);
    } finally {
      process.stdout.write = original;
    }
    expect(JSON.parse(written.join(""))).toMatchObject({ questions: 80, out });
    const { judge, thresholds } = loadJudge(out);
    expect(judge.calibration).toBeDefined();
    expect(thresholds.profiles.adaptive?.correct).toBe(judge.thresholds.correct);
    expect(thresholds.profiles.signals).toBeUndefined();
    expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({ report: { files: ["labels"] } });
  });

  it("says in one line that it cannot be written", async () => {
    const labels = file(
      "enough.jsonl",
      labelled(80)
        .map((set) => JSON.stringify(set))
        .join("\n"),
    );
    await expect(
      calibrateCommand([labels], { out: join(folder, "none", "out.json") }),
    ).rejects.toThrow(/^cannot write .*out\.json: .*ENOENT/);
  });

  it("is refused in one line when it is missing, no JSON, or something else", () => {
    for (const path of [
      join(folder, "none.json"),
      file("bad.json", "{"),
      file("other.json", '{"version":1}'),
    ])
      expect(() => readCalibrationFile(path)).toThrow(UserError);
  });

  it("names file and line of a label that is not what it should be", () => {
    const path = file("broken.jsonl", `${JSON.stringify(labelled(1)[0])}\n{"id": 1}\n`);
    expect(() => readFamily(path)).toThrow(/broken\.jsonl, line 2/u);
  });
});
