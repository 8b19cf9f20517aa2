/** The facts of a passage that can be compared with those of another: numbers, dates and names, each with the content words around it. */
import type { Token } from "../text/analyse.js";
import { extractDates } from "../text/entities.js";
import { extractFigures } from "../text/numbers.js";

export interface Fact {
  /** Position of the passage that says it. */
  passage: number;
  kind: "number" | "date" | "name";
  /** A number in base units; a date from year to day, `1921-3-12`; a name in lower case. */
  value: number | string;
  unit: string | undefined;
  /** Stemmed content words around it, each once, figures left out. */
  around: readonly string[];
}

export interface AnalysedText {
  text: string;
  tokens: readonly Token[];
}

const FIGURE = /^\p{N}/u;

/** Most words are plain Latin, where a character code tells as much as the pattern, and much quicker: thousands of words are looked at. */
function beginsWithFigure(word: string): boolean {
  const code = word.charCodeAt(0);
  return code < 128 ? code >= 48 && code <= 57 : FIGURE.test(word);
}

/** Content words on each side of a value that tell what it is about; a sentence's end cuts them off. */
const WORDS_AROUND = 5;
/** Of these at most so many are figures, which cost the most to read. */
const FIGURES_PER_PASSAGE = 8;
const MAX_WORDS_AROUND = 20;
/** A passage counts with its first facts only, so that a table does not outweigh everything else, and the time stays bounded. */
const FACTS_PER_PASSAGE = 16;
/** What may stand before and behind a figure and belongs to it: a currency, a month, a scale, a unit. */
const TOKENS_AROUND_A_FIGURE = 2;

/**
 * The first facts of a passage, each once.
 * @param passage position of the passage, kept with each fact
 */
export function factsOf({ text, tokens }: AnalysedText, passage: number): Fact[] {
  const ends = sentenceEnds(text, tokens);
  const facts = new Map<string, Fact>();
  let figures = 0;
  for (let at = 0; at < tokens.length && facts.size < FACTS_PER_PASSAGE; at += 1) {
    const isFigure = beginsWithFigure(tokens[at]?.text ?? "");
    if (isFigure && (figures += 1) > FIGURES_PER_PASSAGE) continue;
    const found = isFigure ? figureAt(text, tokens, at) : nameAt(tokens, at, ends);
    if (!found) continue;
    const { kind, value, unit } = found.fact;
    const key = `${kind} ${value} ${unit ?? ""}`;
    const around = wordsAround(tokens, ends, at, found.next);
    const known = facts.get(key);
    // Said twice in one passage, it is one fact with both neighbourhoods.
    if (!known) facts.set(key, { passage, ...found.fact, around });
    else if (known.around.length < MAX_WORDS_AROUND)
      facts.set(key, { ...known, around: [...new Set([...known.around, ...around])] });
    at = found.next - 1;
  }
  return [...facts.values()];
}

type Found = { fact: Pick<Fact, "kind" | "value" | "unit">; next: number };

/**
 * The date or number that holds this token. The extractors of whole texts know units, scales and months, but cost too much for twenty passages
 * within a few milliseconds; here they see only the neighbourhood of a figure.
 */
function figureAt(text: string, tokens: readonly Token[], at: number): Found | undefined {
  const token = tokens[at];
  if (!token) return undefined;
  const from = tokens[Math.max(0, at - TOKENS_AROUND_A_FIGURE)]?.start ?? token.start;
  const to = tokens[Math.min(tokens.length - 1, at + TOKENS_AROUND_A_FIGURE)]?.end ?? token.end;
  const slice = text.slice(from, to);
  const holdsToken = ({ start, end }: { start: number; end: number }): boolean =>
    from + start <= token.start && token.end <= from + end;
  const date = extractDates(slice).find(holdsToken);
  if (date) {
    const value = [date.year, date.month, date.day].filter((part) => part !== undefined).join("-");
    return {
      fact: { kind: "date", value, unit: undefined },
      next: tokenAfter(tokens, at, from + date.end),
    };
  }
  const number = extractFigures(slice).find(holdsToken);
  return (
    number && {
      fact: { kind: "number", value: number.value, unit: number.unit },
      next: tokenAfter(tokens, at, from + number.end),
    }
  );
}

const CAPITALISED = /^\p{Lu}/u;

function isCapitalised(word: string): boolean {
  const code = word.charCodeAt(0);
  return code < 128 ? code >= 65 && code <= 90 : CAPITALISED.test(word);
}

/** A run of capitalised words; a single one at the start of a sentence is capital for that reason and no name. */
function nameAt(tokens: readonly Token[], at: number, ends: readonly boolean[]): Found | undefined {
  let next = at;
  while (next < tokens.length && (next === at || ends[next] === false)) {
    const token = tokens[next];
    if (
      !token ||
      token.stop ||
      !isCapitalised(token.text) ||
      (next > at && token.start - (tokens[next - 1]?.end ?? 0) > 1)
    )
      break;
    next += 1;
  }
  const startsSentence = at === 0 || ends[at] === true;
  if (next === at || (startsSentence && next === at + 1)) return undefined;
  const name = tokens.slice(at, next).map(({ text }) => text.toLowerCase());
  return { fact: { kind: "name", value: name.join(" "), unit: undefined }, next };
}

function tokenAfter(tokens: readonly Token[], at: number, offset: number): number {
  let next = at + 1;
  while ((tokens[next]?.start ?? Infinity) < offset) next += 1;
  return next;
}

/** For each token whether a sentence ended right before it. */
function sentenceEnds(text: string, tokens: readonly Token[]): boolean[] {
  let previous = 0;
  return tokens.map(({ start, end }) => {
    const from = previous;
    previous = end;
    // One character between two words is nearly always a blank.
    if (start - from <= 1)
      return start > from && text.charCodeAt(from) >= 128 && /[。！？]/.test(text.charAt(from));
    return /[.!?。！？]\s|\n\s*\n/.test(text.slice(from, start));
  });
}

function wordsAround(
  tokens: readonly Token[],
  ends: readonly boolean[],
  at: number,
  next: number,
): string[] {
  const words: string[] = [];
  const add = (token: Token | undefined): void => {
    if (token && !token.stop && !beginsWithFigure(token.text) && !words.includes(token.term))
      words.push(token.term);
  };
  for (let i = at; i > 0 && ends[i] === false && words.length < WORDS_AROUND; i -= 1)
    add(tokens[i - 1]);
  const before = words.length;
  for (
    let i = next;
    i < tokens.length && ends[i] === false && words.length < before + WORDS_AROUND;
    i += 1
  )
    add(tokens[i]);
  return words;
}
