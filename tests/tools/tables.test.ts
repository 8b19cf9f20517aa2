import { describe, expect, it } from "@jest/globals";
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
