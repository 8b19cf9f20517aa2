/** How a question lies along a sentence, word by word: local alignment after Smith and Waterman, Journal of Molecular Biology 147 (1981). */
import type { Token } from "../../text/analyse.js";
import { isAkin } from "./word-family.js";

export interface Alignment {
  /** Weight of the words that lie along each other, gaps and replaced words taken off; 0 when nothing fits. */
  score: number;
  /** First and last word of the sentence that takes part; `first > last` when nothing fits. */
  first: number;
  last: number;
}

const CONTENT = 1.5;
const FUNCTION = 0.6;
const REPLACED = 0.5;
/** A word of the question that the sentence lacks. */
const LACKING = 0.6;
/** A word that the sentence has besides: its answer, for one. */
const BESIDES = 0.35;

/** What a word weighs in an alignment. */
export function alignedWeight(token: Token): number {
  return token.stop ? FUNCTION : CONTENT;
}

/** Same term, or content words of one family. */
function isSameWord(a: Token, b: Token): boolean {
  return a.term === b.term || (!a.stop && !b.stop && isAkin(a.term, b.term));
}

/** The best local alignment; of equally good ones the one that ends first. */
export function align(question: readonly Token[], sentence: readonly Token[]): Alignment {
  const width = sentence.length + 1;
  const scores = new Float64Array((question.length + 1) * width);
  // Where the alignment that ends here began in the sentence.
  const begins = new Int32Array(scores.length);
  let best: Alignment = { score: 0, first: 0, last: -1 };
  for (const [i, asked] of question.entries()) {
    for (const [j, word] of sentence.entries()) {
      const at = (i + 1) * width + j + 1;
      const across =
        (scores[at - width - 1] ?? 0) +
        (isSameWord(asked, word) ? alignedWeight(asked) : -REPLACED);
      const up = (scores[at - width] ?? 0) - LACKING;
      const left = (scores[at - 1] ?? 0) - BESIDES;
      const score = Math.max(0, across, up, left);
      scores[at] = score;
      if (score === 0) continue;
      begins[at] =
        score === across
          ? scores[at - width - 1] === 0
            ? j
            : (begins[at - width - 1] ?? j)
          : score === up
            ? (begins[at - width] ?? j)
            : (begins[at - 1] ?? j);
      if (score > best.score + 1e-9) best = { score, first: begins[at] ?? j, last: j };
    }
  }
  return best;
}
