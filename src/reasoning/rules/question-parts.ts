/** Two questions in one ("Who founded the club and when did it close?") as questions of their own. English, German, French and Spanish. Pure. */
import { contentTerms } from "../../text/analyse.js";
import { memoised } from "../../text/memo.js";
import { comparedThings } from "./compared-things.js";
import { resolveFollowUp } from "./follow-up.js";

/** A question is taken apart for the search, the judge and the answer in turn. */
const QUESTIONS_IN_CHARACTERS = 2_000;
/** What is longer is a text with a question somewhere, in characters. */
const LONGEST_QUESTION = 500;
/** More are not taken apart: then it is a list and no question. */
const MAX_PARTS = 3;

const ENGLISH = "who|whom|whose|what|which|when|where|why|how";
const ELSEWHERE =
  "wer|wen|wem|wessen|was|welche[rnsm]?|wann|wo|woher|warum|weshalb|wie|wieviele?|qui|quand|où|pourquoi|comment|combien|quel(?:le)?s?|quién(?:es)?|cuándo|dónde|por qué|cómo|cuánt[oa]s?|cuál(?:es)?";
const ASKING = `(?:(?:by|for|with|from|in|at|to|since|seit|von|bis|de|par|desde)\\s+)?(?:${ENGLISH}|${ELSEWHERE})(?!\\p{L})`;
const JOINED = new RegExp(`\\s*,?\\s+(?:and|und|et|y)\\s+(?=${ASKING})`, "iu");
const STARTS = new RegExp(
  `^(?:¿|(?:please\\s+)?(?:tell me|explain|describe|say|do you know|can you tell me|erkläre?|sag mir)\\s+)?${ASKING}`,
  "iu",
);
/** The question word with what belongs to it: "how tall", "which year". */
const QUESTION_PHRASE = new RegExp(
  `^¿?(?:how\\s+\\p{L}+|wie\\s+\\p{L}+|(?:what|which)\\s+\\p{L}+(?=\\s+(?:is|are|was|were|do|does|did)\\b)|${ASKING})`,
  "iu",
);
const VERB =
  /\b(?:is|are|was|were|be|been|do|does|did|can|could|has|have|had|will|would|should|must|may)\b/iu;
const RELATIVE = /\S\s+(?:who|whom|whose|which|that)\s/iu;
const PRONOUN_ELSEWHERE =
  /(?<!\p{L})(?:er|sie|es|ihn|ihm|ihr|seine?[mnrs]?|ihre?[mnrs]?|il|elle|ils|elles|son|sa|ses|él|ella|su|sus)(?!\p{L})/iu;

/**
 * Each part can be understood by itself; a question that is one comes back as it is.
 * @example questionParts("Who founded the Rowing Club and when did it close?") // ["Who founded the Rowing Club?", "When did the Rowing Club close?"]
 */
export const questionParts: (question: string) => readonly string[] = memoised({
  compute: readParts,
  maxCharacters: QUESTIONS_IN_CHARACTERS,
  maxLength: QUESTIONS_IN_CHARACTERS,
});

function readParts(question: string): string[] {
  if (question.length > LONGEST_QUESTION) return [question];
  const compared = comparedThings(question);
  if (compared !== undefined) return compared;
  const parts: string[] = [];
  for (const sentence of sentencesOf(question)) {
    for (const part of clausesOf(sentence)) parts.push(standalone(part, parts.at(-1)));
  }
  return parts.length > 1 && parts.length <= MAX_PARTS ? parts : [question];
}

/** Each ends in a question mark; a statement before a question belongs to it. */
function sentencesOf(question: string): string[] {
  const sentences = question
    .split(/(?<=[?？])\s*(?=\S)/u)
    .filter((sentence) => contentTerms(sentence).length > 0);
  return sentences.length > 1 && sentences.every((sentence) => /[?？]$/u.test(sentence.trim()))
    ? sentences
    : [question];
}

function clausesOf(sentence: string): string[] {
  const clauses = sentence.split(JOINED).map((clause) => clause.trim());
  const [first = "", second = "", ...more] = clauses;
  if (second === "" || !STARTS.test(first)) return [sentence];
  // "When and where was she born?"
  if (new RegExp(`^¿?${ASKING}$`, "iu").test(first)) {
    const rest = second.replace(new RegExp(`^${ASKING}`, "iu"), "");
    return more.length > 0 || rest.trim() === "" ? [sentence] : [first + rest, second];
  }
  // "Who was the king who won the war and who built the tower?" asks for one king.
  return clauses.some((clause) => RELATIVE.test(clause)) || /\bbetween\b/iu.test(first)
    ? [sentence]
    : clauses;
}

/** "How often does the night ferry leave": what stands between the auxiliary and the verb. */
const SUBJECT = /\b(?:does|do|did)\s+((?:[\p{L}\d'’-]+\s+){0,3}[\p{L}\d'’-]+)\s+\p{Ll}+$/u;
const THING = /(?<![\p{L}'’])(?:it|they|them)(?![\p{L}'’])/iu;
const SOMEBODY = /(?<![\p{L}'’])(?:he|she|him|her|his)(?![\p{L}'’])/iu;

/** A later part with what it leaves to the one before. */
function standalone(part: string, before: string | undefined): string {
  const bare = unmarked(part).replace(/^(?:and|und|et|y)\s+/iu, "");
  if (before === undefined) return asQuestion(bare);
  const previous = unmarked(before);
  // "… and how heavy?", "… and by whom?"
  if (
    bare.split(/\s+/u).length <= 2 &&
    STARTS.test(bare) &&
    contentTerms(bare).length <= 1 &&
    !VERB.test(bare)
  )
    return asQuestion(`${bare}${previous.replace(QUESTION_PHRASE, "")}`);
  // "Who wrote it and how old was he?": he is the answer, which nobody knows yet.
  if (SOMEBODY.test(bare) && /^who\b/iu.test(previous)) return `${asQuestion(bare)} (${previous})`;
  const subject = SUBJECT.exec(previous)?.[1];
  if (subject !== undefined && THING.test(bare))
    return asQuestion(bare.replace(THING, () => subject));
  const resolved = resolveFollowUp({
    question: asQuestion(bare),
    previous: asQuestion(previous),
    lastAnswer: undefined,
  });
  if (resolved !== undefined) return asQuestion(unmarked(resolved));
  const isForeign = !new RegExp(`^(?:\\p{L}+\\s+)?(?:${ENGLISH})(?!\\p{L})`, "iu").test(bare);
  return isForeign && PRONOUN_ELSEWHERE.test(bare)
    ? `${asQuestion(bare)} (${previous})`
    : asQuestion(bare);
}

function unmarked(text: string): string {
  return text.replace(/[\s?.!？]+$/u, "");
}

function asQuestion(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}?`;
}
