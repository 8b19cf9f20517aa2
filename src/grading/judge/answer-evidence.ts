import type { AnalysedPassage, AnalysedSentence } from "./passage.js";
import type { AnalysedQuestion } from "./question.js";

const CAUSE =
  /^(?:because|due|caused?|causes|by|through|when|if|so|order|reasons?|results?|process|using|therefore|thus|since|helps?|allows?|means|weil|denn|durch|wegen|damit|لأن|بسبب|因为|因此|由于|所以|通过)$/iu;
const COPULA = /^(?:is|are|was|were|refers?|means?|called|known|describes?|ist|sind|war|waren|bezeichnet|هو|هي|هم|是|指|称为)$/iu;

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
    if (token !== undefined && !asked.own.has(token.term)) best = Math.max(best, asked.fitOf(token));
  }
  return best;
}

function holds(passage: AnalysedPassage, sentence: AnalysedSentence, pattern: RegExp): boolean {
  for (let at = sentence.firstToken; at < sentence.lastToken; at += 1) if (pattern.test(passage.tokens[at]?.text ?? "")) return true;
  return false;
}
