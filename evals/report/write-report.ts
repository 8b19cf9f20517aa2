/** A report as Markdown with its plots beside it, and as one page of HTML that needs nothing else. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { escapeMarkup, type Plot } from "./plot.js";

export interface Table {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

/** A case to read. */
export interface Mistake {
  title: string;
  note: string;
  text: string;
}

export interface Report {
  /** Base name of the files. */
  name: string;
  title: string;
  /** What was measured on what. */
  summary: string;
  tables: readonly Table[];
  plots: readonly Plot[];
  mistakes: readonly Mistake[];
}

/** Writes `NAME.md`, `NAME.html` and `NAME-1.svg` … into the folder. */
export async function writeReport(folder: string, report: Report): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = (ending: string): string => join(folder, `${report.name}${ending}`);
  await Promise.all([
    writeFile(file(".md"), markdownOf(report)),
    writeFile(file(".html"), pageOf(report)),
    ...report.plots.map(({ svg }, index) => writeFile(file(`-${index + 1}.svg`), svg)),
  ]);
}

function markdownOf({ name, title, summary, tables, plots, mistakes }: Report): string {
  const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [
    `# ${title}`,
    summary,
    ...tables.flatMap((table) => [
      `## ${table.title}`,
      [row(table.head), row(table.head.map(() => "---")), ...table.rows.map(row)].join("\n"),
    ]),
    ...(plots.length > 0 ? ["## Plots"] : []),
    ...plots.map(
      (plot, index) =>
        `![${plot.title}](${name}-${index + 1}.svg)\n\n**${plot.title}.** ${plot.caption}`,
    ),
    ...(mistakes.length > 0 ? ["## Worst mistakes"] : []),
    ...mistakes.map(
      (mistake) => `**${oneLine(mistake.title)}** – ${mistake.note}\n\n> ${oneLine(mistake.text)}`,
    ),
    "",
  ].join("\n\n");
}

const PAGE_STYLE = `:root{color-scheme:light dark;--ink:#1c2733;--soft:#5b6875;--line:#e1e6eb;--card:#fff;--ground:#f6f8fa}
@media (prefers-color-scheme:dark){:root{--ink:#dfe6ec;--soft:#98a5b1;--line:#323c46;--card:#1b222a;--ground:#12171c}}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1180px;margin:auto;padding:28px 20px 60px}h1{font-size:1.5rem;margin:0}h2{font-size:1.05rem;margin:2rem 0 .6rem}p.summary{color:var(--soft);margin:.3rem 0 0}
.scroll{overflow-x:auto}table{border-collapse:collapse;background:var(--card);font-variant-numeric:tabular-nums}th,td{padding:5px 12px;border:1px solid var(--line);text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}th{font-weight:600}.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(320px,1fr));gap:16px}
figure,details{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px}figcaption{font-size:.85rem;color:var(--soft)}figcaption b{color:var(--ink)}
details{margin-bottom:8px}summary{cursor:pointer}summary span{color:var(--soft)}`;

function pageOf({ title, summary, tables, plots, mistakes }: Report): string {
  const cells = (tag: "th" | "td", list: readonly string[]): string =>
    `<tr>${list.map((text) => `<${tag}>${escapeMarkup(text)}</${tag}>`).join("")}</tr>`;
  const sections = [
    ...tables.map(
      (table) =>
        `<h2>${escapeMarkup(table.title)}</h2><div class="scroll"><table><thead>${cells("th", table.head)}</thead><tbody>${table.rows.map((row) => cells("td", row)).join("")}</tbody></table></div>`,
    ),
    plots.length === 0
      ? ""
      : `<h2>Plots</h2><div class="plots">${plots.map(({ svg, title: name, caption }) => `<figure>${svg}<figcaption><b>${escapeMarkup(name)}.</b> ${escapeMarkup(caption)}</figcaption></figure>`).join("")}</div>`,
    mistakes.length === 0
      ? ""
      : `<h2>Worst mistakes</h2>${mistakes.map(({ title: name, note, text }) => `<details><summary>${escapeMarkup(name)} <span>${escapeMarkup(note)}</span></summary><p>${escapeMarkup(text)}</p></details>`).join("")}`,
  ];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeMarkup(title)}</title><style>${PAGE_STYLE}</style></head><body><main><h1>${escapeMarkup(title)}</h1><p class="summary">${escapeMarkup(summary)}</p>${sections.join("")}</main></body></html>\n`;
}

/** A share or a score with three digits, with its interval where there is one. */
export function figure(
  value: number | { estimate?: number; value?: number; low: number; high: number },
): string {
  if (typeof value === "number") return Number.isFinite(value) ? value.toFixed(3) : "–";
  const middle = value.estimate ?? value.value ?? Number.NaN;
  return `${figure(middle)} [${figure(value.low)}, ${figure(value.high)}]`;
}

/** Where and when figures were made. */
export function provenance(now = new Date()): string {
  return `${now.toISOString().slice(0, 10)}, Node ${process.version}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
