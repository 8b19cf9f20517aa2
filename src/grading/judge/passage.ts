import { analyse } from "../../text/analyse.js";
import type { Token } from "../../text/analyse.js";
import { sentences } from "../../text/sentences.js";

/** A sentence and which of the passage's tokens belong to it: from `from` up to, not including, `to`. */
export interface AnalysedSentence {
  from: number;
  to: number;
}

export interface AnalysedPassage {
  title: readonly Token[];
  tokens: readonly Token[];
  /** The term of each token that is no function word, in order. */
  content: readonly Token[];
  /** Places in `content` of each term. */
  places: ReadonlyMap<string, readonly number[]>;
  sentences: readonly AnalysedSentence[];
  titleTerms: ReadonlySet<string>;
}

/** A passage is read up to here, in characters, so that one huge text cannot hold up a run. */
const READ_AT_MOST = 12_000;

/** Reads a passage once. A title in parentheses ("Titanic (1997 film)") is read without them. */
export function analysePassage(passage: { title: string; text: string }): AnalysedPassage {
  const text = passage.text.length > READ_AT_MOST ? passage.text.slice(0, READ_AT_MOST) : passage.text;
  const tokens = analyse(text);
  const content: Token[] = [];
  const places = new Map<string, number[]>();
  for (const token of tokens) {
    if (token.stop) continue;
    const list = places.get(token.term);
    if (list === undefined) places.set(token.term, [content.length]);
    else list.push(content.length);
    content.push(token);
  }
  const spans: AnalysedSentence[] = [];
  let next = 0;
  for (const span of sentences(text)) {
    const from = next;
    while (next < content.length && (content[next]?.start ?? 0) < span.end) next += 1;
    if (next > from) spans.push({ from, to: next });
  }
  if (spans.length === 0) spans.push({ from: 0, to: content.length });
  const title = analyse(passage.title).filter((token) => !token.stop);
  return { title, tokens, content, places, sentences: spans, titleTerms: new Set(title.map((token) => token.term)) };
}
