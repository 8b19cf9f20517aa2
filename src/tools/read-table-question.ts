/** Reads a question over a table without a model, or leaves it to the searches. Pure. */
import { basename } from "node:path/posix";
import { dateOf, type TableQuery } from "../retrieval/table-query.js";
import { analyse, contentTerms, fold, type Token } from "../text/analyse.js";
import { wordSet, wordsOf } from "../text/words.js";
import { isKey, unitOf, columnValues, type FoundTable } from "./tables.js";

type Condition = TableQuery["where"][number];

const CUES = (
  [
    ["count", "how many|number of"],
    ["sum", "sum|total"],
    ["average", "average|mean"],
    ["highest", "highest|largest|biggest|greatest|maximum"],
    ["lowest", "lowest|smallest|minimum"],
  ] as const
).map(([compute, words]) => [compute, new RegExp(`\\b(?:${words})\\b`, "giu")] as const);
const WHICH = /^\W*(?:which|list|show|all|who)\b/iu;

/** True if a question may be one over a table. */
export function asksOfTable(question: string): boolean {
  return WHICH.test(question) || CUES.some(([, cue]) => question.search(cue) >= 0);
}

/** Words that change nothing about which rows are meant. Any other word makes a reading unsure. */
const FILLERS = wordSet(
  "what which who is are was were the a an of in for with where and there do does did have has " +
    "by on at to it its that rows row entries entry table list show all me",
);

const BOUND =
  String.raw`(?:(?:\d{1,2}\s+)?\p{L}+\s+(?:\d{1,2},\s+)?\d{4}|` +
  String.raw`(?:[€$£¥]\s?)?\d[\d.,:/-]*(?<=\d)(?:\s?[%€$£¥])?)(?![\p{L}\d])`;
const COMPARISON = new RegExp(
  String.raw`\b(?:(?<below>less than|fewer than|under|below|before)|(?<least>at least|since)|` +
    String.raw`(?<above>more than|over|above|after)|(?<most>at most)|between|in)\s+` +
    String.raw`(?<low>${BOUND})(?:\s+and\s+(?<high>${BOUND}))?`,
  "giu",
);
const OF_TIME = /^(?:before|after|since|in)\b/iu;
/** The name of a column that says when a row was, and nothing else. */
const WHEN = wordSet("date day time month year");

const PERSON = wordSet(
  "who people staff personnel person persons employee employees worker workers colleague " +
    "colleagues",
);
/** The names of a column with people's names, without spaces and underscores. */
const NAME = wordSet(
  "name firstname lastname fullname employeename surname person employee worker colleague",
);
/** The name of a column by which some rows may be people of the past. */
const STATE = wordSet("status state active");
const PAST = wordSet("was were did had");
/** Before a word for people it is what is asked for; "who has employees" asks something else. */
const BEFORE_SUBJECT = wordSet("which what all of the list show me");
const WORK = wordSet("work works working");
const AT_WORK = wordSet("in at for");

/** A question cut into words; those that no part of the reading has taken are open. */
interface Asked {
  text: string;
  table: FoundTable;
  /** It asks for people, and each row of the table is one. */
  isOfPeople: boolean;
  tokens: readonly Token[];
  words: string[];
  open: Set<number>;
}

type Named = ReturnType<typeof takeColumns>;
type Same = (one: Token, other: Token) => boolean;

/**
 * Reads a question without a model, only where every word of it is accounted for: a word like
 * "highest", names of columns, whole values of cells, comparisons with one column, and what a row
 * is: the name of the table, or words for people and their work where each row is a person.
 */
export function readTableQuestion(question: string, table: FoundTable): TableQuery | undefined {
  const cues = CUES.filter(([, cue]) => question.search(cue) >= 0);
  const [compute = WHICH.test(question) ? ("rows" as const) : undefined] = cues[0] ?? [];
  if (compute === undefined || cues.length > 1) return undefined;
  const isOne = compute === "highest" || compute === "lowest";
  const text = cues.reduce((rest, [, cue]) => rest.replace(cue, " | "), question);
  const tokens = analyse(text);
  const words = tokens.map((token) => token.text.toLowerCase());
  const isOfPeople = words.some((word) => PERSON.has(word)) && hasPeople(table);
  const asked = { text, table, isOfPeople, tokens, words, open: new Set(tokens.keys()) };
  if (isOfPeople ? !takePeople(asked) : words.includes("who") && !isOne) return undefined;
  const named = takeColumns(asked);
  const compared = takeComparisons(asked, named);
  const where = compared && takeValues(asked, named, compared);
  const subjects = takeSubjects(asked, named);
  const isWhole = [...asked.open].every((at) => FILLERS.has(words[at] ?? ""));
  if (where === undefined || !isWhole) return undefined;
  const tested = new Set(where.map(({ column }) => column));
  const isStated = table.columns.some((each) => STATE.has(each.toLowerCase()) && !tested.has(each));
  if (isOfPeople && isStated) return undefined;
  const columns = [...named.places.keys()];
  const free = columns.filter((column) => !tested.has(column) && !named.isOfRows(column));
  if (compute === "rows") {
    const saysWhat = isOfPeople || subjects.length > 0 || columns.some(named.isOfRows);
    const isNamed = saysWhat || where.every(({ column }) => columns.includes(column));
    return where.length > 0 && free.length === 0 && isNamed ? { where, compute } : undefined;
  }
  if (compute === "count") {
    // "How many orders": a title says less surely what the rows are than a file or column.
    const [, after = ""] = cues.flatMap(([, cue]) => question.split(cue));
    const [noun = ""] = contentTerms(after);
    const rows = [...wordsOf(basename(table.passage.path)), ...columns, "rows"].join(" ");
    const isMeant = where.length > 0 || isOfPeople || contentTerms(rows).includes(noun);
    return free.length === 0 && isMeant ? { where, compute } : undefined;
  }
  const [column, another] = free.filter((column) =>
    columnValues(table, column).some((value) => /\d/u.test(value)),
  );
  if (column === undefined || another !== undefined) return undefined;
  return isOne || free.length === 1 ? { where, compute, column } : undefined;
}

/** Takes the words of a name, and returns the places of the first and the last. */
function take({ tokens, open }: Asked, name: string, isSame: Same): number[] {
  const sought = analyse(name);
  const from = tokens.findIndex((_, start) =>
    sought.every((each, at) => {
      const token = tokens[start + at];
      return token !== undefined && open.has(start + at) && isSame(each, token);
    }),
  );
  if (sought.length === 0 || from < 0) return [];
  sought.forEach((_, at) => open.delete(from + at));
  return [from, from + sought.length - 1];
}

/** Takes the word for people; false where they are not what is asked for. */
function takePeople({ words, open }: Asked): boolean {
  const [person = 0, another] = words.flatMap((word, at) => (PERSON.has(word) ? [at] : []));
  open.delete(person);
  const before = words[person - 1];
  // Each row says what is, not what was.
  const isPast = words.some((word) => PAST.has(word));
  return another === undefined && (!before || BEFORE_SUBJECT.has(before)) && !isPast;
}

/** Takes names of columns; `places` are those of the first and the last word of each. */
function takeColumns(asked: Asked) {
  const { table, words } = asked;
  const places = new Map(
    byLength(table.columns).flatMap((column) => {
      const place = take(asked, column, (one, other) => one.term === other.term);
      return place.length === 0 ? [] : [[column, place] as const];
    }),
  );
  const { path, title, heading = "" } = table.passage;
  const names = [path, basename(path), wordsOf(path).join(" "), title, heading];
  const about = new Set(contentTerms(names.join(" ")));
  const isAbout = (name: string): boolean => contentTerms(name).every((term) => about.has(term));
  const [first = ""] = table.columns;
  const [start = -1] = places.get(first) ?? [];
  const isAsked = ["which", "all"].includes(words[start - 1] ?? "all");
  const isSubject = isKey(table, first) && isAsked;
  // "Orders over 500" are not those whose number is above.
  const rowName = start >= 0 && (isSubject || isAbout(first)) ? first : undefined;
  // "Orders" is what a table of orders is about, beside its column "Order".
  const isOfRows = (column: string): boolean => column === rowName || isAbout(column);
  return { places, rowName, about, isOfRows };
}

/** Takes comparisons; undefined where one belongs to no column for certain. */
function takeComparisons(
  { text, table, tokens, words, open }: Asked,
  { places, rowName }: Named,
): Condition[] | undefined {
  const where: Condition[] = [];
  for (const { 0: match, index, groups = {} } of text.matchAll(COMPARISON)) {
    const from = tokens.findIndex(({ start }) => start >= index);
    const to = tokens.filter(({ start }) => start < index + match.length).length;
    const before = words.findLastIndex((word, at) => at < from && !FILLERS.has(word));
    const { low = "", high, below, least, above, most } = groups;
    const word = tokens[to]?.text ?? "";
    const isOfTime = OF_TIME.test(match);
    const dated = table.columns.filter((column) => areDates(columnValues(table, column)));
    const near = table.columns.filter((column) => {
      const [start, end] = places.get(column) ?? [];
      const unit = unitOf(table, column);
      const isIn = unit !== undefined && (unit === word || low.includes(unit));
      return isIn || (end !== undefined && column !== rowName && (end === before || start === to));
    });
    const [column, another] = near.length > 0 || !isOfTime ? near : dated;
    const isSure =
      column !== undefined &&
      another === undefined &&
      (near.length > 0 || WHEN.has(column.toLowerCase())) &&
      (!isOfTime || (dated.includes(column) && dateOf(low) !== undefined));
    if (!isSure && match.toLowerCase().startsWith("in")) continue;
    const isRange = [below, least, above, most].every((each) => each === undefined);
    if (!isSure || (high !== undefined) !== (isRange && !isOfTime)) return undefined;
    const unit = word === unitOf(table, column) ? ` ${word}` : "";
    if (unit !== "") open.delete(to);
    for (let at = from; at < to; at++) open.delete(at);
    // "Works less than 40 hours" as "works in Berlin".
    words[from] = "in";
    const compare = (test: Condition["test"], value: string): unknown =>
      where.push({ column, test, value: value + unit });
    if (below !== undefined) compare("below", low);
    if (above !== undefined) compare("above", low);
    if (least !== undefined || isRange) compare("at_least", low);
    if (most !== undefined || isRange) compare("at_most", high ?? low);
  }
  return where;
}

/** Takes whole values of cells, and adds their conditions; undefined for one of many meanings. */
function takeValues(
  asked: Asked,
  { places }: Named,
  compared: readonly Condition[],
): Condition[] | undefined {
  const { table, isOfPeople } = asked;
  const named = [...places.keys()];
  const where = [...compared];
  for (const value of byLength(table.rows.flatMap((row) => [...row.values()]))) {
    // "Who supports Berlin" is not about the department Support.
    const isSame: Same = (one, other) => fold(one.text) === fold(other.text);
    if (contentTerms(value).length === 0 || take(asked, value, isSame).length === 0) continue;
    const columns = table.columns.filter((each) =>
      columnValues(table, each).some((cell) => cell.toLowerCase() === value.toLowerCase()),
    );
    const meant = columns.length === 1 ? columns : columns.filter((each) => named.includes(each));
    const [column = "", another] = meant;
    const isTwice = another !== undefined || where.some((each) => each.column === column);
    const isPerson = isOfPeople && isKey(table, column);
    if (meant.length === 0 || isTwice || isPerson || !isClear(value, column, table, named))
      return undefined;
    where.push({ column, test: "is", value });
  }
  return where;
}

/** Takes words of the names of the table and, of people, where they work. */
function takeSubjects({ tokens, words, open, isOfPeople }: Asked, { about }: Named): number[] {
  if (isOfPeople)
    for (const [at, word] of words.entries())
      if (WORK.has(word) && AT_WORK.has(words[at + 1] ?? "")) open.delete(at);
  const subjects = [...open].filter(
    (at) => about.has(tokens[at]?.term ?? "") && !PERSON.has(words[at] ?? ""),
  );
  subjects.forEach((at) => open.delete(at));
  return subjects;
}

function byLength(names: Iterable<string>): string[] {
  return [...new Set(names)].sort((a, b) => b.length - a.length);
}

/**
 * False if another cell has a value among other words, as "Sales and Support" does, and for a
 * column without its name if another has the same values, as towns of birth and of work.
 */
function isClear(value: string, column: string, table: FoundTable, named: string[]): boolean {
  const plain = (text: string): string => ` ${wordsOf(text.toLowerCase()).join(" ")} `;
  const sought = plain(value);
  const texts = columnValues(table, column).filter((cell) => /\p{L}/u.test(cell));
  const values = new Set(texts.map(plain));
  return table.rows.every((row) =>
    [...row].every(([other, text]) => {
      const cell = plain(text);
      if (other !== column && (named.includes(column) || values.has(cell)))
        return named.includes(column);
      return cell === sought || !cell.includes(sought);
    }),
  );
}

function areDates(values: readonly string[]): boolean {
  return values.length > 0 && values.every((value) => dateOf(value) !== undefined);
}

/**
 * True if each row is a person, once, and all are there: "staff" is the whole name of the table or
 * the first column holds people, and no date such as that of leaving belongs to only some of them.
 */
function hasPeople(table: FoundTable): boolean {
  const { passage, columns, rows } = table;
  const [first = ""] = columns;
  const isPeople = (named: string): boolean => PERSON.has(named.toLowerCase());
  const isName = (column: string): boolean =>
    NAME.has(column.toLowerCase().replaceAll(" ", "").replaceAll("_", ""));
  const file = basename(passage.path).replace(/\.\w+$/u, "");
  const name = passage.heading?.split(" > ").at(-1) ?? file;
  // An end is often "–" or "present" for who is still there.
  const isOfSome = (column: string): boolean => {
    const dates = columnValues(table, column).filter((value) => /\d/u.test(value));
    return areDates(dates) && dates.length < rows.length;
  };
  return (
    (isPeople(name) || (isName(first) && isPeople(first))) &&
    columns.some(isName) &&
    isKey(table, first) &&
    !columns.some(isOfSome)
  );
}
