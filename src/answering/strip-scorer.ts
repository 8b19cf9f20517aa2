/** The default scorer of strips: the embedded judge, helped by the title and by the neighbour that a pronoun points back to. */
import { judgeEvidence } from "../grading/judge/judge.js";

/** A strip with what stands around it, as a scorer sees it. */
export interface StripInContext {
  title: string;
  text: string;
  /** The strip before it in the same passage; empty for the first. */
  before: string;
}

/** Words at the start of a strip that point back to the strip before it. */
const POINTS_BACK =
  /^(?:it|its|he|his|she|her|they|their|them|this|these|that|those|such|both|the (?:former|latter|same)|there|here|then|also|however|er|sie|es|dies\p{L}*|il|elle|ils|elles|cela|esto|este|esta)\b/iu;

/** What a score found together with the neighbour is worth to a strip that points back to it. */
const BORROWED = 0.95;
/** And to any other strip: the words of the question may be spread over two strips. */
const SHARED = 0.8;

/** Scores strips of one passage, 0–1, in order. */
export function scoreStrips(question: string, strips: readonly StripInContext[]): number[] {
  if (strips.length === 0) return [];
  const alone = judgeEvidence({
    question,
    passages: strips.map(({ title, text }) => ({ title, text })),
  }).passages;
  // A strip that is the whole passage has no neighbour.
  if (strips.length === 1) return alone;
  const together = judgeEvidence({
    question,
    passages: strips.map(({ title, text, before }) => ({ title, text: `${before} ${text}` })),
  }).passages;
  return strips.map((strip, index) => {
    const own = alone[index] ?? 0;
    if (strip.before === "") return own;
    const share = POINTS_BACK.test(strip.text.trimStart()) ? BORROWED : SHARED;
    return Math.max(own, share * (together[index] ?? 0));
  });
}
