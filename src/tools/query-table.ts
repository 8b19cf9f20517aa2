/** Questions over tables: rows are filtered and computed in SQL, and become evidence. */
import { z } from "zod";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";
import {
  dateOf,
  queryTable,
  TableQuerySchema,
  type TableQuery,
  type TableResult,
} from "../retrieval/table-query.js";
import { joinBlocks } from "../text/passage-blocks.js";
import { reasonOf } from "../support/errors.js";
import { counted } from "../text/words.js";
import { evidenceId, makeEvidence, sourceOf, type FoundBy } from "./make-evidence.js";
import { readTableQuestion } from "./read-table-question.js";
import { mayHoldTable, SHEETS, tablesIn, type FoundTable } from "./tables.js";
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
        const query = given ?? readTableQuestion(question, table);
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
    // No row of "staff.csv" says "employee".
    const sheets = await knowledgeBase.documents({ type: "in", key: "kind", value: [...SHEETS] });
    const few = sheets.length <= MOST_DOCUMENTS ? sheets : [];
    const paths = new Set([...passages, ...few].map(({ path }) => path));
    return [...paths].slice(0, MOST_DOCUMENTS);
  }

  async function tablesOf(path: string): Promise<FoundTable[]> {
    const passages = await knowledgeBase.passagesOf(path);
    return passages.length > MOST_PASSAGES ? [] : tablesIn(passages);
  }
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
  const filter = query.where.map(
    ({ column, test, value }) => `${column} ${TESTS[test]} ${value || "empty"}`,
  );
  const having = filter.length === 0 ? "" : ` with ${filter.join(" and ")}`;
  const all = table.rows.length.toLocaleString("en");
  const sheet = passage.heading === undefined ? "" : ` (${passage.heading})`;
  const some = passed === table.rows.length ? "all" : `${passed.toLocaleString("en")} of`;
  const scope = `${some} ${all} rows of ${passage.path}${sheet}${having}`;
  const blank =
    empty === 0 ? "" : ` ${counted(empty, "row")} without ${query.column ?? ""} left out.`;
  const isTime = dateOf(value ?? "") !== undefined && /\D/u.test(value ?? "");
  const extreme = query.compute === "highest" ? "latest" : "earliest";
  const what = isTime ? extreme : query.compute === "sum" ? "sum of" : query.compute;
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
        startLine: numbers[0] ?? place.startLine,
        endLine: numbers.at(-1) ?? place.endLine,
      }),
      ...(metadata && { metadata }),
    },
    by,
  );
}
