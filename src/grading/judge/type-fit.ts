import type { Word } from "../../text/analyse.js";
import type { AnswerType } from "./answer-type.js";

const MONTH =
  /^(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)$/u;
const YEAR = /^(?:1\d{3}|20\d{2})(?:s|th)?$/u;
const CENTURY = /^(?:century|centuries|decade|BC|AD)$/iu;
const NUMERAL =
  /^(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|num)$/iu;

/** How well a word could be (part of) an answer of the expected type, 0–1, by its shape alone. */
export function typeFit({ text }: Word, type: AnswerType): number {
  switch (type) {
    case "date":
      if (YEAR.test(text)) return 1;
      if (MONTH.test(text)) return 0.8;
      return startsWithDigit(text) || CENTURY.test(text) ? 0.5 : 0;
    case "number":
      if (startsWithDigit(text)) return YEAR.test(text) ? 0.5 : 1;
      return NUMERAL.test(text) ? 0.8 : 0;
    case "person":
    case "place":
    case "name":
      if (isCapital(text)) return MONTH.test(text) ? 0 : 1;
      if (text.toLowerCase() === text.toUpperCase()) return startsWithDigit(text) ? 0 : 0.7;
      return type === "name" ? 0.5 : 0;
    case "definition":
    case "reason":
    case "open":
      return startsWithDigit(text) ? 0.5 : 1;
    default:
      return type satisfies never;
  }
}

function startsWithDigit(text: string): boolean {
  return /^\p{N}/u.test(text);
}

function isCapital(text: string): boolean {
  return /^\p{Lu}/u.test(text);
}
