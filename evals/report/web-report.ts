/** The report of `eval web`. */
import type { WebEval } from "../web.js";
import { ablationTable } from "./ablation-table.js";
import { figure, provenance, writeReport } from "./write-report.js";

const SIDES = ["kb_only", "web_only", "corrective"] as const;
const KEYS = [
  "contains",
  "em",
  "f1",
  "answered_share",
  "false_abstain_rate",
  "hallucination_rate",
] as const;

export async function writeWebReport({
  folder,
  file,
  report,
}: {
  folder: string;
  file: string;
  report: WebEval;
}): Promise<void> {
  await writeReport(folder, {
    name: "web",
    title: "What the web adds",
    summary: `${report.n} questions of ${file}, with recorded passages and web results; ${provenance()}.`,
    tables: [
      {
        title: "Answers",
        head: ["", ...SIDES],
        rows: KEYS.map((key) => [key, ...SIDES.map((side) => figure(report[side][key]))]),
      },
      {
        title: "Web searches of the corrective agent",
        head: ["", "share"],
        rows: [
          ["questions with a web search", figure(report.corrective.web_share)],
          [
            "of these, the knowledge base alone had not answered rightly",
            figure(report.corrective.web_needed_share),
          ],
        ],
      },
      ...(report.ablation ? [ablationTable(report.ablation)] : []),
    ],
    plots: [],
    mistakes: [],
  });
}
