/** Which stretches of a sentence may be a short answer: runs of a few words without the words of the question. */
import type { Candidate } from "../answer-candidates.js";
import type { QuestionFocus } from "../question-focus.js";
import { isAkin } from "../word-family.js";

/** Words of the sentence from `from` to `to`, both included. */
export interface Span {
  from: number;
  to: number;
}

/** A sentence read once for all its spans. */
export interface SpanSentence {
  candidate: Candidate;
  /** Lower case. */
  words: readonly string[];
  /** The word, or one of its family, stands in the question. */
  asked: readonly boolean[];
  /** What stands between a word and the next. */
  gaps: readonly string[];
}

const LONGEST = 8;
/** An answer stands behind these words, not with them. */
const LEADS_IN = /^(?:the|an?|called|named|known|termed)$/u;
/** Function words that may begin one. */
const BEGINS = /^(?:no|not|all|both|\d.*)$/u;
/** No answer goes beyond these words: a new clause begins. */
const CLAUSE =
  /^(?:is|are|was|were|be|been|being|became|become|becomes|has|have|had|which|who|that|when|where|while|but|as|than|then|it|they|he|she|if)$/u;
/** No answer goes beyond these marks. */
const ENDS = /[;:()"“”[\]]|[.!?]\s/u;

export function readForSpans(candidate: Candidate, focus: QuestionFocus): SpanSentence {
  const { tokens, text } = candidate;
  const all = [...focus.all];
  return {
    candidate,
    words: tokens.map((token) => token.text.toLowerCase()),
    asked: tokens.map(
      (token) =>
        focus.all.has(token.term) || (!token.stop && all.some((term) => isAkin(term, token.term))),
    ),
    gaps: tokens.map((token, index) =>
      text.slice(token.end, tokens[index + 1]?.start ?? text.length),
    ),
  };
}

/** All spans, shorter ones first at each place. */
export function spansIn(sentence: SpanSentence): Span[] {
  const { candidate, words, asked, gaps } = sentence;
  const { tokens } = candidate;
  const spans: Span[] = [];
  for (const [from, first] of tokens.entries()) {
    const word = words[from] ?? "";
    if (LEADS_IN.test(word) || (first.stop && !BEGINS.test(word))) continue;
    let [content, known] = [0, 0];
    for (let to = from; to < Math.min(tokens.length, from + LONGEST); to += 1) {
      const token = tokens[to];
      if (token === undefined || (to > from && ENDS.test(gaps[to - 1] ?? ""))) break;
      if (token.stop) {
        if (CLAUSE.test(words[to] ?? "")) break;
        continue;
      }
      content += 1;
      if (asked[to] === true) known += 1;
      // What the question says already is no answer to it.
      if (known === content || (asked[from] === true && asked[to] === true && known > content / 2))
        continue;
      spans.push({ from, to });
    }
  }
  return spans;
}
