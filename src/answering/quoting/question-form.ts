/** How a question is built: where its answer would stand in a sentence that says the same. English; in other languages little of it is found. */
import type { Token } from "../../text/analyse.js";
import { analyse } from "../../text/analyse.js";

export interface QuestionForm {
  /** It has one of the little words without which hardly any English question does. */
  isEnglish: boolean;
  /** All words. */
  tokens: readonly Token[];
  /** What stands behind the question word, without "did", "does" and "do": it comes back in the answering sentence, in this order. */
  behind: readonly Token[];
  /** "What did X build?": asks for the object, which stands behind the verb. */
  asksForObject: boolean;
  /** "In what year", "by whom", "what … to?": the preposition that the answer follows. */
  preposition?: string;
  /** The noun behind "which", "what" or "how many": the kind of thing that is asked for, as a term. */
  head?: string;
  /** The verb that joins answer and subject, as a term. */
  verb?: string;
  /** It asks for a part of a statement: a name, a number or a few words may answer. "When do I …?", "how …?" and "what is a …?" want a sentence. */
  asksForPart: boolean;
}

const QUESTION_WORD = /^(?:who|whom|whose|what|which|when|where|why|how)$/u;
const PART =
  /\b(?:who|whom|whose|what|which|how (?:many|much|long|old|tall|high|far|big|large|often|fast|deep|wide|heavy))\b|\b(?:when|where)\b(?!\s+(?:do|does|can|could|should|would|must|may|is|are)\b)|\bwhere (?:is|are)\b/iu;
const AUXILIARY = /^(?:did|does|do)$/u;
/** Without those that German has too ("was", "will", "Name"). */
const ENGLISH =
  /\b(?:who|whom|whose|what|which|when|where|why|how|is|are|were|did|does|do|can|could|have|had|would|should|the|of|and|to|tell|give|list)\b/iu;
const PREPOSITION =
  /^(?:in|by|to|from|with|for|of|at|on|into|against|about|under|through|as|between|near)$/u;
const MEANING =
  /^\s*what(?:['’]s|\s+(?:is|are|was|were))\s+(?:an?\s+|the\s+)?[^,?]{1,40}\??\s*$|\bwhat (?:do|does|did) .{1,60} (?:do|mean)\b/iu;
/** More content words behind "what" are no single noun phrase. */
const HEAD_WORDS = 4;

/** `typeTerms`: terms that only name the kind of answer; they are no verbs. */
export function questionForm(question: string, typeTerms: readonly string[]): QuestionForm {
  const tokens = analyse(question);
  const words = tokens.map(({ text }) => text.toLowerCase());
  const asking = words.findIndex((word) => QUESTION_WORD.test(word));
  const rest = tokens.slice(asking + 1);
  const asksForObject = words.slice(asking + 1).some((word) => AUXILIARY.test(word));
  const head = headOf(rest, words[asking] ?? "", words[asking + 1] ?? "");
  const candidates = rest.filter(
    ({ stop, text, term }) =>
      !stop && /^\p{Ll}/u.test(text) && term !== head && !typeTerms.includes(term),
  );
  const verb = (asksForObject ? candidates.at(-1) : candidates[0])?.term;
  const preposition = [words[asking - 1], words.at(-1)].find(
    (word) => word !== undefined && PREPOSITION.test(word),
  );
  return {
    tokens,
    isEnglish: ENGLISH.test(question),
    behind: rest.filter(({ text }) => !AUXILIARY.test(text.toLowerCase())),
    asksForObject,
    asksForPart:
      PART.test(question) &&
      !(MEANING.test(question) && tokens.filter(({ stop }) => !stop).length <= 2),
    ...(preposition !== undefined && { preposition }),
    ...(head !== undefined && { head }),
    ...(verb !== undefined && { verb }),
  };
}

/** The last of the content words directly behind "which", "what", "how many" or "how much". */
function headOf(rest: readonly Token[], asking: string, next: string): string | undefined {
  const counted = asking === "how" && /^(?:many|much)$/u.test(next);
  if (asking !== "what" && asking !== "which" && !counted) return undefined;
  const from = counted ? rest.slice(1) : rest;
  // "which treaty ended": a verb ends the phrase as a function word does.
  const end = from.findIndex(
    ({ stop, text }, index) => stop || (index > 0 && /^\p{Ll}+ed$/u.test(text)),
  );
  const phrase = end === -1 ? from : from.slice(0, end);
  return phrase.length <= HEAD_WORDS ? phrase.at(-1)?.term : undefined;
}
