/**
 * Understands a follow-up question from what the user asked before. Only the user's own words are used: an answer holds text of the evidence, and
 * what is made here may go into a web search. The one exception is an item that the user picks out of a list ("the second one"). Pure.
 */
import { contentTerms } from "../../text/analyse.js";
import { namesIn, subjectOf } from "./question-subject.js";

/** What the conversation is about, as the question before leaves it. */
interface Topic {
  /** The standalone question before. */
  question: string;
  /** Its subject: a name, a quoted phrase, or the noun phrase it ends with. */
  subject: string | undefined;
}

const MAX_ITEM_CHARACTERS = 80;

/** The question as it would be asked without the conversation; undefined when it needs none of it. */
export function resolveFollowUp({
  question,
  previous,
  lastAnswer,
}: {
  question: string;
  previous: string;
  lastAnswer: string | undefined;
}): string | undefined {
  const topic: Topic = { question: previous, subject: subjectOf(previous) };
  return (
    bareQuestionWord(question, topic) ??
    pickedItem(question, topic, lastAnswer) ??
    substitution(question, topic) ??
    request(question, topic) ??
    pronouns(question, topic)
  );
}

/** "Why?", "How so?", "Since when?": the question before, asked about in that way. */
function bareQuestionWord(question: string, { question: previous }: Topic): string | undefined {
  const word =
    /^\s*(?:and |but |so )?(why(?: not| so| is that| is this)?|how(?: so| come| exactly)?|when(?: exactly)?|where(?: exactly)?|who(?: exactly)?|since when|how (?:much|many|long|often|far)|what for|for example|such as|warum|wieso|wann|wo|wie|wer|pourquoi|comment|por qué)\s*[?!.]*\s*$/i.exec(
      question,
    )?.[1];
  return word && `${capital(word)}? ${previous}`;
}

const AND =
  /^\s*(?:and|what about|how about|and what about|and how about|but what about|same (?:question )?for|und(?: was ist mit)?|et(?: pour)?|y)\s+(?=\S)/i;
const PREPOSITION =
  /^(?:in|for|of|on|at|with|from|by|to|about|during|since|after|before|für|bei|mit|von|aus|pour|en|de|para)\s+/i;

interface Stretch {
  start: number;
  end: number;
}

const ENDS_IN_PREPOSITION = new RegExp(
  `(?:^|\\s)${PREPOSITION.source.slice(1)}(?:(?:the|der|die|das|dem|den|des|le|la|les|el|los|las)\\s+)?$`,
  "i",
);

/** "And in Germany?", "What about 2019?": what is new takes the place of its like in the question before. */
function substitution(question: string, { question: previous }: Topic): string | undefined {
  if (!AND.test(question)) return undefined;
  const phrase = question.replace(AND, "").replace(/[\s?.!]+$/u, "");
  const rest = phrase.replace(PREPOSITION, "").replace(/^the\s+/i, "");
  // A question with a verb of its own only begins with "and"; its pronouns are another rule's affair.
  if (
    /^(?:what|who|when|where|why|how|which|is|are|was|were|do|does|did|can|could|will|would|has|have|should)\b/i.test(
      phrase,
    )
  )
    return undefined;
  if (
    /^(?:what|which|how|who[ms]e?|when|where)\b/i.test(rest) &&
    (POSSESSIVE.test(rest) || SUBJECT_PRONOUN.test(rest))
  )
    return undefined;
  if (
    rest === "" ||
    contentTerms(rest).length > 6 ||
    /^(?:it|that|this|they|them|those|these)$/i.test(rest)
  )
    return undefined;
  const old = behindPreposition(likeOf(rest, previous), phrase, previous);
  // "And in Germany?" adds to "When was the iPhone released?", and takes the place of France in "What is the capital of France?".
  const adds =
    PREPOSITION.test(phrase) &&
    old !== undefined &&
    !ENDS_IN_PREPOSITION.test(previous.slice(0, old.start));
  if (old && !adds) return previous.slice(0, old.start) + rest + previous.slice(old.end);
  return `${previous.replace(/[\s?.!]+$/u, "")}, ${phrase}?`;
}

/** "And of Spain?" leaves the bank of "the Bank of England" where it is. */
function behindPreposition(
  old: Stretch | undefined,
  phrase: string,
  previous: string,
): Stretch | undefined {
  const preposition = PREPOSITION.exec(phrase)?.[0].trimEnd();
  if (old === undefined || preposition === undefined) return old;
  const at = previous
    .slice(old.start, old.end)
    .toLowerCase()
    .lastIndexOf(` ${preposition.toLowerCase()} `);
  return at === -1 ? old : { start: old.start + at + preposition.length + 2, end: old.end };
}

/** A word of letters and digits: a model, a version, a size. */
const CODE =
  /(?<![\p{L}\p{N}])(?=[\p{L}-]*\p{N})(?=[\p{N}.-]*\p{L})[\p{L}\p{N}]+(?:[.-][\p{L}\p{N}]+)*(?![\p{L}\p{N}])/gu;

/** The last thing in the question before that the new one can stand for: a year for a year, a name for a name. */
function likeOf(rest: string, previous: string): Stretch | undefined {
  if (/^\d[\d.,]*$/u.test(rest)) {
    const number = [
      ...previous.matchAll(/(?<![\p{L}\p{N}])\d[\d.,]*\d|(?<![\p{L}\p{N}])\d(?![\p{L}\p{N}])/gu),
    ].at(-1);
    return number && { start: number.index, end: number.index + number[0].length };
  }
  if (rest.replace(CODE, "") === "") {
    const code = [...previous.matchAll(CODE)].at(-1);
    if (code !== undefined) return { start: code.index, end: code.index + code[0].length };
  }
  if (/^\p{Lu}/u.test(rest)) return namesIn(previous).at(-1);
  // "and the reranker?" after "What is the default of the planner?"
  const article = /\b(?:the|a|an)\s+([\p{Ll}\d_-]+(?:\s+[\p{Ll}\d_-]+){0,2})(?=[\s?.!]*$)/u.exec(
    previous,
  );
  return article?.[1] === undefined
    ? undefined
    : {
        start: article.index + article[0].length - article[1].length,
        end: article.index + article[0].length,
      };
}

const ORDINALS: Readonly<Record<string, number>> = {
  first: 0,
  former: 0,
  second: 1,
  latter: 1,
  third: 2,
  fourth: 3,
  fifth: 4,
  last: -1,
};
const PICKED =
  /\b(?:the\s+)?(first|former|second|latter|third|fourth|fifth|last)(?:\s+(?:one|option|point|item|thing|of (?:them|these|those)))?(?=\s*[?.!,]|\s*$|\s+(?:one|option|point|item|of (?:them|these|those)))(?:\s+(?:one|option|point|item))?/i;

/** "The second one": an item of the user's own enumeration, else of the list in the last answer. */
function pickedItem(
  question: string,
  { question: previous }: Topic,
  lastAnswer: string | undefined,
): string | undefined {
  const match = PICKED.exec(question);
  const position = ORDINALS[match?.[1]?.toLowerCase() ?? ""];
  if (!match || position === undefined) return undefined;
  const item = alternatives(previous).at(position) ?? listed(lastAnswer ?? "").at(position);
  if (!item) return `${question.replace(/[\s?.!]+$/u, "")} (${previous})`;
  const replaced =
    question.slice(0, match.index) + item + question.slice(match.index + match[0].length);
  return AND.test(replaced)
    ? `${replaced.replace(AND, "").replace(/[\s?.!]+$/u, "")}: ${previous}`
    : replaced;
}

function alternatives(question: string): string[] {
  const run =
    /(?:^|[\s:])((?:[\p{L}\p{N}_'-]+(?:\s[\p{L}\p{N}_'-]+){0,3},\s*)*[\p{L}\p{N}_'-]+(?:\s[\p{L}\p{N}_'-]+)?,?\s+or\s+[\p{L}\p{N}_'-]+(?:\s[\p{L}\p{N}_'-]+)?)[\s?.!]*$/iu.exec(
      question,
    )?.[1];
  return run === undefined
    ? []
    : run
        .split(/,\s*(?:or\s+)?|\s+or\s+/i)
        .map((item) => item.trim())
        .filter((item) => item !== "");
}

/** Items of a numbered or bulleted list, without their markers, citations and explanations. */
function listed(answer: string): string[] {
  return [...answer.matchAll(/^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+(.+)$/gmu)].map(([, line = ""]) =>
    line
      .replace(/\[\d+\]/gu, "")
      .replace(/[*_`]+/gu, "")
      .replace(/(?:\s[–—-]\s|:\s|\.\s).*$/u, "")
      .trim()
      .slice(0, MAX_ITEM_CHARACTERS),
  );
}

/** "Tell me more", "Go on", "Can you elaborate?": the question before, once more. */
function request(question: string, { question: previous }: Topic): string | undefined {
  return /^\s*(?:(?:can|could|would) you )?(?:please )?(?:tell me more|say more|more(?: details?| please)?|go on|continue|elaborate|explain(?: (?:that|it|this|more|further))?|be more specific|in more detail|and then|anything else|what else|mehr(?: dazu)?|erzähl mehr)(?: about (?:it|that|this))?(?: on (?:it|that|this))?(?: please)?\s*[?.!]*\s*$/i.test(
    question,
  )
    ? /else/i.test(question)
      ? `${capital(question.replace(/[\s?.!]+$/u, ""))}: ${previous}`
      : previous
    : undefined;
}

const SUBJECT_PRONOUN =
  /(?<![\p{L}'’])(it|he|she|they|him|her|them|this|that|these|those)(?![\p{L}'’-])/iu;
const POSSESSIVE = /(?<![\p{L}'’])(its|his|her|their)(?=\s+\p{L})/iu;
/** "It" that stands for nothing, and pointers that have their noun beside them. */
const EMPTY_IT =
  /\b(?:is|was|does|would|will|could|can|has) it (?:possible|true|necessary|required|important|safe|ok|okay|allowed|rain|snow|make sense)\b|\bit(?:'s| is| was| takes) (?:possible|true|necessary|raining)\b|\bwhat time is it\b/i;
const DETERMINER =
  /\b(?:this|that|these|those)\s+(?!(?:is|are|was|were|do|does|did|mean|means|work|works|happen|happens|apply|applies|called|still|also|only|be|in|on|for|to|of|and|or|at|from|with)\b)\p{L}{3,}/iu;

const THERE =
  /(?<!\b(?:is|are|was|were|be|been|has|have|had|do|will|can|could|hi|hello)\s)\bthere(?!['’]s)(?!\s+(?:is|are|was|were|be|any|a|an|no)\b)(?=\s*[?.!,]|\s*$|\s+(?:in|on|before|after|and|now)\b)/i;

function pronouns(question: string, topic: Topic): string | undefined {
  if (EMPTY_IT.test(question)) return undefined;
  if (
    topic.subject !== undefined &&
    THERE.test(question) &&
    !hasAntecedent(question, question.search(THERE))
  ) {
    const { subject } = topic;
    return question.replace(THERE, () => `in ${subject}`);
  }
  const possessive = POSSESSIVE.exec(question);
  const match = possessive ?? SUBJECT_PRONOUN.exec(question);
  if (!match || hasAntecedent(question, match.index) || isConjunction(question, match))
    return undefined;
  if (topic.subject === undefined || (!possessive && DETERMINER.test(question.slice(match.index))))
    return `${question.replace(/[\s?.!]+$/u, "")} (${topic.question})`;
  const subject = possessive
    ? `${topic.subject}${/s$/i.test(topic.subject) ? "'" : "'s"}`
    : topic.subject;
  const replaced =
    question.slice(0, match.index) +
    (match.index === 0 ? capital(subject) : subject) +
    question.slice(match.index + match[0].length);
  // "When was it built and who designed it?" means the same thing twice.
  return replaced.replace(
    new RegExp(`(?<=\\b(?:and|or|but)\\b.*)(?<![\\p{L}'’])${match[0]}(?![\\p{L}'’-])`, "iu"),
    subject,
  );
}

/** A name or a noun phrase before the pronoun, in the same question, that it can stand for. */
function hasAntecedent(question: string, at: number): boolean {
  const before = question.slice(0, at);
  return (
    namesIn(before).length > 0 ||
    /\b(?:a|an|the|my|our|your)\s+\p{L}{3,}.*\b(?:and|but|if|when|because|so|before|after|while)\b/iu.test(
      before,
    ) ||
    /["“`]/u.test(before)
  );
}

/** "I know that …", "the one that …": no pronoun at all. */
function isConjunction(question: string, match: RegExpExecArray): boolean {
  if (!/^that$/i.test(match[0])) return false;
  const after = question.slice(match.index + 4).trimStart();
  const before = question.slice(0, match.index).trimEnd();
  return (
    after !== "" &&
    /\p{L}$/u.test(before) &&
    !/\b(?:is|was|are|does|did|do|about|of|for|in|with|why|how|can|will|like|to|after|before|mean)$/i.test(
      before,
    )
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
