import { analyse, contentTerms } from "../../text/analyse.js";
import type { Token } from "../../text/analyse.js";
import { memoised } from "../../text/memo.js";
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
  /** The title word by word, function words included, without what it adds in brackets: "Emma (novel)" is "emma". */
  titleWords: readonly string[];
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

/** Reads a passage. How a text reads does not depend on the question: passages and their strips are judged again, in later rounds and in other company. */
export function analysePassage({ title, text }: { title: string; text: string }): AnalysedPassage {
  return { ...readText(text), ...readTitle(title) };
}

const readTitle: (title: string) => Pick<AnalysedPassage, "titleTerms" | "titleWords"> = memoised({
  compute: (title) => ({
    titleTerms: new Set(contentTerms(title)),
    titleWords: analyse(title.replace(/\s*\([^()]*\)\s*$/u, "")).map(({ term }) => term),
  }),
});
type ReadText = Omit<AnalysedPassage, "titleTerms" | "titleWords">;
const readText: (text: string) => ReadText = memoised({ compute: readAnew, maxLength: 4_000 });

function readAnew(whole: string): ReadText {
  const text = whole.length > READ_AT_MOST ? whole.slice(0, READ_AT_MOST) : whole;
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
  return { tokens, content, places, sentences: spans };
}
