import { analyse, contentTerms, forEachWord } from "../../text/analyse.js";
import type { Word } from "../../text/analyse.js";
import { memoised } from "../../text/memo.js";
import { partsOf } from "../../text/search-terms.js";
import { sentences } from "../../text/sentences.js";

/** What is judged. */
export interface PassageInput {
  title: string;
  /** The headings above the text, outermost first: what it is about is often said there and not in it. */
  headings?: readonly string[];
  text: string;
}

/** A sentence: its content words stand from `from` up to, not including, `to`; all its words from `firstWord` up to `lastWord`. */
export interface AnalysedSentence {
  from: number;
  to: number;
  firstWord: number;
  lastWord: number;
}

/** A passage as it was read. It is kept for a while, and what is kept is copied by the collection of garbage: so flat lists, and words that texts share. */
export interface AnalysedPassage {
  /** Every word of the text, in order. */
  words: readonly Word[];
  /** Places in `words` behind which the next word does not follow at once. */
  gaps: readonly number[];
  /** The words that are no function words, in order. */
  content: readonly Word[];
  /** Words inside the identifiers, each with the place of the identifier in `content`. */
  parts: readonly PartOfIdentifier[];
  sentences: readonly AnalysedSentence[];
  /** Of the title and the headings. */
  titleTerms: ReadonlySet<string>;
  /** The title word by word, function words included, without what it adds in brackets: "Emma (novel)" is "emma". */
  titleWords: readonly string[];
}

export interface PartOfIdentifier {
  term: string;
  at: number;
}

/** A passage is read up to here, in characters, so that one huge text cannot hold up a run. */
const READ_AT_MOST = 12_000;

/** A word that follows at once begins at most so many characters behind the one before. */
const FOLLOWS_WITHIN = 2;

/** Reads a passage. How a text reads does not depend on the question: passages and their strips are judged again, in later rounds and in other company. */
export function analysePassage({ title, headings = [], text }: PassageInput): AnalysedPassage {
  const { titleTerms, titleWords } = readTitle(title);
  return {
    ...readText(text),
    titleTerms:
      headings.length === 0 ? titleTerms : readTitle([title, ...headings].join("\n")).titleTerms,
    titleWords,
  };
}

/** The words that carry content and those inside identifiers, in order, each with its place in the content. */
export function forEachTerm(
  { content, parts }: Pick<AnalysedPassage, "content" | "parts">,
  visit: (term: string, at: number) => void,
): void {
  let next = 0;
  for (let at = 0; at < content.length; at += 1) {
    visit(content[at]?.term ?? "", at);
    for (let part = parts[next]; part?.at === at; part = parts[next]) {
      visit(part.term, at);
      next += 1;
    }
  }
}

const readTitle: (title: string) => Pick<AnalysedPassage, "titleTerms" | "titleWords"> = memoised({
  compute: (title) => ({
    titleTerms: new Set(contentTerms(title)),
    titleWords: analyse(title.replace(/\s*\([^()]*\)\s*$/u, "")).map(({ term }) => term),
  }),
});
type ReadText = Omit<AnalysedPassage, "titleTerms" | "titleWords">;
const readText: (text: string) => ReadText = memoised({ compute: readAnew, maxLength: 4_000 });

/** Where texts are read, one at a time: a list that grows leaves smaller ones behind, and what is kept should have no room to spare. */
const wordsRead: Word[] = [];
const contentRead: Word[] = [];

function readAnew(whole: string): ReadText {
  const text = whole.length > READ_AT_MOST ? whole.slice(0, READ_AT_MOST) : whole;
  const gaps: number[] = [];
  const parts: PartOfIdentifier[] = [];
  const read: AnalysedSentence[] = [];
  let [words, content] = [0, 0];
  let [from, firstWord] = [0, 0];
  const closeSentence = (): void => {
    if (content > from) read.push({ from, to: content, firstWord, lastWord: words });
    from = content;
    firstWord = words;
  };
  const spans = sentences(text);
  let span = 0;
  let ended = 0;
  forEachWord(text, (word, start) => {
    for (; start >= (spans[span]?.end ?? Infinity); span += 1) closeSentence();
    if (words > 0 && start - ended > FOLLOWS_WITHIN) gaps.push(words - 1);
    ended = start + word.text.length;
    wordsRead[words] = word;
    words += 1;
    if (word.stop || span === spans.length) return;
    if (isIdentifier(word.text))
      for (const term of partsOf(word.text))
        if (term !== word.term) parts.push({ term, at: content });
    contentRead[content] = word;
    content += 1;
  });
  closeSentence();
  return {
    words: wordsRead.slice(0, words),
    gaps,
    content: contentRead.slice(0, content),
    parts,
    sentences: read,
  };
}

const LOWER_CASE = /^[a-z]+$/u;
const IDENTIFIER = /_|\p{Ll}\p{Lu}/u;

/** `TOOL_TIMEOUT_SECONDS` also stands for its words: people ask for the "time-out of a tool". */
function isIdentifier(text: string): boolean {
  return !LOWER_CASE.test(text) && IDENTIFIER.test(text);
}
