/** Which questions are computed over a table, and above all which are not. */
import { describe, expect, it } from "@jest/globals";
import { readTableQuestion } from "../../src/tools/read-table-question.js";
import type { FoundTable } from "../../src/tools/tables.js";

function table(path: string, csv: string, heading?: string): FoundTable {
  const [head = "", ...lines] = csv.trim().split("\n");
  const columns = head.split(",");
  const title = path.replace(/\.\w+$/, "");
  const passage = { id: "1", text: "", title, path, kind: "csv" as const, heading };
  const rows = lines.map(
    (line) =>
      new Map(line.split(",").flatMap((cell, at) => (cell ? [[columns[at] ?? "", cell]] : []))),
  );
  return { passage, columns, rows, lines: [] };
}

const STAFF = table(
  "hr/staff.csv",
  `
name,department,city,hours,start
Anna Weber,Sales,Berlin,40,2019-03-01
Jonas Klein,Engineering,Hamburg,38.5,2021-07-15
Mia Hofmann,Engineering,Berlin,20,2020-01-01
Paul Richter,Support,Munich,38.5,2022-05-01
Lena Wolf,Engineering,Berlin,38.5,2018-11-01
Tim Bauer,Sales,Hamburg,30,2023-02-01`,
);
const ORDERS = table(
  "orders.csv",
  `
Order,City,Status,Amount,Date
A-1,Lisbon,open,500 EUR,2024-03-01
A-2,Oslo,shipped,80 EUR,2024-04-02
A-3,Lisbon,shipped,1200 EUR,2023-12-30`,
);
const PRODUCTS = table(
  "products.csv",
  `
Product,Price,Shipping,Stock,Weight
Lamp,20 EUR,5 EUR,10,2 kg
Desk,300 EUR,50 EUR,3,40 kg
Chair,85 EUR,20 EUR,10,9 kg`,
);
const TRAINS = table(
  "timetable.md",
  `
Train,From,To,Departure
RE1,Berlin,Hamburg,8:15
RE2,Hamburg,Munich,10:40
IC7,Berlin,Leipzig,12:05`,
  "Trains",
);
const FRUIT = table(
  "fruit.md",
  "Product,Price,Origin\nApple,2.50 EUR,Kent\nBanana,1.80 EUR,Peru\nMango,3.20 EUR,Peru",
  "Price list",
);
const FILMS = table("films.csv", "Film,Year,Minutes\nMetropolis,1927,153\nM,1931,117");

/** Shows a reading in one line. */
function read(question: string, of: FoundTable): string | undefined {
  const query = readTableQuestion(question, of);
  const tests = query?.where.map(({ column, test, value }) => `${column} ${test} ${value}`);
  return query && [query.compute, query.column, ...(tests ?? [])].filter(Boolean).join(", ");
}

describe("a question over a table is read", () => {
  it.each([
    ["How many people work in Berlin?", STAFF, "count, city is Berlin"],
    ["How many people are in Berlin?", STAFF, "count, city is Berlin"],
    ["How many employees are there?", STAFF, "count"],
    [
      "Who works more than 30 hours and started before 2021?",
      STAFF,
      "rows, hours above 30, start below 2021",
    ],
    ["How many employees are there in Sales?", STAFF, "count, department is Sales"],
    ["How many staff work at most 30 hours?", STAFF, "count, hours at_most 30"],
    ["Who works in Engineering?", STAFF, "rows, department is Engineering"],
    ["Who is in Support and Munich", STAFF, "rows, department is Support, city is Munich"],
    ["Which employees are in Hamburg?", STAFF, "rows, city is Hamburg"],
    ["List all people in Hamburg", STAFF, "rows, city is Hamburg"],
    ["Who works less than 40 hours?", STAFF, "rows, hours below 40"],
    [
      "Who works at least 38.5 hours in Berlin?",
      STAFF,
      "rows, hours at_least 38.5, city is Berlin",
    ],
    ["Who works between 20 and 30 hours?", STAFF, "rows, hours at_least 20, hours at_most 30"],
    ["Who started before 2020?", STAFF, "rows, start below 2020"],
    ["Who started after March 2020?", STAFF, "rows, start above March 2020"],
    ["Who started since 1 May 2021?", STAFF, "rows, start at_least 1 May 2021"],
    ["How many people started in 2020?", STAFF, "count, start at_least 2020, start at_most 2020"],
    [
      "What is the average of hours in Engineering?",
      STAFF,
      "average, hours, department is Engineering",
    ],
    ["What is the total hours of employees in Sales?", STAFF, "sum, hours, department is Sales"],
    ["Which orders are over 100 EUR?", ORDERS, "rows, Amount above 100 EUR"],
    ["How many orders have an amount of at least 500?", ORDERS, "count, Amount at_least 500"],
    [
      "How many orders in Lisbon since March 2024?",
      ORDERS,
      "count, Date at_least March 2024, City is Lisbon",
    ],
    ["Which products have a price under 100?", PRODUCTS, "rows, Price below 100"],
    ["How many products have less than 10 stock?", PRODUCTS, "count, Stock below 10"],
    [
      "Which products have a weight between 2 and 10 kg?",
      PRODUCTS,
      "rows, Weight at_least 2 kg, Weight at_most 10 kg",
    ],
    ["Which products have a price under 3?", FRUIT, "rows, Price below 3"],
    ["Which trains have a departure after 9:00?", TRAINS, "rows, Departure above 9:00"],
    ["Which films were before 1930?", FILMS, "rows, Year below 1930"],
  ])("%s", (question, of, expected) => expect(read(question, of)).toBe(expected));
});

const STOCK = table(
  "stock.csv",
  "Item,Shelf,Stock,Reorder level\nPaper,A1,120,50\nToner,B2,3,10\nStaples,A4,40,40",
);
const ROOMS = table("rooms.csv", "Room,Floor,Capacity\nAlpha,1,12\nBeta,5,4");
const MEMBERS = table(
  "members.csv",
  "Member,Joined on,Paid,Fee paid on\nOlga,2018-03-01,yes,2026-01-02\nPiet,2020-05-12,no,\nRosa,2012-09-30,yes,2026-02-01",
);
const TALKS = table(
  "talks.csv",
  "Talk,Starts,Seats,Registered\nMaps,09:30,80,95\nGraphs,11:00,120,64\nTests,13:15,80,80",
);
const PASSPORTS = table(
  "passports.csv",
  "Traveller,Expires,Visa\nAnn,2027-02-01,yes\nKen,2028-12-24,no\nLea,,no",
);

describe("a question that asks for a state or for the first is read", () => {
  it.each([
    ["Which members have not paid?", MEMBERS, "rows, Paid is no"],
    ["How many members have paid?", MEMBERS, "count, Paid is yes"],
    ["Which travellers have no visa?", PASSPORTS, "rows, Visa is no"],
    ["Which employees are not in Sales?", STAFF, "rows, department is_not Sales"],
    ["Who started first?", STAFF, "lowest, start"],
    ["Which member joined last?", MEMBERS, "highest, Joined on"],
    ["Which talk has the fewest registered?", TALKS, "lowest, Registered"],
    ["Which order has the latest date?", ORDERS, "highest, Date"],
  ])("%s", (question, of, expected) => expect(read(question, of)).toBe(expected));
});

/** Words that change what is asked, wherever they stand. */
const CHANGES = (
  "not no never only except without other left returned new former remote part home abroad each " +
  "per or than about almost average Paris Sunday yesterday born want should would can will used"
).split(" ");

describe("a question over a table is left to the searches", () => {
  it.each([
    "How many people work in Berlin on Sundays?",
    "How many people in Berlin left?",
    "How many people left Berlin?",
    "How many people were fired in Berlin?",
    "How many people worked in Berlin?",
    "How many people were in Berlin?",
    "How many people work in each city?",
    "How many people work in Berlin or Hamburg?",
    "How many people work in the Berlin office?",
    "How many people don't work in Berlin?",
    "How many people live in Berlin?",
    "How many people in Berlin have employees?",
    "How many people in Berlin have children?",
    "How many people work with Anna Weber?",
    "How many customers are in Berlin?",
    "How many desks are in Berlin?",
    "How many people work in Paris?",
    "How many people work in sales abroad?",
    "Who works with Engineering?",
    "Who works for Anna Weber?",
    "Who works less than 40 hours from home?",
    "Who works less than 40 hours a month?",
    "Who works not less than 40 hours?",
    "Who works less than 40 days?",
    "Who works less than 40?",
    "Who works less than forty hours?",
    "Who works more than 40k hours?",
    "Who works over 40 hours and 20 minutes?",
    "Who works less than 40 hours or in Berlin?",
    "Who would work in Berlin?",
    "Who no longer works in Berlin?",
    "Who else works in Berlin?",
    "Who only works in Berlin?",
    "Who moved to Berlin?",
    "Who travels to Berlin?",
    "Who leads Engineering?",
    "Who has worked longest?",
    "Who has worked here longest in Berlin?",
    "Who worked here longest as a guest?",
    "Who was here longest?",
    "Who started in Berlin before 2020?",
    "Who started in Engineering?",
    "Who has less than 40 hours of leave?",
    "Who started after 2019 and before 2022?",
    "Who started before January?",
    "And in Sales? (How many people work in Berlin?)",
    "Who supports Berlin?",
    "Which employees engineer in Berlin?",
    "Who started before Anna Weber?",
    "Who started before 500?",
    "Who started smoking before 2020?",
    "Who finished before 2020?",
    "Who works hours before 2020?",
    "Who was born before 1990?",
    "Who is in 2020?",
    "Who is on holiday in Berlin?",
    "Is Anna Weber in Berlin?",
    "Which employees in Berlin speak Polish?",
    "Which meetings are in Berlin?",
    "What is the average age in Engineering?",
    "What is the average of hours worked at home in Engineering?",
  ])("%s", (question) => expect(read(question, STAFF)).toBeUndefined());

  it.each([
    ["How many orders from Lisbon were returned?", ORDERS],
    ["How many people are in Lisbon?", ORDERS],
    ["Who is in Lisbon?", ORDERS],
    ["How many orders in Lisbon were late?", ORDERS],
    ["How many orders are over 500?", ORDERS],
    ["How many orders are over 5 million EUR?", ORDERS],
    ["How many orders were paid before 2024?", ORDERS],
    ["Which orders are over 100 USD?", ORDERS],
    ["Which orders work over 100 EUR?", ORDERS],
    ["Which orders work in Lisbon?", ORDERS],
    ["Which orders are over 100 EUR per item?", ORDERS],
    ["How many orders are in Lisbon next to Oslo?", ORDERS],
    ["What is the sum of the amount over 100 EUR of open orders without tax?", ORDERS],
    ["Which products are under 20 EUR?", PRODUCTS],
    ["Which products have a price and shipping under 20 EUR?", PRODUCTS],
    ["Which products have a stock over 20 EUR?", PRODUCTS],
    ["Which products with a weight have a price under twice 20?", PRODUCTS],
    ["Which products have a weight over 500 g?", PRODUCTS],
    ["How many products are from Peru?", FRUIT],
    ["Which trains are to Berlin?", TRAINS],
    ["Which trains go from Berlin?", TRAINS],
    ["Which trains are in Berlin?", TRAINS],
    ["Which trains are after 9:00?", TRAINS],
    ["Which trains have a departure after 9:00 am?", TRAINS],
    ["Which trains have a departure after 9?", TRAINS],
  ])("%s", (question, of) => expect(read(question, of)).toBeUndefined());

  it.each([
    // The floor is no number of people.
    ["Which rooms are above capacity?", ROOMS],
    ["Which rooms are over capacity?", ROOMS],
    ["Which items are below the reorder level?", STOCK],
    ["Which talks have more registered than seats?", TALKS],
    ["Which items are not below the reorder level?", STOCK],
    ["Which items were below the reorder level last year?", STOCK],
    ["Which talks have more guests registered than seats?", TALKS],
    ["Which members have not paid twice?", MEMBERS],
    ["Which members have not paid by March?", MEMBERS],
    // Cells that are empty, or hold a date to come.
    ["Which members have not paid the fee?", MEMBERS],
    ["Which passports have not expired?", PASSPORTS],
    ["Which orders were last month?", ORDERS],
    ["Which orders are not open in Lisbon?", ORDERS],
    ["Which talk is the longest?", TALKS],
    ["Who has worked here longest?", STAFF],
    ["Which talk has been longest?", TALKS],
    ["Which talk was here longest?", TALKS],
  ])("%s", (question, of) => expect(read(question, of)).toBeUndefined());

  it.each([
    ["staff-meetings.csv", "name,city\nKickoff,Berlin\nReview,Berlin\nRetro,Oslo"],
    ["former-employees.csv", "name,city\nAnna,Berlin\nPaul,Berlin\nTim,Oslo"],
    ["staff.csv", "name,project,city\nAnna,X,Berlin\nAnna,Y,Berlin\nTim,X,Oslo"],
    ["staff.csv", "city,floor\nBerlin,2\nOslo,3"],
    ["staff.csv", "name,city,left\nAnna,Berlin,\nPaul,Berlin,2024-05-01\nTim,Oslo,"],
    ["staff.csv", "name,city,end\nAnna,Berlin,–\nPaul,Berlin,2024-05-01\nTim,Oslo,present"],
    ["staff.csv", "name,city,status\nAnna,Berlin,active\nPaul,Berlin,left\nTim,Oslo,active"],
    ["staff.csv", "name,born,city\nAnna,Berlin,Oslo\nPaul,Oslo,Bonn\nTim,Berlin,Bonn"],
    ["staff.csv", "name,city\nAnna,Berlin\nPaul,Berlin and Oslo\nTim,Berlin"],
    ["staff.csv", "name,city,note\nAnna,Berlin,new\nPaul,Oslo,often in Berlin\nTim,Berlin,"],
    ["devices.csv", "Device,Employee,city\nPhone,Anna,Berlin\nDesk,Paul,Berlin\nPen,Tim,Oslo"],
  ])("where rows may not be people, or a town may mean something else: %s %s", (path, csv) =>
    expect(read("How many people work in Berlin?", table(path, csv))).toBeUndefined(),
  );

  it("unless the question says which of those of the past and the present it means", () => {
    const csv = "name,city,status\nAnna,Berlin,active\nPaul,Berlin,left\nTim,Oslo,active";
    expect(read("How many people in Berlin are active?", table("staff.csv", csv))).toBe(
      "count, city is Berlin, status is active",
    );
  });

  it("though a cell says no", () => {
    const items = table("items.csv", "Item,Place,Sold\nLamp,Oslo,no\nDesk,Oslo,not\nBed,Bonn,no");
    expect(read("How many items are in Oslo?", items)).toBe("count, Place is Oslo");
    expect(read("How many items are not in Oslo?", items)).toBe("count, Place is_not Oslo");
    expect(read("How many items in Oslo are not sold?", items)).toBeUndefined();
    expect(read("How many items in Oslo have no price?", items)).toBeUndefined();
  });

  it.each([
    ["How many people work in Berlin", STAFF],
    ["Who works in Engineering", STAFF],
    ["Who works less than 40 hours", STAFF],
    ["Who started before 2020", STAFF],
    ["How many orders in Lisbon are open", ORDERS],
    ["Which orders are over 100 EUR", ORDERS],
  ])("with one word more, wherever it stands: %s", (question, of) => {
    expect(read(question, of)).toBeDefined();
    const words = question.split(" ");
    const longer = CHANGES.flatMap((word) =>
      Array.from({ length: words.length + 1 }, (_, at) => words.toSpliced(at, 0, word).join(" ")),
    );
    const isOpposite = (each: string): boolean =>
      / not /.test(each) && read(each, of)?.replace("is_not", "is") === read(question, of);
    const misread = longer.filter((each) => read(each, of) !== undefined && !isOpposite(each));
    expect(misread).toEqual([]);
  });
});
