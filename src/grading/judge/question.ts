import { analyse } from "../../text/analyse.js";
import type { Token } from "../../text/analyse.js";
import { idf } from "../../text/background.js";
import { partsOf } from "../../text/search-terms.js";
import { quotedPhrases } from "../../text/entities.js";
import { expectedAnswerType, TYPE_NOUNS } from "./answer-type.js";
import type { AnswerType } from "./answer-type.js";
import { relatedTerms } from "./relations.js";

/** One distinct content term of the question. */
export interface QuestionTerm {
  term: string;
  /** Background rarity. */
  idf: number;
  /** Whom or what the question is about, or what it asks of it. */
  role: "subject" | "relation" | "type";
  /** Terms that stand for it at a discount. */
  related: readonly string[];
  /** Parts of an identifier. */
  parts: readonly string[];
  numeric: boolean;
}

export interface AnalysedQuestion {
  terms: readonly QuestionTerm[];
  /** Content terms in order, for phrases. */
  sequence: readonly string[];
  /** Names and quoted phrases as sequences of terms. */
  names: readonly (readonly string[])[];
  answerType: AnswerType;
  /** Every term of the question, function words included: none of them can be its answer. */
  own: ReadonlySet<string>;
}

/** Reads a question once for all passages. */
export function analyseQuestion(question: string): AnalysedQuestion {
  const tokens = analyse(question);
  const content = tokens.filter((token) => !token.stop);
  const used = content.length > 0 ? content : tokens;
  const names = nameSequences(question, tokens);
  const inName = new Set(names.flat());
  const distinct = [...new Map(used.map((token) => [token.term, token])).values()];
  const rarest = Math.max(0, ...distinct.map((token) => idf(token.term)));
  const terms = distinct.map((token): QuestionTerm => {
    const rarity = idf(token.term);
    const isSubject = inName.has(token.term) || (names.length === 0 && rarity >= 0.8 * rarest);
    return {
      term: token.term,
      idf: rarity,
      role: isSubject ? "subject" : TYPE_NOUNS.has(token.term) ? "type" : "relation",
      related: relatedTerms(token.term),
      parts: /[_./@+#-]|\p{Ll}\p{Lu}/u.test(token.text) ? partsOf(token.text).filter((part) => part !== token.term) : [],
      numeric: /^\p{N}/u.test(token.term),
    };
  });
  return {
    terms,
    sequence: used.map((token) => token.term),
    names,
    answerType: expectedAnswerType(question),
    own: new Set(tokens.map((token) => token.term)),
  };
}

/** Runs of capitalised words, function words inside them left out, and quoted phrases. The first word counts only when it is no common word. */
function nameSequences(question: string, tokens: readonly Token[]): string[][] {
  const sequences: string[][] = quotedPhrases(question)
    .map((phrase) => analyse(phrase).filter((token) => !token.stop))
    .filter((phrase) => phrase.length > 0)
    .map((phrase) => phrase.map((token) => token.term));
  // All words capitalised tells nothing.
  const words = tokens.filter((token) => !token.stop);
  const capitals = words.filter((token) => isCapital(token.text)).length;
  if (words.length >= 4 && capitals === words.length) return sequences;
  let run: string[] = [];
  const close = (): void => {
    if (run.length > 0) sequences.push(run);
    run = [];
  };
  tokens.forEach((token, index) => {
    const gap = index === 0 ? "" : question.slice(tokens[index - 1]?.end, token.start);
    if (/[,;:!?"“”()]/u.test(gap)) close();
    if (token.stop) {
      if (!/^(?:of|the|and|de|van|von|in|for|on|to|a|la|le)$/u.test(token.text)) close();
    } else if (isCapital(token.text) && (index > 0 || (tokens.length > 1 && isCapital(tokens[1]?.text ?? "")))) run.push(token.term);
    else if (run.length > 0 && /^\p{N}+$/u.test(token.text)) run.push(token.term);
    else close();
  });
  close();
  return sequences;
}

function isCapital(text: string): boolean {
  return /^\p{Lu}/u.test(text);
}
