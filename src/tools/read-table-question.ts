/** Reads a question over a table without a model, or leaves it to the searches. Pure. */
import { basename } from "node:path/posix";
import { BOUND, dateOf, type TableQuery } from "../retrieval/table-query.js";
import { analyse, contentTerms, fold, type Token } from "../text/analyse.js";
import { flagOf, wordSet, wordsOf } from "../text/words.js";
import * as tables from "./tables.js";
import lists from "./table-words.json" with { type: "json" };

type Condition = TableQuery["where"][number];

/** Stems for "highest" and "higher than". */
const MORE = "high|larg|bigg|great|long|lat";
const LESS = "low|small|few|short|earli";
const CUES = (
  [
    ["count", "how many|number of"],
    ["sum", "sum|total"],
    ["average", "average|mean"],
    ["highest", `(?:${MORE})est|most|last|maximum`],
    ["lowest", `(?:${LESS})est|least|first|minimum`],
  ] as const
).map(([compute, words]) => [compute, new RegExp(`\\b(?:${words})\\b`, "giu")] as const);
const WHICH = /^\W*(?:which|list|show|all|who)\b/iu;

export function asksOfTable(question: string): boolean {
  return WHICH.test(question) || CUES.some(([, cue]) => question.search(cue) >= 0);
}

/** "Over 5 EUR", "more than 5", "between 5 and 10". */
const COMPARISON = new RegExp(
  String.raw`\b(?:(?<below>(?:less|(?:${LESS})er) than|under|below|before)|` +
    String.raw`(?<above>(?:more|(?:${MORE})er) than|over|above|after)|` +
    String.raw`(?<least>at least|since)|(?<most>at most)|between|in)\b` +
    String.raw`\s+(?<low>${BOUND})(?:\s+and\s+(?<high>${BOUND}))?`,
  "giu",
);
const OF_TIME = /^(?:before|after|since|in|earli|lat|first|last)/iu;

/** Words that change nothing about which rows are meant. Any other word makes a reading unsure. */
const FILLERS = wordSet(lists.fillers);
const PAST = wordSet(lists.past);

/** A question cut into words; those that no part of the reading has taken are open. */
interface Asked {
  text: string;
  table: tables.FoundTable;
  /** It asks for people, and each row of the table is one. */
  isOfPeople: boolean;
  tokens: readonly Token[];
  words: string[];
  open: Set<number>;
}

type Named = ReturnType<typeof takeColumns>;

/**
 * Reads a question without a model, only where every word of it is accounted for: a word like
 * "highest", names of columns, whole values of cells, comparisons of a column with a value or
 * another column, and what a row is: the name of the table, or words for people and their work
 * where each row is a person.
 */
export function readTableQuestion(text: string, table: tables.FoundTable): TableQuery | undefined {
  const tokens = analyse(text);
  const words = tokens.map((token) => token.text.toLowerCase());
  const people = [...tokens.keys()].filter((at) => tables.PERSON.has(tokens[at]?.term ?? ""));
  const isOfPeople = people.length > 0 && tables.hasPeople(table);
  const asked = { text, table, isOfPeople, tokens, words, open: new Set(tokens.keys()) };
  const named = takeColumns(asked);
  const where = takeComparisons(asked, named);
  const [cue, another] = takeCues(asked);
  const compute = cue?.compute ?? (WHICH.test(text) ? "rows" : undefined);
  if (where === undefined || compute === undefined || another !== undefined) return undefined;
  // Each row says what is, not what was; "people who have people" asks something else.
  const isOfOthers = isOfPeople && (people.length > 1 || words.some((word) => PAST.has(word)));
  if (isOfOthers || /\?.*\w/su.test(text) || !takeValues(asked, named, where)) return undefined;
  const columns = [...named.places.keys()];
  const isTested = (name: string): boolean => where.some(({ column }) => column === name);
  const free = columns.filter((column) => !isTested(column) && !named.isOfRows(column));
  const isList = compute === "rows" || compute === "count";
  if (isList && free.length === 1 && takeState(asked, named, where, free[0] ?? "")) free.pop();
  const subjects = takeSubjects(asked, named);
  const saysWhat = isOfPeople || subjects.length > 0 || columns.some(named.isOfRows);
  const isPartly = table.columns.some(
    (each) => !isTested(each) && !columns.includes(each) && tables.saysWhoLeft(table, each),
  );
  // "Not open and in Oslo" may mean either of two.
  const isUnsure = where.length > 1 && words.includes("not");
  const isWhole = [...asked.open].every((at) => FILLERS.has(words[at] ?? ""));
  if (!isWhole || isUnsure || (isPartly && people.length > 0)) return undefined;
  if (isList) {
    // "How many orders": a title says less surely what the rows are than a file or column.
    const [noun = ""] = contentTerms(text.slice(cue?.end));
    const rows = [...wordsOf(basename(table.passage.path)), ...columns, "rows"].join(" ");
    const isCount = compute === "count" && (isOfPeople || contentTerms(rows).includes(noun));
    const isNamed =
      cue !== undefined || saysWhat || where.every(({ column }) => columns.includes(column));
    return free.length === 0 && (where.length > 0 ? isNamed : isCount)
      ? { where, compute }
      : undefined;
  }
  const { word = "", at = 0 } = cue ?? {};
  const [first = ""] = table.columns;
  const [column, other] = free.filter((each) => each !== first || !tables.isKey(table, first));
  if (column === undefined || other !== undefined) return undefined;
  const values = tables.columnValues(table, column);
  const isFit = OF_TIME.test(word) ? tables.areDates(values) : !tables.isTime(table, column);
  // "Joined last"; "the last month" may be the one before this.
  const isPlaced = !/^(?:first|last)$/u.test(word) || named.places.get(column)?.[1] === at - 1;
  const isRead = values.some((value) => /\d/u.test(value)) && isFit && isPlaced;
  return isRead ? { where, compute, column } : undefined;
}

/** Takes the words of a name, and returns the places of the first and the last. */
function take(
  { tokens, open }: Asked,
  name: string,
  keyOf = (token?: Token) => token?.term,
): number[] {
  const sought = analyse(name);
  const from = tokens.findIndex((_, start) =>
    sought.every((each, at) => open.has(start + at) && keyOf(each) === keyOf(tokens[start + at])),
  );
  if (sought.length === 0 || from < 0) return [];
  sought.forEach((_, at) => open.delete(from + at));
  return [from, from + sought.length - 1];
}

/** Returns the place of the last word before another, but fillers. */
function before({ words }: Asked, place: number, isMore = (_at: number) => true): number {
  return words.findLastIndex((word, at) => at < place && !FILLERS.has(word) && isMore(at));
}

function takeCues({ text, tokens, open }: Asked) {
  return CUES.flatMap(([compute, cue]) =>
    [...text.matchAll(cue)].flatMap(({ 0: word, index }) => {
      const end = index + word.length;
      const at = tokens.findIndex(({ start }) => start === index);
      const isOpen = open.delete(at);
      tokens.forEach((token, place) => place > at && token.end <= end && open.delete(place));
      return isOpen ? [{ compute, word: word.toLowerCase(), at, end }] : [];
    }),
  );
}

/** Takes names of columns; `places` are those of the first and the last word of each. */
function takeColumns(asked: Asked) {
  const { table, words } = asked;
  const short = table.columns.map(tables.shortOf);
  const places = new Map<string, number[]>();
  for (const column of tables.byLength(table.columns)) {
    const isOnly = short.filter((each) => each === tables.shortOf(column)).length === 1;
    const whole = take(asked, column);
    const place = whole.length > 0 || !isOnly ? whole : take(asked, tables.shortOf(column));
    if (place.length > 0) places.set(column, place);
  }
  const { path, title, heading = "" } = table.passage;
  const names = [path, basename(path), wordsOf(path).join(" "), title, heading];
  const about = new Set(contentTerms(names.join(" ")));
  const isAbout = (name: string): boolean => contentTerms(name).every((term) => about.has(term));
  const [first] = table.columns;
  // "Orders over 500" are not those whose number is above.
  const rowName = [...places].find(([column, [start = 0]]) => {
    const isAsked = ["which", "all", "many"].includes(words[start - 1] ?? "all");
    const isName =
      column === first || !tables.columnValues(table, column).some((cell) => /\d/u.test(cell));
    return (
      (isAsked && isName && tables.isKey(table, column)) || (column === first && isAbout(column))
    );
  })?.[0];
  // "Orders" is what a table of orders is about, beside its column "Order".
  const isOfRows = (column: string): boolean =>
    rowName === undefined ? isAbout(column) : column === rowName;
  return { places, rowName, about, isOfRows };
}

/** Takes comparisons; undefined where one belongs to no column for certain. */
function takeComparisons(asked: Asked, { places, rowName }: Named): Condition[] | undefined {
  const { text, table, tokens, words, open } = asked;
  const where: Condition[] = [];
  const isDated = (each: string): boolean => tables.areDates(tables.columnValues(table, each));
  const dated = table.columns.filter(isDated);
  for (const { 0: match, index, groups = {} } of text.matchAll(COMPARISON)) {
    const from = tokens.findIndex(({ start }) => start >= index);
    const to = tokens.filter(({ start }) => start < index + match.length).length;
    const { low = "", high = "", below, least, above, most } = groups;
    const isRange = [below, least, above, most].every((each) => each === undefined);
    const word = tokens[to]?.text ?? "";
    const isOfTime = OF_TIME.test(match);
    const near = table.columns.filter((column) => {
      const [start = -1, end = -1] = places.get(column) ?? [];
      const unit = tables.unitOf(table, column);
      const isIn = unit !== undefined && (unit === word || low.includes(unit));
      const isBeside = end >= 0 && (end === before(asked, from) || start === to);
      return isIn || (isBeside && column !== rowName);
    });
    const [column = "", another] = near.length > 0 || !isOfTime ? near : dated;
    const isNamed = near.length > 0 || tables.WHEN.has(column.toLowerCase());
    const isFit = dated.includes(column) && dateOf(low) !== undefined;
    const isSure = column !== "" && another === undefined && isNamed && (!isOfTime || isFit);
    if (!isSure && match.toLowerCase().startsWith("in")) continue;
    if (!isSure || (high !== "") !== (isRange && !isOfTime)) return undefined;
    const unit = word === tables.unitOf(table, column) ? ` ${word}` : "";
    if (unit !== "") open.delete(to);
    for (let at = from; at < to; at++) open.delete(at);
    // "Works less than 40 hours" as "works in Berlin".
    words[from] = "in";
    const compare = (test: Condition["test"], value: string): unknown =>
      where.push({ column, test, value: value + unit });
    if (below !== undefined) compare("below", low);
    if (above !== undefined) compare("above", low);
    if (least !== undefined || isRange) compare("at_least", low);
    if (most !== undefined || isRange) compare("at_most", high || low);
  }
  return where;
}

/** Takes whole values of cells, and adds their conditions; false for one of many meanings. */
function takeValues(asked: Asked, { places, rowName }: Named, where: Condition[]): boolean {
  const { table, isOfPeople, words, open } = asked;
  const named = [...places.keys()];
  for (const value of tables.byLength(table.rows.flatMap((row) => [...row.values()]))) {
    // "Who supports Berlin" is not about the department Support.
    const isText = contentTerms(value).length > 0;
    const [from] = isText ? take(asked, value, (token) => fold(token?.text ?? "")) : [];
    if (from === undefined) continue;
    const columns = table.columns.filter((each) =>
      tables.columnValues(table, each).some((cell) => cell.toLowerCase() === value.toLowerCase()),
    );
    const isMeant = (column: string): boolean => named.includes(column) && column !== rowName;
    const [column = "", another] = columns.length === 1 ? columns : columns.filter(isMeant);
    const isTwice = another !== undefined || where.some((each) => each.column === column);
    const isPerson = isOfPeople && tables.isKey(table, column);
    if (column === "" || isTwice || isPerson || !tables.isClear(value, column, table, named))
      return false;
    const [start = 0, end = -1] = places.get(column) ?? [];
    const last = before(asked, from, (at) => at < start || at > end);
    const isNot = words[last] === "not";
    // Nobody knows of an empty cell.
    if (isNot && tables.columnValues(table, column).length < table.rows.length) return false;
    if (isNot) open.delete(last);
    where.push({ column, test: isNot ? "is_not" : "is", value });
  }
  return true;
}

/** Takes a column that says yes or no: "have paid". */
function takeState(asked: Asked, { places }: Named, where: Condition[], column: string): boolean {
  const last = before(asked, places.get(column)?.[0] ?? 0);
  const isNot = ["not", "no"].includes(asked.words[last] ?? "");
  const values = [...new Set(asked.table.rows.map((row) => row.get(column) ?? ""))];
  const [value] = values.filter((each) => flagOf(each) === !isNot);
  if (value === undefined || values.some((each) => flagOf(each) === undefined)) return false;
  if (isNot) asked.open.delete(last);
  where.push({ column, test: "is", value });
  return true;
}

/** Takes words of the names of the table and, of people, those for them and for their work. */
function takeSubjects({ tokens, words, open, isOfPeople }: Asked, { about }: Named): number[] {
  const isWork = (at: number): boolean =>
    tokens[at]?.term === "work" &&
    words[at + 1] !== "with" &&
    (words[at] !== "worked" || words[at + 1] === "here");
  const isPerson = (at: number): boolean => tables.PERSON.has(tokens[at]?.term ?? "");
  for (const at of isOfPeople ? open : []) if (isPerson(at) || isWork(at)) open.delete(at);
  const subjects = [...open].filter((at) => about.has(tokens[at]?.term ?? "") && !isPerson(at));
  subjects.forEach((at) => open.delete(at));
  return subjects;
}
