import type { Token } from "../../text/analyse.js";
import type { AnalysedPassage, AnalysedSentence } from "./passage.js";
import type { AnalysedQuestion } from "./question.js";

const CAUSE =
  /^(?:because|due|caused?|causes|by|through|when|if|so|order|reasons?|results?|process|using|therefore|thus|since|helps?|allows?|means|weil|denn|durch|wegen|damit|لأن|بسبب|因为|因此|由于|所以|通过)$/iu;
const COPULA = /^(?:is|are|was|were|refers?|means?|called|known|describes?|ist|sind|war|waren|bezeichnet|هو|هي|هم|是|指|称为)$/iu;

/** Words behind which a person's name is likely. */
const INTRODUCES =
  /^(?:by|named|called|starring|featuring|with|and|actor|actress|singer|president|king|queen|director|author|writer|von|vom|durch|par)$/iu;

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
  if (type === "person") return personNamed(asked, passage, sentence);
  let best = 0;
  for (let at = sentence.from; at < sentence.to && best < 1; at += 1) {
    const token = passage.content[at];
    if (token !== undefined && !asked.own.has(token.term)) best = Math.max(best, asked.fitOf(token));
  }
  return best;
}

/** How much of a person's name a word is: two capitalised words in a row, one that is introduced, one within the sentence, its first word. */
const NAMED = { fully: 1, introduced: 0.9, within: 0.6, first: 0.3 };

function personNamed(asked: AnalysedQuestion, { tokens }: AnalysedPassage, sentence: AnalysedSentence): number {
  let best = 0;
  for (let at = sentence.firstToken; at < sentence.lastToken && best < 1; at += 1) {
    const token = tokens[at];
    if (token === undefined || token.stop || asked.own.has(token.term)) continue;
    const fit = asked.fitOf(token);
    if (fit === 0) continue;
    const before = at > sentence.firstToken ? tokens[at - 1] : undefined;
    const after = at + 1 < sentence.lastToken ? tokens[at + 1] : undefined;
    best = Math.max(best, isCased(token) ? fit * nameShare(token, before, after, asked) : fit);
  }
  return best;
}

function nameShare(token: Token, before: Token | undefined, after: Token | undefined, asked: AnalysedQuestion): number {
  if (after !== undefined && !after.stop && !asked.own.has(after.term) && /^\p{Lu}/u.test(after.text) && after.start - token.end <= 2)
    return NAMED.fully;
  if (before === undefined) return NAMED.first;
  return INTRODUCES.test(before.text) ? NAMED.introduced : NAMED.within;
}

/** Whether the script has capitals, so that they can tell a name. */
function isCased({ text }: Token): boolean {
  return text.toLowerCase() !== text.toUpperCase();
}

function holds(passage: AnalysedPassage, sentence: AnalysedSentence, pattern: RegExp): boolean {
  for (let at = sentence.firstToken; at < sentence.lastToken; at += 1) if (pattern.test(passage.tokens[at]?.text ?? "")) return true;
  return false;
}
