/** `npm run bench -- NAME --write`: puts the figures of a benchmark into its page of the docs. */
import { readFile, writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { between } from "../scripts/between.js";
import { COURSES, type CallsReport, type CallsRow } from "./calls.js";
import type { GraphReport } from "./graph.js";
import type { HeapReport } from "./heap.js";
import type { IndexReport } from "./index.js";
import type { IngestBenchReport } from "./ingest.js";
import type { KillReport } from "./kills.js";
import type { LoadReport } from "./load.js";
import type { ReaderReport } from "./reader.js";

/** The reports that have a place in the docs. */
export interface Reports {
  calls: CallsReport;
  graph: GraphReport;
  heap: HeapReport;
  index: IndexReport;
  ingest: IngestBenchReport;
  kills: readonly KillReport[];
  load: LoadReport;
  reader: ReaderReport;
}

export const PAGES: Readonly<Record<keyof Reports, string>> = {
  calls: "docs/bench-calls.md",
  graph: "docs/bench-graph.md",
  heap: "docs/reliability.md",
  index: "docs/bench-index.md",
  ingest: "docs/bench-index.md",
  kills: "docs/reliability.md",
  load: "docs/reliability.md",
  reader: "docs/bench-graph.md",
};

/** Writes the figures between the markers of the benchmark's name; returns the page's path. */
export async function writePage<N extends keyof Reports>(
  name: N,
  report: Reports[N],
  machine: string,
): Promise<string> {
  const path = PAGES[name];
  const figures = RENDER[name](report);
  const page = await readFile(path, "utf8");
  await writeFile(path, between(page, name, `${machine}\n\n${figures}`));
  return path;
}

/** One sentence on when and where a measurement begins. */
export function machineNow(): string {
  const day = new Date().toLocaleDateString("en-GB", { dateStyle: "long" });
  const load = (loadavg()[0] ?? 0).toFixed(1);
  const model = cpus()[0]?.model ?? "an unknown processor";
  return `Measured on ${day}: ${model}, ${cpus().length} cores, Node ${process.version}, load ${load} at the start.`;
}

/** The figures as Markdown. */
export const RENDER: { readonly [N in keyof Reports]: (report: Reports[N]) => string } = {
  calls: ({ rows, labelled }) =>
    `Every passage gets the same score:\n\n${callsTable(rows)}\n\n` +
    `About half of the passages are relevant:\n\n${callsTable(labelled)}`,
  graph: (report) =>
    `${table(
      ["milliseconds", "ours p50", "p95", "bare p50", "p95", "ratio of medians"],
      [
        ["clock", ...both(report.ours), ...both(report.textbook), report.ratio],
        ["processor", ...both(report.ours_cpu), ...both(report.textbook_cpu), report.cpu_ratio],
      ],
    )}\n\nWith the corrections made by default: p50 ${report.with_corrections.p50} ms, p95 ${report.with_corrections.p95} ms by the clock.`,
  heap: ({ rows, turns }) => {
    const [first, last] = [rows[1], rows.at(-1)];
    const [turn, lastTurn] = [turns[0], turns.at(-1)];
    return `The heap holds ${first?.heap_mb} MB after ${first?.asks} questions to one agent and ${last?.heap_mb} MB after ${last?.asks}. On one thread the checkpoint of turn ${turn?.turn} has ${kilobytes(turn?.bytes)}, that of turn ${lastTurn?.turn} ${kilobytes(lastTurn?.bytes)}: it grows by the conversation itself.`;
  },
  kills: (reports) =>
    table(
      ["four clients ask", ...reports.map(({ store }) => store)],
      [
        ["kills", ...reports.map(({ kills }) => kills)],
        ["acknowledged turns", ...reports.map(({ acknowledged }) => acknowledged)],
        ["of them lost", ...reports.map(({ lost }) => lost)],
        ["runs under way at a kill, `interrupted` after it", ...reports.map(({ cut }) => cut)],
        ["of them in another state", ...reports.map((each) => each.cut_not_interrupted)],
        ["slowest start, ms", ...reports.map((each) => each.slowest_start_ms)],
      ],
    ),
  index: ({ rows }) => {
    const sizes = [...new Set(rows.map(({ size }) => size))];
    const searches = rows.map((row) => [
      row.size.toLocaleString("en"),
      row.mode,
      row.bare,
      row.p50,
      row.p95,
      row.overhead,
      row.cpu_overhead,
    ]);
    const filtered = rows.map((row) => [
      row.size.toLocaleString("en"),
      row.mode,
      row.p95,
      row.filtered_p50,
      row.filtered_p95,
      row.filtered_ratio,
    ]);
    const stores = sizes.map((size) => {
      const row = rows.findLast((each) => each.size === size);
      const speed = row?.ingest_per_second.toLocaleString("en");
      return [size.toLocaleString("en"), speed, row?.disk_mb, row?.memory_mb];
    });
    return [
      table(
        ["passages", "search", "SQLite alone", "ours p50", "p95", "ratio", "processor ratio"],
        searches,
      ),
      table(
        ["passages", "search", "p95 without filter", "p50 with filter", "p95 with", "p95 ratio"],
        filtered,
      ),
      table(["passages", "ingested a second", "disk, MB", "resident memory, MB"], stores),
    ].join("\n\n");
  },
  ingest: ({ folder, watched, source }) =>
    `${table(
      ["a folder", "added", "updated", "unchanged", "removed", "seconds"],
      folder.map((each) => [
        each.run,
        ...[each.added, each.updated, each.unchanged, each.removed].map((count) =>
          count.toLocaleString("en"),
        ),
        each.seconds,
      ]),
    )}\n\n` +
    `A watched folder of ${watched.files} files under ${watched.changes.toLocaleString("en")} changes in ${watched.changing_seconds} s: ${watched.runs} runs took them over, the last ended ${watched.seconds_behind} s after the last change, and ${watched.differences} files differ from what is stored.\n\n` +
    `A source of ${source.documents.toLocaleString("en")} documents, of which ${source.changes} were new, different or gone over ${source.runs} runs of ${source.seconds_per_run} s: ${source.mistakes} runs counted or left anything else.`,
  load: (report) =>
    table(
      ["", ""],
      [
        ["conversations, seconds", `${report.conversations}, ${report.seconds}`],
        ["turns, of them failed", `${report.turns}, ${report.errors}`],
        ["turns a second", report.turns_per_second],
        ["a turn, p50 and p95", `${report.turn_ms.p50} ms, ${report.turn_ms.p95} ms`],
        ["`/ok`, p50 and p95", `${report.ok_ms.p50} ms, ${report.ok_ms.p95} ms`],
        [
          "server's memory, before and after",
          `${report.memory_mb.before} MB, ${report.memory_mb.after} MB`,
        ],
        ["processor time a turn", `${report.cpu_ms_per_turn} ms`],
        ["bytes a turn leaves in the store", report.stored_bytes_per_turn],
        ["another client's question among so many runs of one", report.flood.runs],
        ["of those runs, ended before it began", report.flood.ended_before],
        ["until its answer was there", `${report.flood.answer_ms} ms`],
      ],
    ),
  reader: ({ rows, support_10: support, encoding }) =>
    `${table(
      ["reader", "passages", "p50, ms", "p95, ms"],
      rows.map((row) => [row.reader, row.passages, row.p50, row.p95]),
    )}\n\nChecking ten sentences against five passages takes ${support.p50} ms (p95 ${support.p95}). The encoder reads ${encoding.passages_per_second} passages of 100 words a second.`,
};

function callsTable(rows: readonly CallsRow[]): string {
  const shown = rows.filter(({ quality, turn }) => quality === "balanced" && turn === "first");
  return table(
    ["evidence", "passages", "calls", "textbook", "tokens", "textbook"],
    COURSES.flatMap((course) =>
      [5, 20].map((k) => {
        const of = (system: CallsRow["system"]): CallsRow | undefined =>
          shown.find((row) => row.system === system && row.course === course && row.k === k);
        const [ours, textbook] = [of("ours"), of("textbook")];
        return [course, k, ours?.calls, textbook?.calls, ours?.tokens, textbook?.tokens];
      }),
    ),
  );
}

type Cell = string | number | undefined;

function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [
    `| ${head.join(" | ")} |`,
    `|${"---|".repeat(head.length)}`,
    ...rows.map((row) => `| ${row.map((cell) => cell ?? "").join(" | ")} |`),
  ].join("\n");
}

function both({ p50, p95 }: { p50: number; p95: number }): [number, number] {
  return [p50, p95];
}

function kilobytes(bytes = 0): string {
  return `${Math.round(bytes / 1000)} KB`;
}
