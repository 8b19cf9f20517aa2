/** The plots of a score against a label: ROC, reliability, risk against coverage, distributions. */
import { reliability, type Judged } from "../metrics.js";
import { riskCurve } from "../risk-coverage.js";
import { histogram, xyPlot, type Plot, type Series } from "./plot.js";

export interface ScoredBy {
  name: string;
  cases: readonly Judged[];
}

/** The first judge is plotted in full; a second one, for comparison, in ROC and risk. */
export function scorePlots({
  judges,
  positive,
  negative,
}: {
  judges: readonly ScoredBy[];
  positive: string;
  negative: string;
}): Plot[] {
  const [main] = judges;
  if (main === undefined) return [];
  const bins = reliability(main.cases);
  const largest = Math.max(1, ...bins.map(({ count }) => count));
  const values = (wanted: boolean): number[] =>
    main.cases.filter((each) => each.positive === wanted).map(({ score }) => score);
  return [
    {
      title: "ROC",
      caption: "The closer to the upper left corner, the better; the dashed line is chance.",
      svg: xyPlot({
        label: "ROC curve",
        x: "false positive rate",
        y: "true positive rate",
        diagonal: true,
        series: judges.map(({ name, cases }): Series => ({ name, points: rocCurve(cases) })),
      }),
    },
    {
      title: "Reliability",
      caption:
        "What was predicted against what was so; on the dashed line a probability means what it says. The area of a dot is the number of cases.",
      svg: xyPlot({
        label: "Reliability diagram",
        x: "predicted probability",
        y: "observed share",
        diagonal: true,
        series: [
          {
            name: main.name,
            as: "dots",
            points: bins.map(({ count, meanScore, share }) => ({
              x: meanScore,
              y: share,
              size: 20 + 220 * (count / largest),
            })),
          },
        ],
      }),
    },
    riskPlot(
      judges.map(({ name, cases }) => ({
        name,
        attempts: cases.map(({ score, positive: right }) => ({ confidence: score, wrong: !right })),
      })),
    ),
    {
      title: "Scores",
      caption: "Each class in shares of its own; the less they overlap, the better.",
      svg: histogram({
        label: "Distribution of scores",
        x: "score",
        groups: [
          { name: positive, values: values(true) },
          { name: negative, values: values(false) },
        ],
      }),
    },
  ];
}

export function riskPlot(
  systems: readonly { name: string; attempts: Parameters<typeof riskCurve>[0] }[],
): Plot {
  return {
    title: "Risk against coverage",
    caption: "Share of wrong ones among the surest cases; lower is better.",
    svg: xyPlot({
      label: "Risk against coverage",
      x: "share that is accepted",
      y: "share of these that is wrong",
      series: systems.map(({ name, attempts }): Series => ({
        name,
        points: riskCurve(attempts).map(({ coverage, risk }) => ({ x: coverage, y: risk })),
      })),
    }),
  };
}

/** One point for each score that occurs. */
function rocCurve(cases: readonly Judged[]): { x: number; y: number }[] {
  const sorted = [...cases].sort((a, b) => b.score - a.score);
  const positives = cases.filter(({ positive }) => positive).length;
  const points = [{ x: 0, y: 0 }];
  let [hits, misses] = [0, 0];
  for (const [index, { score, positive }] of sorted.entries()) {
    if (positive) hits += 1;
    else misses += 1;
    if (sorted[index + 1]?.score !== score)
      points.push({
        x: misses / Math.max(1, cases.length - positives),
        y: hits / Math.max(1, positives),
      });
  }
  return points;
}
