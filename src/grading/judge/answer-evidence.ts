import type { Word } from "../../text/analyse.js";
import type { AnalysedPassage, AnalysedSentence } from "./passage.js";
import type { AnalysedQuestion } from "./question.js";

const CAUSE =
  /^(?:because|due|caused?|causes|by|through|when|if|so|order|reasons?|results?|process|using|therefore|thus|since|helps?|allows?|means|weil|denn|durch|wegen|damit|لأن|بسبب|因为|因此|由于|所以|通过)$/iu;
const COPULA =
  /^(?:is|are|was|were|refers?|means?|called|known|describes?|ist|sind|war|waren|bezeichnet|هو|هي|هم|是|指|称为)$/iu;

/** Words behind which a person's name is likely. */
const INTRODUCES =
  /^(?:by|named|called|starring|featuring|with|and|actor|actress|singer|president|king|queen|director|author|writer|von|vom|durch|par)$/iu;

/** Whether a sentence holds what could answer a question of this type, 0–1. Words of the question itself do not count. */
export function answerEvidence(
  asked: AnalysedQuestion,
  passage: AnalysedPassage,
  sentence: AnalysedSentence,
): number {
  const type = asked.answerType;
  if (type === "open") return 0.5;
  if (type === "reason") return 0.3 + (holds(passage, sentence, CAUSE) ? 0.7 : 0);
  if (type === "definition") {
    if (!holds(passage, sentence, COPULA)) return 0;
    const head = passage.content.slice(sentence.from, Math.min(sentence.from + 3, sentence.to));
    return head.some((word) => asked.own.has(word.term)) ? 1 : 0.4;
  }
  if (type === "person") return personNamed(asked, passage, sentence);
  let best = 0;
  for (let at = sentence.from; at < sentence.to && best < 1; at += 1) {
    const word = passage.content[at];
    if (word !== undefined && !asked.own.has(word.term)) best = Math.max(best, asked.fitOf(word));
  }
  return best;
}

/** How much of a person's name a word is: two capitalised words in a row, one that is introduced, one within the sentence, its first word. */
const NAMED = { fully: 1, introduced: 0.9, within: 0.6, first: 0.3 };

function personNamed(
  asked: AnalysedQuestion,
  passage: AnalysedPassage,
  sentence: AnalysedSentence,
): number {
  let best = 0;
  for (let at = sentence.firstWord; at < sentence.lastWord && best < 1; at += 1) {
    const word = passage.words[at];
    if (word === undefined || word.stop || asked.own.has(word.term)) continue;
    const fit = asked.fitOf(word);
    if (fit === 0) continue;
    best = Math.max(best, isCased(word) ? fit * nameShare(asked, passage, sentence, at) : fit);
  }
  return best;
}

function nameShare(
  asked: AnalysedQuestion,
  passage: AnalysedPassage,
  { firstWord, lastWord }: AnalysedSentence,
  at: number,
): number {
  if (at + 1 < lastWord && goesOn(asked, passage, at)) return NAMED.fully;
  if (at === firstWord) return NAMED.first;
  return INTRODUCES.test(passage.words[at - 1]?.text ?? "") ? NAMED.introduced : NAMED.within;
}

/** Whether the next word is capitalised as well and follows at once. */
function goesOn(asked: AnalysedQuestion, { words, gaps }: AnalysedPassage, at: number): boolean {
  const next = words[at + 1];
  return (
    next !== undefined &&
    !next.stop &&
    !asked.own.has(next.term) &&
    /^\p{Lu}/u.test(next.text) &&
    !gaps.includes(at)
  );
}

/** Whether the script has capitals, so that they can tell a name. */
function isCased({ text }: Word): boolean {
  return text.toLowerCase() !== text.toUpperCase();
}

function holds(passage: AnalysedPassage, sentence: AnalysedSentence, pattern: RegExp): boolean {
  for (let at = sentence.firstWord; at < sentence.lastWord; at += 1)
    if (pattern.test(passage.words[at]?.text ?? "")) return true;
  return false;
}
