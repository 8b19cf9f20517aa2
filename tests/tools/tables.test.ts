import { describe, expect, it } from "@jest/globals";
import { rowBlocks } from "../../src/formats/loaders/sheets.js";
import { split } from "../../src/ingest/split.js";
import type { Block } from "../../src/text/block.js";
import { tablesIn } from "../../src/tools/tables.js";

describe("tables of a web page", () => {
  it("with the same columns stay apart under different headings", () => {
    const rows = (region: string, sales: readonly number[]): Block[] =>
      sales.map((each, at) => ({
        text: `Store: ${region} ${at}; Sales: ${each}`,
        headings: [region],
        form: "row",
      }));
    const passages = split({ path: "sales.html", kind: "html", title: "Sales" }, [
      ...rows("Europe", [1, 2, 3]),
      ...rows("Asia", [10, 20, 30]),
    ]);
    const sums = tablesIn(passages).map(({ rows: found }) =>
      found.reduce((sum, row) => sum + Number(row.get("Sales")), 0),
    );
    expect(sums).toEqual([6, 60]);
  });
});

describe("tables of a spreadsheet", () => {
  const tableOf = (...lines: string[]) => {
    const rows = lines.map((line) => ({ cells: line.split(","), startLine: 1, endLine: 1 }));
    const placed = rows.map((row, at) => ({ ...row, startLine: at + 1, endLine: at + 1 }));
    const { blocks } = rowBlocks(placed);
    return tablesIn(split({ path: "sales.csv", kind: "csv", title: "Sales" }, blocks))[0];
  };
  const head = "Region,Quarter,Sales,Share";

  it("leave out a last row that sums up the others", () => {
    const table = tableOf(head, "North,Q1,10,1", "South,Q1,20,2", "North,Q2,5,3", "All,,35,6");
    expect(table?.rows.map((row) => row.get("Sales"))).toEqual(["10", "20", "5"]);
    expect(table?.lines).toEqual([2, 3, 4]);
  });

  it.each([
    ["sums in between", [head, "N,Q1,10,1", "S,Q1,20,2", "Sum,,30,3", "N,Q2,5,1", "All,,35,4"]],
    ["sums of one row", ["City,By,Sum", "Bonn,A,1", "Part,,1", "Oslo,B,5", "Oslo,C,6", "Part,,11"]],
    ["a sum that is named by a row", ["City,Sum", "Bonn,1", "Bonn,3", "Bonn in all,4", "Oslo,5"]],
    [
      "sums of one name",
      ["City,By,Sum", "Bonn,A,1", "Bonn,B,3", "Bonn,All,4", "Oslo,C,5", "Oslo,D,6", "Oslo,All,11"],
    ],
    ["a last row that is no sum of all", [head, "N,Q1,10,1", "S,Q1,20,1", "E,,20,1"]],
    ["one name in each row", ["Region,Sales", "North,10", "South,20", "East,5", "Everything,35"]],
  ])("with %s are not computed", (_, lines) => {
    expect(tableOf(...lines)).toBeUndefined();
  });

  it("leave out a last row that sums up a part, where its word says so", () => {
    const table = tableOf(head, "N,Q1,10,50 %", "S,Q1,20,50 %", "All,,30,100");
    expect(table?.rows).toHaveLength(2);
  });

  it.each([
    ["rows with all their names", [head, "N,Q1,10,1", "S,Q1,20,2", "E,Q1,30,3"]],
    ["few rows with one name", ["Name,Desk", "Eva,1", "Kim,2", "Liv,3"]],
    ["rows that lack a name", [head, "N,Q1,10,1", "S,Q1,20,2", "E,,7,4"]],
  ])("keep %s", (_, lines) => {
    expect(tableOf(...lines)?.rows).toHaveLength(lines.length - 1);
  });

  it("are those below a title, and short sheets stay apart", () => {
    const sheet = (name: string, column: string, ...values: string[]) => {
      const cells = [[name], ["Name", column], ...values.map((each, at) => [`Who ${at}`, each])];
      const rows = cells.map((row, at) => ({ cells: row, startLine: at + 1, endLine: at + 1 }));
      return rowBlocks(rows, name).blocks;
    };
    const blocks = [...sheet("Crew", "Pay", "10", "20"), ...sheet("Guests", "Fee", "5", "7")];
    const passages = split({ path: "book.xlsx", kind: "xlsx", title: "Book" }, blocks);
    expect(passages).toHaveLength(1);
    expect(tablesIn(passages)).toMatchObject([
      { columns: ["Name", "Pay"], rows: { length: 2 }, passage: { heading: "Crew" } },
      { columns: ["Name", "Fee"], rows: { length: 2 }, passage: { heading: "Guests" } },
    ]);
  });

  it("repeat a merged cell in all rows that it takes", () => {
    const rows = [
      { cells: ["Harbour", "Fee"], startLine: 1, endLine: 1 },
      { cells: ["Aker", "5"], spans: new Map([[0, 2]]), startLine: 2, endLine: 2 },
      { cells: ["", "6"], startLine: 3, endLine: 3 },
      { cells: ["", "7"], startLine: 4, endLine: 4 },
    ];
    expect(rowBlocks(rows).blocks.map(({ text }) => text)).toEqual([
      "Harbour: Aker; Fee: 5",
      "Harbour: Aker; Fee: 6",
      "Fee: 7",
    ]);
  });
});
