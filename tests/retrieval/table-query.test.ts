import { describe, expect, it } from "@jest/globals";
import { dateOf, numbersIn, queryTable, type TableQuery } from "../../src/retrieval/table-query.js";

const rows = (cells: readonly Record<string, string>[]) => ({
  columns: [...new Set(cells.flatMap((row) => Object.keys(row)))],
  rows: cells.map((row) => new Map(Object.entries(row))),
});
const ORDERS = rows([
  { City: "Berlin", Amount: "0.10" },
  { City: "berlin", Amount: "0.20" },
  { City: "Málaga", Amount: "1,200.05" },
  { City: "Oslo" },
]);
const ask = (query: Partial<TableQuery> & Pick<TableQuery, "compute">, table = ORDERS) =>
  queryTable(table, { where: [], ...query });
const is = (column: string, value: string) => ({ column, test: "is" as const, value });

describe("a query over a table", () => {
  it("sums decimals exactly, and says how many cells are empty", async () => {
    expect(await ask({ compute: "sum", column: "Amount" })).toEqual({
      value: "1,200.35",
      rows: [0, 1, 2],
      passed: 4,
      empty: 1,
    });
  });

  it("compares texts whatever their case and accents", async () => {
    const where = [is("city", "BERLIN")];
    expect(await ask({ compute: "sum", column: "amount", where })).toMatchObject({ value: "0.30" });
    expect(await ask({ compute: "rows", where: [is("City", "malaga")] })).toMatchObject({
      rows: [2],
    });
  });

  it("counts, averages and finds the highest and the lowest with their rows", async () => {
    expect(await ask({ compute: "count" })).toMatchObject({ value: "4" });
    expect(await ask({ compute: "average", column: "Amount" })).toMatchObject({
      value: "400.1167",
    });
    expect(await ask({ compute: "highest", column: "Amount" })).toMatchObject({ rows: [2] });
    expect(await ask({ compute: "lowest", column: "Amount" })).toMatchObject({ rows: [0] });
  });

  it("compares numbers, of which the bound may lack the unit", async () => {
    const prices = rows([{ Price: "10 EUR" }, { Price: "45 EUR" }, { Price: "7 EUR" }]);
    const where = [{ column: "Price", test: "at_least" as const, value: "10" }];
    expect(await ask({ compute: "rows", where }, prices)).toMatchObject({ rows: [0, 1] });
    expect(await ask({ compute: "sum", column: "Price", where }, prices)).toMatchObject({
      value: "55 EUR",
    });
  });

  it("compares two columns by rows that have both, and finds the latest and the earliest", async () => {
    const talks = rows([
      { Starts: "09:30", Seats: "80", Guests: "95" },
      { Starts: "11:00", Seats: "120", Guests: "64" },
      { Starts: "08:15", Guests: "80" },
    ]);
    const where = [{ column: "Guests", test: "above" as const, value: "Seats" }];
    expect(await ask({ compute: "rows", where }, talks)).toMatchObject({ rows: [0] });
    expect(await ask({ compute: "highest", column: "Starts" }, talks)).toMatchObject({
      value: "11:00",
      rows: [1],
    });
    expect(await ask({ compute: "lowest", column: "Starts" }, talks)).toMatchObject({ rows: [2] });
    const mixed = rows([{ At: "2020" }, { At: "2020-05-01" }]);
    await expect(ask({ compute: "lowest", column: "At" }, mixed)).rejects.toThrow(
      "can be compared",
    );
  });

  it("compares dates and times, of which a month or a year is the whole of it", async () => {
    const at = (test: "above" | "at_least" | "below" | "at_most", value: string, cells: string[]) =>
      ask(
        { compute: "rows", where: [{ column: "At", test, value }] },
        rows(cells.map((At) => ({ At }))),
      ).then(({ rows: found }) => found);
    const days = [
      "2019-12-31",
      "01.01.2020",
      "31 December 2020",
      "January 1, 2021",
      "2020-05-01 10:00",
    ];
    expect(await at("below", "2020", days)).toEqual([0]);
    expect(await at("at_least", "2020", days)).toEqual([1, 2, 3, 4]);
    expect(await at("above", "2020", days)).toEqual([3]);
    expect(await at("at_most", "May 2020", days)).toEqual([0, 1, 4]);
    expect(await at("above", "9:30", ["10:00", "08:15", "9:30"])).toEqual([0]);
    await expect(at("above", "May 2020", ["2020", "2021"])).rejects.toThrow("not all of At");
    await expect(at("above", "9:30", ["2020-05-01"])).rejects.toThrow("can be compared");
    await expect(at("above", "2020", ["03/04/2020"])).rejects.toThrow("not all of At are numbers");
    expect(dateOf("30.02")).toBeUndefined();
  });

  it.each([
    [["12", "n/a"], /not all of Price are numbers/],
    [["12", "(3)"], /not all of Price are numbers/],
    [["12 kg", "3 t"], /several units: kg, t/],
    [["12 k", "12"], /several units: k, none/],
    [["1.234", "5.678"], /not clear how the numbers/],
    [["1,234", "5"], /not clear how the numbers/],
    [["1.5", "1,5"], /not clear how the numbers/],
    [["99999999999999999"], /too large/],
  ])("computes nothing of %j", (cells, problem) =>
    expect(() => numbersIn(cells, "Price", false)).toThrow(problem),
  );

  it("reads grouped numbers of both kinds where one cell settles it", () => {
    expect(numbersIn(["1.234,50", "2"], "x", false)).toMatchObject({
      keys: [123450, 200],
    });
    expect(numbersIn(["1,234.5", "-2"], "x", false)).toMatchObject({
      keys: [12345, -20],
    });
    expect(numbersIn(["1.234", ""], "x", true)).toMatchObject({
      keys: [1234, null],
      decimals: 3,
    });
  });

  it("reads the decimal commas of texts in a workbook, but no point of it as a group", async () => {
    const plain = (...cells: string[]) => ({
      columns: ["A"],
      rows: cells.map((cell) => new Map([["A", cell]])),
      isPlain: true,
    });
    const sum = { where: [], compute: "sum" as const, column: "A" };
    expect((await queryTable(plain("267,00", "1920,50"), sum)).value).toBe("2,187.50");
    expect((await queryTable(plain("1.234", "2"), sum)).value).toBe("3.234");
  });

  it("names the columns where one is unknown, and never runs a value as SQL", async () => {
    await expect(ask({ compute: "sum", column: "Prize" })).rejects.toThrow(
      'no column "Prize"; the columns are City, Amount',
    );
    const where = [is("City", "x' OR 1=1 --")];
    expect(await ask({ compute: "count", where })).toMatchObject({ value: "0" });
  });
});
