/** Questions over tables: rows are filtered and computed in SQL, and become evidence. */
import { basename } from "node:path/posix";
import { z } from "zod";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";
import {
  queryTable,
  TableQuerySchema,
  type TableQuery,
  type TableResult,
} from "../retrieval/table-query.js";
import { analyse, contentTerms } from "../text/analyse.js";
import { joinBlocks } from "../text/passage-blocks.js";
import { reasonOf } from "../support/errors.js";
import { counted, wordsOf } from "../text/words.js";
import { evidenceId, makeEvidence, sourceOf, type FoundBy } from "./make-evidence.js";
import { mayHoldTable, tablesIn, type FoundTable } from "./tables.js";
import { defineTool, type AgentTool } from "./tool.js";

export const TABLE_TOOL = "query_table";

/** Limits: documents searched, passages of each, and characters of rows in the evidence. */
const MOST_DOCUMENTS = 5;
const MOST_PASSAGES = 5_000;
const MAX_ROW_TEXT = 1_500;
/** Passages that a search may return to find a table. */
const SEARCHED = 20;

const tableArgs = z.object({
  path: z.string().describe("The document with the table; otherwise it is searched for").optional(),
  ...TableQuerySchema.partial().shape,
});

export function createTableTool(knowledgeBase: KnowledgeBase): AgentTool {
  return defineTool({
    name: TABLE_TOOL,
    description:
      "Filters the rows of a table (CSV, spreadsheet, Markdown, Word, HTML) and counts, sums, " +
      "averages or finds the highest or lowest. Without `compute` it reads the question, if that " +
      "is certain.",
    origin: "documents",
    args: tableArgs,
    async run({ path, compute, where = [], column }, { question, round, scope, signal }) {
      const paths = path === undefined ? await pathsFor(question) : [path];
      const tables = (await Promise.all(paths.map(tablesOf))).flat();
      const given: TableQuery | undefined = compute && { where, compute, column };
      const readings = tables.flatMap((table) => {
        const query = given ?? readQuery(question, table);
        return query === undefined ? [] : [{ table, query }];
      });
      const results = await Promise.all(
        readings.map(({ table, query }) =>
          queryTable(table, query).then(
            (result) => ({ table, query, result }),
            (error: unknown) => reasonOf(error),
          ),
        ),
      );
      signal.throwIfAborted();
      const [found, another] = results.flatMap((each) => (typeof each === "string" ? [] : [each]));
      const [problem] = results.filter((each) => typeof each === "string");
      if (found === undefined && problem !== undefined) scope.warn(`the table: ${problem}`);
      if (found === undefined || another !== undefined)
        return { evidence: [], summary: `${counted(tables.length, "table")}, none that is meant` };
      const evidence = evidenceOf(found, { tool: TABLE_TOOL, round });
      return { evidence: [evidence], summary: evidence.text.split("\n", 1)[0] ?? "" };
    },
  });

  async function pathsFor(query: string): Promise<string[]> {
    const { modes } = knowledgeBase;
    const mode = modes.includes("keyword") ? "keyword" : (modes[0] ?? "keyword");
    const hits = await knowledgeBase.search(mode, { query, limit: SEARCHED });
    const passages = hits.map(({ passage }) => passage).filter(mayHoldTable);
    return [...new Set(passages.map(({ path }) => path))].slice(0, MOST_DOCUMENTS);
  }

  async function tablesOf(path: string): Promise<FoundTable[]> {
    const passages = await knowledgeBase.passagesOf(path);
    return passages.length > MOST_PASSAGES ? [] : tablesIn(passages);
  }
}

const CUES = (
  [
    ["count", "how many|number of"],
    ["sum", "sum|total"],
    ["average", "average|mean"],
    ["highest", "highest|largest|biggest|greatest|maximum"],
    ["lowest", "lowest|smallest|minimum"],
  ] as const
).map(([compute, words]) => [compute, new RegExp(`\\b(?:${words})\\b`, "giu")] as const);
const WHICH = /^\W*(?:which|list|show|all)\b/iu;

/** True if a question may be one over a table. */
export function asksOfTable(question: string): boolean {
  return WHICH.test(question) || CUES.some(([, cue]) => question.search(cue) >= 0);
}

/** Words that change nothing about which rows are meant. Any other word makes a reading unsure. */
const FILLERS = new Set(
  (
    "what which who is are was were the a an of in for with where and there do does did have has " +
    "by on at to it its that rows row entries entry table list show all me"
  ).split(" "),
);

/**
 * Reads a question without a model, only where every word of it is accounted for: a word like
 * "highest", names of columns, whole values of cells, and the name of the table.
 */
function readQuery(question: string, table: FoundTable): TableQuery | undefined {
  const cues = CUES.filter(([, cue]) => question.search(cue) >= 0);
  const [compute = WHICH.test(question) ? ("rows" as const) : undefined] = cues[0] ?? [];
  if (compute === undefined || cues.length > 1) return undefined;
  const text = cues.reduce((rest, [, cue]) => rest.replace(cue, " | "), question);
  const terms = analyse(text).map(({ term, text: word }) => ({ term, word: word.toLowerCase() }));
  const open = new Set(terms.keys());
  const take = (name: string): boolean => {
    const named = analyse(name).map(({ term }) => term);
    const at = terms.findIndex((_, start) =>
      named.every(
        (term, offset) => terms[start + offset]?.term === term && open.has(start + offset),
      ),
    );
    if (named.length === 0 || at < 0) return false;
    named.forEach((_, offset) => open.delete(at + offset));
    return true;
  };
  const byLength = (names: Iterable<string>): string[] =>
    [...new Set(names)].sort((a, b) => b.length - a.length);
  const named = byLength(table.columns).filter((column) => take(column));
  const holders = new Map<string, string[]>();
  for (const row of table.rows)
    for (const [column, value] of row)
      if (holders.get(value)?.includes(column) !== true)
        holders.set(value, [...(holders.get(value) ?? []), column]);
  const where: TableQuery["where"] = [];
  for (const value of byLength(holders.keys())) {
    if (contentTerms(value).length === 0 || !take(value)) continue;
    const columns = holders.get(value) ?? [];
    const [column, another] =
      columns.length === 1 ? columns : columns.filter((each) => named.includes(each));
    if (column === undefined || another !== undefined) return undefined;
    if (where.some((each) => each.column === column)) return undefined;
    where.push({ column, test: "is", value });
  }
  const { path, title, heading = "" } = table.passage;
  const names = [path, basename(path), wordsOf(path).join(" "), title, heading];
  const about = new Set(contentTerms(names.join(" ")));
  const isAbout = (name: string): boolean => contentTerms(name).every((term) => about.has(term));
  const subjects = [...open].filter((at) => about.has(terms[at]?.term ?? ""));
  subjects.forEach((at) => open.delete(at));
  if ([...open].some((at) => !FILLERS.has(terms[at]?.word ?? ""))) return undefined;
  const others = named.filter((column) => !where.some((each) => each.column === column));
  // "Orders" is what a table of orders is about, beside its column "Order".
  const free = others.filter((column) => !isAbout(column));
  // "How many orders": a title says less surely what the rows are than the name of file or column.
  const [, after = ""] = cues.flatMap(([, cue]) => question.split(cue));
  const [noun = ""] = contentTerms(after);
  const isMeant =
    where.length > 0 ||
    contentTerms([...wordsOf(basename(path)), ...named, "rows"].join(" ")).includes(noun);
  const isNamed = subjects.length > 0 || where.every(({ column }) => named.includes(column));
  if (compute === "rows")
    return where.length > 0 && (isNamed || named.some(isAbout)) ? { where, compute } : undefined;
  if (compute === "count") return free.length === 0 && isMeant ? { where, compute } : undefined;
  const numeric = free.filter((column) =>
    table.rows.some((row) => /\d/u.test(row.get(column) ?? "")),
  );
  const isOne = compute === "highest" || compute === "lowest";
  if (numeric.length !== 1 || (!isOne && free.length > 1)) return undefined;
  return { where, compute, column: numeric[0] };
}

const TESTS: Readonly<Record<TableQuery["where"][number]["test"], string>> = {
  is: "=",
  is_not: "≠",
  contains: "contains",
  above: ">",
  at_least: "≥",
  below: "<",
  at_most: "≤",
};

function evidenceOf(
  { table, query, result }: { table: FoundTable; query: TableQuery; result: TableResult },
  by: FoundBy,
) {
  const { passage, lines } = table;
  const { id: _id, text: _text, title, metadata, ...place } = passage;
  const { value, rows, passed, empty } = result;
  const filter = query.where.map(({ column, test, value }) => `${column} ${TESTS[test]} ${value}`);
  const having = filter.length === 0 ? "" : ` with ${filter.join(" and ")}`;
  const all = table.rows.length.toLocaleString("en");
  const sheet = passage.heading === undefined ? "" : ` (${passage.heading})`;
  const some = passed === table.rows.length ? "all" : `${passed.toLocaleString("en")} of`;
  const scope = `${some} ${all} rows of ${passage.path}${sheet}${having}`;
  const blank =
    empty === 0 ? "" : ` ${counted(empty, "row")} without ${query.column ?? ""} left out.`;
  const what = query.compute === "sum" ? "sum of" : query.compute;
  const said =
    query.compute === "rows" || query.compute === "count"
      ? `Found ${scope}.`
      : `The ${what} ${query.column ?? ""} in ${scope} is ${value ?? ""}.${blank}`;
  const listed: string[] = [];
  let characters = 0;
  for (const at of rows) {
    const cells = [...(table.rows[at] ?? [])];
    const row = cells.map(([head, cell]) => (head === "" ? cell : `${head}: ${cell}`)).join("; ");
    if ((characters += row.length) > MAX_ROW_TEXT) break;
    listed.push(row);
  }
  const left = rows.length - listed.length;
  const more = `… and ${counted(left, "more row")}`;
  const numbers = rows.flatMap((at) => lines[at] ?? []);
  return makeEvidence(
    {
      id: evidenceId("table", passage.path, passage.heading ?? "", JSON.stringify(query)),
      ...joinBlocks([
        { text: said, form: "paragraph" },
        ...listed.map((text) => ({ text, form: "row" as const })),
        ...(left > 0 ? [{ text: more, form: "row" as const }] : []),
      ]),
      title,
      source: sourceOf({
        ...place,
        ...(numbers.length > 0 && {
          startLine: Math.min(...numbers),
          endLine: Math.max(...numbers),
        }),
      }),
      ...(metadata && { metadata }),
    },
    by,
  );
}
