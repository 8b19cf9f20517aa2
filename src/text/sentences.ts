import { memoize } from "../support/cache.js";

/** A piece of a text. `text === source.slice(start, end)`, offsets in UTF-16 code units. */
export interface Span {
  text: string;
  start: number;
  end: number;
}

/** After these a full stop does not end a sentence. Lower case, without the last stop. */
const ABBREVIATIONS = new Set(
  `dr mr mrs ms prof rev hon st sr jr gen col lt sgt capt cmdr gov sen rep pres fig figs eq no nos vol vols ed eds pp ch sec art approx ca cf e.g i.e eg ie viz vs
mt ft dept univ assn bros inc ltd jan feb mar apr jun jul aug sept sep oct nov dec z.b d.h u.a bzw usw vgl nr str hr fr bspw ggf abb s.o s.u
mme mlle p.ej sra sto av núm n.b`
    .split(/\s+/u)
    .filter(Boolean),
);

/** Longer stretches are cut before they are segmented: the segmenter takes time that grows with the square of the length. */
const STRETCH_AT_MOST = 1_500;

/** A line that stands for itself: heading, list item, quotation mark, table row, fence. */
const OWN_LINE = /^\s*(?:#{1,6}\s|[-*+•‣▪]\s|\d{1,3}[.)]\s|\||```|~~~|>\s)/u;
/** A row of a table that was written out: "name: Ridge Tent; price: 249.00". Prose has one pair by chance. */
const RECORD =
  /^(?!\s)(?![^:]{0,60}[.!?]\s)[^:;|]{1,60}: [^;]+; (?![^:]{0,60}[.!?]\s)[^:;|]{1,60}: /u;
const FENCE = /^\s*(?:```|~~~)/u;
const ENDED = /[.!?:;,…。！？；：、]["'”’)\]]*\s*$/u;
/** A line this short that ends without punctuation, before a line that starts a sentence, is a title or an item of its own. */
const SHORT_LINE = 60;

/**
 * Sentences with exact offsets. Headings, list items, table rows, lines of code and blank lines end a sentence; "Dr.", "e.g.", initials and
 * decimals do not. White space at the ends belongs to no sentence.
 */
export const sentences: (text: string) => readonly Span[] = memoize({ compute: readSentences });

function readSentences(text: string): Span[] {
  return [...eachSentence(text)];
}

/** The same one by one, nothing remembered: for texts so long that whoever reads them wants to be interrupted. */
export function* eachSentence(text: string): Generator<Span> {
  for (const block of blocks(text)) {
    // What stands in one row belongs together, full stops or not.
    if (block.isRecord === true && block.end - block.start <= STRETCH_AT_MOST) {
      const found: Span[] = [];
      pushTrimmed(text, block.start, block.end, found);
      yield* found;
      continue;
    }
    for (const stretch of stretches(text, block)) {
      const found: Span[] = [];
      segment(text, stretch, found);
      yield* found;
    }
  }
}

interface Range {
  start: number;
  end: number;
  isRecord?: boolean;
}

/** Paragraphs and lines that stand for themselves. */
function blocks(text: string): Range[] {
  const found: Range[] = [];
  let open: Range | undefined;
  let inFence = false;
  const close = (): void => {
    if (open !== undefined) found.push(open);
    open = undefined;
  };
  let previous = "";
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    const isFence = FENCE.test(line);
    if (isFence) inFence = !inFence;
    if (line.trim() === "") close();
    else if (isFence || inFence) {
      close();
      if (!isFence) found.push({ start, end });
    } else if (RECORD.test(line)) {
      close();
      found.push({ start, end, isRecord: true });
    } else if (open === undefined || OWN_LINE.test(line) || isTitle(previous, line)) {
      close();
      open = { start, end };
    } else open.end = end;
    if (/^\s*(?:#{1,6}\s|\|)/u.test(line)) close();
    previous = line;
    start = end + 1;
  }
  close();
  return found;
}

function isTitle(line: string, next: string): boolean {
  const trimmed = line.trim();
  return (
    trimmed.length > 0 &&
    trimmed.length < SHORT_LINE &&
    !ENDED.test(trimmed) &&
    /^\s*[\p{Lu}\p{N}]/u.test(next)
  );
}

function* stretches(text: string, block: Range): Generator<Range> {
  let { start } = block;
  while (block.end - start > STRETCH_AT_MOST) {
    const piece = text.slice(start, start + STRETCH_AT_MOST);
    const stops = [...piece.matchAll(/[.!?。！？]["'”’)\]]*\s*(?=[\p{Lu}\p{Lo}"“(])/gu)];
    const last = stops.at(-1);
    const space = piece.lastIndexOf(" ");
    const cut =
      last !== undefined && last.index > STRETCH_AT_MOST / 3
        ? last.index + last[0].length
        : space > 0
          ? space + 1
          : STRETCH_AT_MOST;
    yield { start, end: start + cut };
    start += cut;
  }
  yield { start, end: block.end };
}

let segmenter: Intl.Segmenter | undefined;

/** Cuts by the rules of Unicode (UAX #29), which know no abbreviations. */
function segment(text: string, range: Range, result: Span[]): void {
  // A line break inside a paragraph is a space; the length must not change.
  const source = text.slice(range.start, range.end).replace(/[\r\n\u2028\u2029\u0085]/gu, " ");
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  let from = 0;
  for (const piece of segmenter.segment(source)) {
    const end = piece.index + piece.segment.length;
    if (end < source.length && isInnerStop(source.slice(from, end), source.slice(end, end + 20)))
      continue;
    pushGlued(text, range.start + from, range.start + end, result);
    from = end;
  }
}

/** No abbreviation is longer, and patterns that are tied to the end alone would try every word before it. */
const LAST_WORDS = 40;

/** The number of a list or section belongs to what it numbers. */
const LIST_MARK = /^\s*\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[a-zA-Z])[.)]\s*$/u;

/** True when a full stop ends a word and not the sentence. */
function isInnerStop(sentence: string, next: string): boolean {
  const last = sentence.trimEnd().slice(-LAST_WORDS);
  return LIST_MARK.test(sentence) || endsInAbbreviation(last, next) || endsInOrdinal(last, next);
}

/** After initials these begin a new sentence: "in the U.S. The law". */
const STARTER =
  /^(?:The|This|That|These|Those|He|She|It|They|We|In|On|At|By|For|From|As|After|Before|When|While|But|And|His|Her|Its|Their|There)\s/u;

function endsInAbbreviation(sentence: string, next: string): boolean {
  const word = /(?:^|[\s("“'])([\p{L}.]+)\.["'”’)]*\s*$/u.exec(sentence)?.[1];
  if (word === undefined) return false;
  // Initials, as in "J. Smith"; the pronoun ends sentences.
  if (/^\p{Lu}(?:\.\p{Lu})*$/u.test(word)) return word !== "I" && !STARTER.test(next);
  return ABBREVIATIONS.has(word.toLowerCase());
}

/** German writes ordinals with a full stop: "am 3. Mai", "der 2. Weltkrieg", "im 19. Jahrhundert". */
const ORDINAL = /(?:^|[\s("„])\d{1,3}\.\s*$/u;
const AFTER_ARTICLE =
  /(?:^|\s)(?:der|die|das|dem|den|des|am|im|vom|zum|zur|beim)\s+\d{1,3}\.\s*$/iu;
const GERMAN_MONTH =
  /^(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert|Jahrtausend)(?!\p{L})/u;

function endsInOrdinal(sentence: string, next: string): boolean {
  return ORDINAL.test(sentence) && (AFTER_ARTICLE.test(sentence) || GERMAN_MONTH.test(next));
}

/** Web text often lacks the space after a full stop ("the film.The cast"). */
const GLUED = /(?<=\p{Ll}{3}[.!?]["”’)]?)(?=\p{Lu}\p{Ll})/gu;
/** Stands wherever that does, and is found out quickly. */
const STOP_INSIDE = /[.!?]["”’)]?\p{Lu}/u;

function pushGlued(text: string, start: number, end: number, result: Span[]): void {
  const sentence = text.slice(start, end);
  let from = start;
  if (STOP_INSIDE.test(sentence)) {
    for (const match of sentence.matchAll(GLUED)) {
      pushTrimmed(text, from, start + match.index, result);
      from = start + match.index;
    }
  }
  pushTrimmed(text, from, end, result);
}

function pushTrimmed(text: string, start: number, end: number, result: Span[]): void {
  const piece = text.slice(start, end);
  const from = start + (piece.length - piece.trimStart().length);
  const to = end - (piece.length - piece.trimEnd().length);
  if (to > from) result.push({ text: text.slice(from, to), start: from, end: to });
}
