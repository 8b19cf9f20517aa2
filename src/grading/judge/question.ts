import { analyse } from "../../text/analyse.js";
import type { Token } from "../../text/analyse.js";
import { idf } from "../../text/background.js";
import { memoised } from "../../text/memo.js";
import { partsOf } from "../../text/search-terms.js";
import { expectedAnswerType, TYPE_NOUNS } from "./answer-type.js";
import type { AnswerType } from "./answer-type.js";
import { typeFit } from "./type-fit.js";
import { relatedTerms } from "./relations.js";

/** One distinct content term of the question. */
export interface QuestionTerm {
  term: string;
  /** Background rarity; less for a noun that only names the kind of answer. */
  weight: number;
  /** Terms that stand for it at a discount. */
  related: readonly string[];
  /** Parts of an identifier. */
  parts: readonly string[];
  numeric: boolean;
}

export interface AnalysedQuestion {
  terms: readonly QuestionTerm[];
  answerType: AnswerType;
  /** How well a word could be the answer by its shape, 0–1; remembered for the words seen. */
  fitOf: (token: Token) => number;
  /** Every term of the question, function words included: none of them can be its answer. */
  own: ReadonlySet<string>;
}

/** What a noun such as "year" in "in what year" weighs against any other word. */
const TYPE_NOUN_SHARE = 0.3;

/** The questions at hand, each with what it learned of the words it met: a run judges passages, and then their strips, many times. */
const QUESTIONS_IN_CHARACTERS = 2_000;

/** Reads a question once for all passages. */
export const analyseQuestion: (question: string) => AnalysedQuestion = memoised({
  compute: readQuestion,
  maxCharacters: QUESTIONS_IN_CHARACTERS,
  maxLength: QUESTIONS_IN_CHARACTERS,
});

function readQuestion(question: string): AnalysedQuestion {
  const tokens = analyse(question);
  const content = tokens.filter((token) => !token.stop);
  const used = content.length > 0 ? content : tokens;
  const distinct = [...new Map(used.map((token) => [token.term, token])).values()];
  const inName = capitalised(tokens);
  const answerType = expectedAnswerType(question);
  const fits = new Map<string, number>();
  return {
    terms: distinct.map((token): QuestionTerm => ({
      term: token.term,
      weight: idf(token.term) * (TYPE_NOUNS.has(token.term) && !inName.has(token.term) ? TYPE_NOUN_SHARE : 1),
      related: inName.has(token.term) ? [] : relatedTerms(token.term),
      parts: COMPOUND.test(token.text) ? partsOf(token.text).filter((part) => part !== token.term) : [],
      numeric: /^\p{N}/u.test(token.term),
    })),
    answerType,
    fitOf: (token) => {
      let fit = fits.get(token.text);
      if (fit === undefined) {
        fit = typeFit(token, answerType);
        fits.set(token.text, fit);
      }
      return fit;
    },
    own: new Set(tokens.map((token) => token.term)),
  };
}

const COMPOUND = /[_./@+#-]|\p{Ll}\p{Lu}/u;

/** Terms of capitalised words other than the first: parts of names, which stand for themselves alone. */
function capitalised(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(tokens.filter((token, index) => index > 0 && /^\p{Lu}/u.test(token.text)).map((token) => token.term));
}
