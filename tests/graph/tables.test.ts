/** Questions over tables, through the compiled graph over a real knowledge base. */
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ingest } from "../../src/ingest/ingest.js";
import type { KnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import type { ContextValues } from "../../src/settings/context.js";
import { startModelServer, type ModelServer } from "../support/model-server.js";
import { observedAgent } from "../support/observed-agent.js";

const CITIES = ["Berlin", "Lisbon", "Oslo"];
const STATUSES = ["open", "shipped"];
const ORDERS = Array.from({ length: 300 }, (_, at) => ({
  id: `A-${at}`,
  city: CITIES[at % 3] ?? "",
  status: STATUSES[at % 2] ?? "",
  cents: (at * 7919) % 90_000,
}));
const sumOf = (city: string): string =>
  (
    ORDERS.filter((order) => order.city === city).reduce((sum, { cents }) => sum + cents, 0) / 100
  ).toLocaleString("en", { minimumFractionDigits: 2 });

let server: ModelServer;
let folder: string;
let knowledgeBase: KnowledgeBase;
beforeAll(async () => {
  server = await startModelServer();
  folder = await mkdtemp(path.join(tmpdir(), "tables-"));
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
  const lines = ORDERS.map(({ id, city, status, cents }) =>
    [id, city, status, (cents / 100).toFixed(2)].join(","),
  );
  await write("orders.csv", ["Order,City,Status,Amount", ...lines].join("\n"));
  await write(
    "plans.md",
    "# Plans\n\n| Plan | Seats | Price |\n|---|---|---|\n| Basic | 5 | 10 EUR |\n| Team | 20 | 45 EUR |\n| Company | 200 | on request |\n",
  );
  await write("staff.csv", "Name,Desk\nEva,1\nKim,2\nLiv,3");
  await write("salaries.csv", "Employee,Wage\nEva,4200\nKim,8300");
  await write("folder.meta.yaml", "department: sales");
  await write("readme.md", "# About\n\nOrders are kept in a table, by city.");
  const store = await openSqliteKnowledgeBase({ directory: path.join(folder, "kb") });
  await ingest({
    targets: [path.join(folder, "salaries.csv")],
    knowledgeBase: store,
    cwd: folder,
    metadata: { groups: ["hr"] },
  });
  const rows = ORDERS.map(
    ({ id, city, cents }) => `<tr><td>${id}<td>${city}<td>${(cents / 100).toFixed(2)}`,
  );
  const table = `<table><tr><th>Parcel<th>Town<th>Weight${rows.join("")}</table>`;
  const page = `<h1>Parcels</h1><p>Note: weights in kilograms.</p>${table}<p>Hint: ask.</p>`;
  await write("parcels.html", page);
  const loads = ["12", "long ".repeat(400), "30"].map((load) => `<tr><td>Kiel<td>${load}`);
  await write(
    "ships.html",
    `<h1>Ships</h1><table><tr><th>Harbour<th>Load${loads.join("")}</table>`,
  );
  await copyFile("tests/ingest/files/guide.docx", path.join(folder, "guide.docx"));
  for (const name of [
    "orders.csv",
    "staff.csv",
    "plans.md",
    "readme.md",
    "parcels.html",
    "ships.html",
    "guide.docx",
  ])
    await ingest({ targets: [path.join(folder, name)], knowledgeBase: store, cwd: folder });
  knowledgeBase = store;
});
afterAll(async () => {
  await knowledgeBase?.close();
  await server?.close();
  await rm(folder, { recursive: true });
});

async function asked(question: string, context: ContextValues = {}, environment = {}) {
  const { agent, ask } = observedAgent({ knowledgeBase, environment });
  try {
    return (await ask(question, context)).result;
  } finally {
    await agent.close();
  }
}

describe("a question over a table, without a model", () => {
  it("is computed over all rows of a web page's table, though it takes many passages", async () => {
    const { answer } = await asked("What is the sum of the weight in Berlin?");
    expect(answer).toBe(
      `The sum of Weight in 100 of 300 rows of parcels.html with Town = Berlin is ${sumOf("Berlin")}. [1]`,
    );
  });

  it("computes nothing where a row was too long for a passage", async () => {
    const { answer } = await asked("What is the sum of the load in Kiel?");
    expect(answer).not.toMatch(/sum of/i);
  });

  it("is computed over the table of a Word document", async () => {
    const { answer } = await asked("What is the highest fee per year of a plot?");
    expect(answer).toMatch(/^The highest Fee per year in all 3 rows of guide\.docx.* is 260 €\. /u);
  });

  it("is computed over all rows, and cites them", async () => {
    const { answer, citations, outcome } = await asked("What is the sum of the amount in Berlin?");
    expect(outcome.status).toBe("success");
    expect(answer).toBe(
      `The sum of Amount in 100 of 300 rows of orders.csv with City = Berlin is ${sumOf("Berlin")}. [1]`,
    );
    expect(citations[0]).toMatchObject({
      status: "supported",
      source: { path: "orders.csv", start_line: 2, end_line: 299 },
    });
  });

  it("is computed over a table that has no word of the question, where tables are few", async () => {
    const { answer } = await asked("How many employees are there?");
    expect(answer).toMatch(/^Found all 3 rows of staff\.csv\. \[1\]\n/);
  });

  it("counts by two columns, and shows the rows where they are few", async () => {
    const counts = await asked("How many orders in Oslo are open?");
    expect(counts.answer).toMatch(
      /^Found 50 of 300 rows .* Status = open and City = Oslo\. \[1\]$/,
    );
    const which = await asked("Which plans have 20 seats?");
    expect(which.answer).toContain("- Plan: Team; Seats: 20; Price: 45 EUR [1]");
  });

  it.each(["List all orders in Oslo", "Which orders are in Oslo?", "All orders that are in Oslo"])(
    "finds rows by their values where the question names what they are: %s",
    async (question) => {
      const { answer } = await asked(question);
      expect(answer).toMatch(/^Found 100 of 300 rows of orders\.csv with City = Oslo\. \[1\]$/);
    },
  );

  it("takes the file that the question names", async () => {
    const { answer } = await asked("What is the sum of the amount in Oslo in orders.csv?");
    expect(answer).toContain(`City = Oslo is ${sumOf("Oslo")}.`);
  });

  it("finds the highest with its row", async () => {
    const most = ORDERS.reduce((best, order) => (order.cents > best.cents ? order : best));
    const { answer } = await asked("Which order has the highest amount?");
    expect(answer).toContain(`Order: ${most.id};`);
  });

  it.each([
    "How many orders are not open?",
    "How many orders are above 500?",
    "What is the sum of the amount in Berlin and Oslo?",
    "How many cities are there?",
    "What is the sum of the amount in Paris?",
  ])("that cannot be read with certainty gets passages: %s", async (question) => {
    const { answer } = await asked(question);
    expect(answer).not.toMatch(/^(?:Found|The sum)/);
  });

  it("over numbers that cannot all be read computes nothing, and says so", async () => {
    const { answer, warnings } = await asked("What is the sum of the price of the plans?");
    expect(answer).not.toMatch(/^The sum/);
    expect(warnings.join()).toContain(
      'not all of Price are numbers, so nothing is computed: "on request"',
    );
  });

  it("sees no row that the caller may not see", async () => {
    const question = "What is the highest wage?";
    const hidden = await asked(question);
    expect(JSON.stringify(hidden)).not.toMatch(/8,?300|Kim|salaries/);
    const seen = await asked(question, { principal: { id: "anna", groups: ["hr"] } });
    expect(seen.answer).toMatch(/^The highest Wage in all 2 rows of salaries\.csv is 8,300\./);
  });

  it("keeps to the caller's filter", async () => {
    const { answer } = await asked("How many orders in Oslo are open?", {
      filter: 'path = "plans.md"',
    });
    expect(answer).not.toMatch(/^Found/);
  });
});

describe("a question over a table, with a model", () => {
  const model = () => ({ OPENAI_BASE_URL: server.baseUrl, LLM_MODEL: "test", WEB_SEARCH: "off" });

  it("may be asked as a typed query, whose result is evidence", async () => {
    server.reset();
    const where = [
      { column: "city", test: "is", value: "oslo" },
      { column: "amount", test: "above", value: "500" },
    ];
    server.script("tool_calls", {
      calls: [
        {
          tool: "query_table",
          arguments_json: JSON.stringify({ path: "orders.csv", where, compute: "count" }),
        },
      ],
    });
    server.script("answer", ({ user }: { user: string }) => {
      const [, id = "?"] = /<source id="(\d+)">\nFound/.exec(user) ?? [];
      const [, count = "?"] = /Found (\d+) of 300 rows/.exec(user) ?? [];
      return `There are ${count} such orders [${id}].`;
    });
    const expected = ORDERS.filter(({ city, cents }) => city === "Oslo" && cents > 50_000).length;
    const { answer, details } = await asked(
      "How many orders of Oslo went over five hundred?",
      { quality: "thorough" },
      model(),
    );
    expect(
      details?.tools.find(({ tool, count }) => tool === "query_table" && count === 1),
    ).toBeDefined();
    expect(answer).toContain(`There are ${expected} such orders`);
  });
});
