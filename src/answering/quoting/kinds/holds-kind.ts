/** Whether a sentence holds what a question clearly asks for: a person, or a quantity of the right kind. */
import type { Token } from "../../../text/analyse.js";
import { analyse, contentTerms } from "../../../text/analyse.js";
import type { FoundName } from "../../../text/entities.js";
import {
  extractDates,
  extractNames,
  extractNumbers,
  startsSentence,
} from "../../../text/entities.js";
import type { Candidate } from "../answer-candidates.js";
import { isOtherDimension } from "./dimensions.js";
import { isDemonym } from "../short-answer/name-kinds.js";
import type { FoundQuantity } from "./quantities.js";
import { quantitiesIn } from "./quantities.js";
import type { QuestionFocus } from "../question-focus.js";
import { recordAnswer } from "../short-answer/record-answer.js";
import { isAkin } from "../word-family.js";

/** A measure and nothing else: neither a bare number nor a person will do. */
export function asksForQuantity({ asked }: QuestionFocus): boolean {
  return asked.length > 0 && !asked.includes("number") && !asked.includes("person");
}

/** The quantities of a text that are of a kind that is asked for. */
export function askedQuantities(text: string, { asked }: QuestionFocus): FoundQuantity[] {
  return quantitiesIn(
    text,
    asked.flatMap((kind) => (kind === "number" || kind === "person" ? [] : [kind])),
  );
}

/** True where the question asks for no clear kind. */
export function holdsAsked({ text, kind: form, tokens }: Candidate, focus: QuestionFocus): boolean {
  const { asked } = focus;
  if (asked.length === 0 || recordAnswer(text, focus) !== undefined) return true;
  if (asked.includes("length") && isOtherDimension(text, focus.question))
    return asked.includes("duration") && lasts(text);
  // In a table the unit mostly stands in the head of the column.
  if (form === "row" && BARE_NUMBER.test(text) && !asked.includes("person")) return true;
  if (asked.includes("person") && holdsPerson(text, focus.all)) return true;
  if (asked.includes("number") && holdsNumber(text)) return true;
  if (asked.includes("frequency") && countsOccurrences(tokens, focus)) return true;
  return askedQuantities(text, focus).length > 0 || (asked.includes("duration") && holdsTime(text));
}

/** "How often does it correct itself?": "at most three corrections". */
function countsOccurrences(tokens: readonly Token[], { all }: QuestionFocus): boolean {
  return tokens.some(({ term, stop }, index) => {
    const before = tokens[index - 1];
    return (
      !stop &&
      before !== undefined &&
      holdsNumber(before.text) &&
      [...all].some((asked) => asked === term || isAkin(asked, term))
    );
  });
}

function lasts(text: string): boolean {
  return quantitiesIn(text, ["duration"]).length > 0 || holdsTime(text);
}

const BARE_NUMBER = /(?<![\p{L}\d.,$€£¥])\d+(?:[.,]\d+)*(?![\d.,]*\s?[\p{L}%°$€£¥])/u;

/** "From 1914 to 1918", "until the end of the day": a time without a length. */
function holdsTime(text: string): boolean {
  return LASTING.test(text) || extractDates(text).length > 0;
}

const LASTING =
  /\b(?:until|till|since|throughout|forever|permanently|overnight|lifelong|(?:all|whole|entire) (?:day|night|year)|bis|seit|ganzen tag|jusqu|depuis|toute la|hasta|desde|todo el)(?!\p{L})|直到|以来/iu;

function holdsNumber(text: string): boolean {
  return /\p{N}/u.test(text) || COUNTED.test(text) || extractNumbers(text).length > 0;
}

const COUNTED =
  /(?<!\p{L})(?:no|none|zero|one|few|fewer|several|many|most|all|both|half|once|twice|double|triple|single|dozens?|hundreds|thousands|millions|billions|majority|eine?[rnsm]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|kein(?:e[nrsm]?)?|alle|un|une|deux|trois|quatre|cinq|sept|huit|neuf|dix|aucun|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|ningun)(?!\p{L})|[零〇一二两三四五六七八九十百千万亿半]/iu;

/** A pronoun stands for somebody, and so do some common nouns. */
const SOMEBODY =
  /(?<!\p{L})(?:he|she|they|him|her|them|his|hers?|their|you|we|us|everybody|everyone|anyone|nobody|people|persons?|child(?:ren)?|staff|teams?|committee|(?:depart|govern)ments?|members?|employees?|parents?|students?|residents?|presidents?|assistants?|accountants?|tenants?|police|army|compan(?:y|ies)|council|kings?|queens?|\p{Ll}*(?:wo)?m[ae]n)(?!\p{L})/u;
/** Words that end like these mostly name who does something: "supervisor", "chemist", "librarian". */
const AGENT = /^\p{Ll}{2,}(?:er|or|ist|ian)s?$/u;

/** Scripts without capitals do not tell a name from other words. */
const WITHOUT_CAPITALS = /(?![\p{Lu}\p{Ll}])\p{L}/u;

function holdsPerson(text: string, known: ReadonlySet<string>): boolean {
  if (WITHOUT_CAPITALS.test(text)) return true;
  if (
    SOMEBODY.test(text) ||
    analyse(text).some((token) => !token.stop && AGENT.test(token.text) && !known.has(token.term))
  )
    return true;
  return extractNames(text).some((name) => isSomebody(name, text, known));
}

/** The first word of a sentence has its capital from there, unless something is said to be its own. */
function isSomebody(
  { text: name, start, end }: FoundName,
  text: string,
  known: ReadonlySet<string>,
): boolean {
  if (isDemonym(name) || contentTerms(name).every((term) => known.has(term))) return false;
  return (
    /\s/u.test(name) || !startsSentence(text, start) || /^['’]s?\s/u.test(text.slice(end, end + 3))
  );
}
