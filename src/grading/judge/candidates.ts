import { idf, HIGHEST_IDF } from "../../text/background.js";
import type { Token } from "../../text/analyse.js";
import type { AnswerType } from "./answer-type.js";

/** How well a word could be (part of) an answer of the expected type, 0–1, by its shape alone. */
export function typeFit(token: Token, type: AnswerType): number {
  const { text } = token;
  const capital = /^\p{Lu}/u.test(text);
  const digit = /^\p{N}/u.test(text);
  switch (type) {
    case "date":
      return /^(?:1\d{3}|20\d{2})(?:s|th)?$/u.test(text) ? 1 : MONTH.test(text) ? 0.8 : digit ? 0.5 : CENTURY.test(text) ? 0.5 : 0;
    case "number":
      return digit ? (/^(?:1\d{3}|20\d{2})$/u.test(text) ? 0.5 : 1) : NUMERAL.test(text) ? 0.8 : 0;
    case "person":
    case "place":
    case "name":
      return capital && !MONTH.test(text) ? 1 : uncased(text) ? 0.7 : type === "name" && !digit ? 0.5 : 0;
    case "definition":
    case "reason":
    case "open":
      return digit ? 0.3 : 0.5;
    default:
      return type satisfies never;
  }
}

/** Whether the expected type is one that a word's shape can show. */
export function isTyped(type: AnswerType): boolean {
  return type === "date" || type === "number" || type === "person" || type === "place";
}

const MONTH = /^(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)$/u;
const CENTURY = /^(?:century|centuries|decade|BC|AD)$/iu;
const NUMERAL =
  /^(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|num)$/iu;

/** Scripts without capitals. */
function uncased(text: string): boolean {
  return text.toLowerCase() === text.toUpperCase();
}

/** Rarity of a term as a share of the highest, 0–1. */
export function rarity(term: string): number {
  return idf(term) / HIGHEST_IDF;
}
