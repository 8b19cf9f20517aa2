import { analyse } from "../../text/analyse.js";
import type { Token } from "../../text/analyse.js";
import { partsOf } from "../../text/search-terms.js";
import { sentences } from "../../text/sentences.js";

/** A sentence: its content words stand from `from` up to, not including, `to`; all its tokens from `firstToken` up to `lastToken`. */
export interface AnalysedSentence {
  from: number;
  to: number;
  firstToken: number;
  lastToken: number;
}

export interface AnalysedPassage {
  /** Every token of the text. */
  tokens: readonly Token[];
  /** The tokens that are no function words, in order. */
  content: readonly Token[];
  /** Places in `content` of each term. */
  places: ReadonlyMap<string, readonly number[]>;
  sentences: readonly AnalysedSentence[];
  titleTerms: ReadonlySet<string>;
}

/** A passage is read up to here, in characters, so that one huge text cannot hold up a run. */
const READ_AT_MOST = 12_000;

/** `TOOL_TIMEOUT_SECONDS` also stands for its words: people ask for the "time-out of a tool". */
const IDENTIFIER = /_|\p{Ll}\p{Lu}/u;

function place(places: Map<string, number[]>, term: string, at: number): void {
  const list = places.get(term);
  if (list === undefined) places.set(term, [at]);
  else list.push(at);
}

/** Passages are judged again in later rounds and in other company; how a text reads does not depend on the question. */
const recent = new Map<string, AnalysedPassage>();
const RECENT_AT_MOST = 200;
const REMEMBERED_UP_TO = 4_000;

/** Reads a passage, or remembers how it read. */
export function analysePassage(passage: { title: string; text: string }): AnalysedPassage {
  if (passage.text.length > REMEMBERED_UP_TO) return readAnew(passage);
  const key = `${passage.title}\u0000${passage.text}`;
  const known = recent.get(key);
  if (known !== undefined) return known;
  const analysed = readAnew(passage);
  const [oldest] = recent.keys();
  if (recent.size >= RECENT_AT_MOST && oldest !== undefined) recent.delete(oldest);
  recent.set(key, analysed);
  return analysed;
}

function readAnew(passage: { title: string; text: string }): AnalysedPassage {
  const text = passage.text.length > READ_AT_MOST ? passage.text.slice(0, READ_AT_MOST) : passage.text;
  const tokens = analyse(text);
  const content: Token[] = [];
  const places = new Map<string, number[]>();
  const spans: AnalysedSentence[] = [];
  let next = 0;
  for (const span of sentences(text)) {
    const from = content.length;
    const firstToken = next;
    for (let token = tokens[next]; token !== undefined && token.start < span.end; token = tokens[next]) {
      next += 1;
      if (token.stop) continue;
      place(places, token.term, content.length);
      if (IDENTIFIER.test(token.text)) for (const part of partsOf(token.text)) if (part !== token.term) place(places, part, content.length);
      content.push(token);
    }
    if (content.length > from) spans.push({ from, to: content.length, firstToken, lastToken: next });
  }
  const titleTerms = new Set<string>();
  for (const token of analyse(passage.title)) if (!token.stop) titleTerms.add(token.term);
  return { tokens, content, places, sentences: spans, titleTerms };
}
