import type { Token } from "../../text/analyse.js";
import type { AnswerType } from "./answer-type.js";
import type { AnalysedPassage, AnalysedSentence } from "./passage.js";
import type { AnalysedQuestion } from "./question.js";

const MONTH =
  /^(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)$/u;
const YEAR = /^(?:1\d{3}|20\d{2})(?:s|th)?$/u;
const CENTURY = /^(?:century|centuries|decade|BC|AD)$/iu;
const NUMERAL =
  /^(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|num)$/iu;
const CAUSE =
  /^(?:because|due|caused?|causes|by|through|when|if|so|order|reasons?|results?|process|using|therefore|thus|since|helps?|allows?|means|weil|denn|durch|wegen|damit|لأن|بسبب|因为|因此|由于|所以|通过)$/iu;
const COPULA = /^(?:is|are|was|were|refers?|means?|called|known|describes?|ist|sind|war|waren|bezeichnet|هو|هي|هم|是|指|称为)$/iu;

/** How well a word could be (part of) an answer of the expected type, 0–1, by its shape alone. */
export function typeFit(token: Token, type: AnswerType): number {
  const { text } = token;
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

/** Whether a sentence holds what could answer a question of this type, 0–1. Words of the question itself do not count. */
export function answerEvidence(asked: AnalysedQuestion, passage: AnalysedPassage, sentence: AnalysedSentence): number {
  const type = asked.answerType;
  if (type === "open") return 0.5;
  if (type === "reason") return 0.3 + (holds(passage, sentence, CAUSE) ? 0.7 : 0);
  if (type === "definition") {
    if (!holds(passage, sentence, COPULA)) return 0;
    const head = passage.content.slice(sentence.from, Math.min(sentence.from + 3, sentence.to));
    return head.some((token) => asked.own.has(token.term)) ? 1 : 0.4;
  }
  let best = 0;
  for (let at = sentence.from; at < sentence.to && best < 1; at += 1) {
    const token = passage.content[at];
    if (token !== undefined && !asked.own.has(token.term)) best = Math.max(best, typeFit(token, type));
  }
  return best;
}

function holds(passage: AnalysedPassage, sentence: AnalysedSentence, pattern: RegExp): boolean {
  for (let at = sentence.firstToken; at < sentence.lastToken; at += 1) if (pattern.test(passage.tokens[at]?.text ?? "")) return true;
  return false;
}

function startsWithDigit(text: string): boolean {
  return /^\p{N}/u.test(text);
}

function isCapital(text: string): boolean {
  return /^\p{Lu}/u.test(text);
}
