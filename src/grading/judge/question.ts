import { analyse } from "../../text/analyse.js";
import type { Token, Word } from "../../text/analyse.js";
import { HIGHEST_IDF, idf } from "../../text/background.js";
import { memoised } from "../../text/memo.js";
import { partsOf } from "../../text/search-terms.js";
import { expectedAnswerType, TYPE_NOUNS } from "./answer-type.js";
import type { AnswerType } from "./answer-type.js";
import { typeFit } from "./type-fit.js";
import { relatedTerms } from "./relations.js";
import { plainWord, semanticMatches } from "./semantics.js";
import { standIns } from "./stand-ins.js";
import type { StandsFor } from "./stand-ins.js";

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
  /** Not in the table of background rarity: a rare name, another language, or a slip of the pen. */
  unknown: boolean;
}

export interface AnalysedQuestion {
  /** Every word in order, function words included. */
  tokens: readonly Token[];
  terms: readonly QuestionTerm[];
  /** What words of a passage stand for, the terms themselves among them. */
  standIns: ReadonlyMap<string, readonly StandsFor[]>;
  /** What a word is worth for terms that are used like it; remembered for the words seen. */
  usedAlike: (word: Word) => readonly StandsFor[];
  /** Summed weight of the terms. */
  weight: number;
  /** How much the question gives to be found by, 0–4.2: ln(1 + weight), capped. */
  rarity: number;
  answerType: AnswerType;
  /** How well a word could be the answer by its shape, 0–1; remembered for the words seen. */
  fitOf: (word: Word) => number;
  /** Every term of the question, function words included: none of them can be its answer. */
  own: ReadonlySet<string>;
}

/** What a noun such as "year" in "in what year" weighs against any other word. */
const TYPE_NOUN_SHARE = 0.3;
/** And what a word that says little wherever it stands: what something is called, is used for or does. Stems. */
const LIGHT_SHARE = 0.5;
const LIGHT_WORDS: ReadonlySet<string> = new Set(
  (
    "call name known famous happen consist includ mean refer exampl differ describ common typic find make made use work take took go went come " +
    "came give gave given tell list becom becam follow deriv consid involv occur appear anoth way thing popular similar basic main major " +
    "various certain locat exact actual current ever still"
  ).split(" "),
);
/** Of a question after what a thing is, all that can be found is its name: it counts as one of common length. */
const RARITY_OF_DEFINITION = 3.1;
const HIGHEST_RARITY = 4.2;

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
  const asking = askingVerb(question);
  const answerType = expectedAnswerType(question);
  const fits = new Map<string, number>();
  const terms = distinct.map((token): QuestionTerm => ({
    term: token.term,
    weight: idf(token.term) * (inName.has(token.term) ? 1 : shareOf(token, asking)),
    related: inName.has(token.term) ? [] : relatedTerms(token.term),
    parts: COMPOUND.test(token.text)
      ? partsOf(token.text).filter((part) => part !== token.term)
      : [],
    numeric: NUMERIC.test(token.term),
    unknown: idf(token.term) >= HIGHEST_IDF,
  }));
  const weight = terms.reduce((sum, term) => sum + term.weight, 0);
  return {
    tokens,
    terms,
    standIns: standIns(terms),
    usedAlike: semanticMatches(
      distinct.map(({ term, text }) =>
        inName.has(term) || NUMERIC.test(term) ? undefined : plainWord(text),
      ),
    ),
    weight,
    rarity:
      answerType === "definition"
        ? RARITY_OF_DEFINITION
        : Math.min(HIGHEST_RARITY, Math.log(1 + weight)),
    answerType,
    fitOf: (word) => {
      let fit = fits.get(word.text);
      if (fit === undefined) {
        fit = typeFit(word, answerType);
        fits.set(word.text, fit);
      }
      return fit;
    },
    own: new Set(tokens.map((token) => token.term)),
  };
}

/** @param asking the verb of a question that asks what there is about something: no noun of it names a kind of answer */
function shareOf({ term, text }: Token, asking: string | undefined): number {
  if (text === asking || (asking === undefined && TYPE_NOUNS.has(term))) return TYPE_NOUN_SHARE;
  return LIGHT_WORDS.has(term) ? LIGHT_SHARE : 1;
}

/** "What did we decide about the release date?" is answered by what is said about the date, whatever the verb. */
const ASKS_ABOUT =
  /\bwhat (?:do|did|have|had|can|could|should) (?:we|you|i|they|one) (\p{Ll}+)(?: and \p{Ll}+)? (?:about|on|regarding|concerning)\b/iu;

function askingVerb(question: string): string | undefined {
  return ASKS_ABOUT.exec(question)?.[1];
}

const NUMERIC = /^\p{N}/u;
const COMPOUND = /[_./@+#-]|\p{Ll}\p{Lu}/u;

/** Terms of capitalised words other than the first: parts of names, which stand for themselves alone. */
function capitalised(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(
    tokens
      .filter((token, index) => index > 0 && /^\p{Lu}/u.test(token.text))
      .map((token) => token.term),
  );
}
