/** What speaks for a stretch of a sentence being the short answer. Each feature is near 0–1. */
import { idf, HIGHEST_IDF } from "../../../text/background.js";
import { extractDates, extractNames, extractNumbers } from "../../../text/entities.js";
import { relatedTerms } from "../../../grading/judge/relations.js";
import type { Alignment } from "../alignment.js";
import { align } from "../alignment.js";
import type { Span, SpanSentence } from "./answer-spans.js";
import { canBePlace, isDemonym } from "./name-kinds.js";
import type { QuestionFocus } from "../question-focus.js";
import { isAkin } from "../word-family.js";

export const SPAN_FEATURES = [
  // Where it stands to the words of the question.
  "near",
  "nearBehind",
  "openNear",
  "aligned",
  "slotBefore",
  "slotBehind",
  "behindAll",
  "objectBehind",
  "verbNear",
  "verbBefore",
  "preposition",
  "headInside",
  "headBeside",
  "copulaBehind",
  // Its form.
  "rarest",
  "functionWords",
  "crossesComma",
  "markBehind",
  "edgeBefore",
  "edgeBehind",
  "whole",
  "oneWord",
  "twoWords",
  "opens",
  "cutsName",
  "capitals",
  "startsFunction",
  "counted",
  // Its kind against the kind that is asked for.
  "date",
  "person",
  "place",
  "name",
  "openName",
  "notNumber",
  "notPlace",
  "notPerson",
  "ruled",
  // The sentence it stands in.
  "sentence",
] as const;
export type SpanFeature = (typeof SPAN_FEATURES)[number];
export type SpanFeatures = Record<SpanFeature, number>;

const COPULA =
  /^(?:is|are|was|were|be|been|being|became|become|becomes|called|named|known|has|have|had)$/u;
const ARTICLE = /^(?:the|a|an)$/u;
const COMMA = /[,;:.()"“”–—[\]]/u;
/** Words between answer and question word at which nearness has fallen to a half. */
const HALF_NEAR = 6;
/** Words between the answer and what lies along the question, at most. */
const SLOT = 3;

interface Entity {
  start: number;
  end: number;
}

/** What is the same for all spans of a sentence. */
export interface SpanContext {
  sentence: SpanSentence;
  focus: QuestionFocus;
  /** Log-odds that the sentence answers. */
  logit: number;
  /** The short answer by rule, as offsets. */
  ruled: Entity | undefined;
  names: readonly Entity[];
  dates: readonly Entity[];
  numbers: readonly Entity[];
  alignment: Alignment;
  /** Indices of the words that the question has, by term. */
  matched: ReadonlyMap<string, readonly number[]>;
  /** The last of them; −1 where there is none. */
  lastMatched: number;
  /** Of each word: begins with a capital; a mark stands behind it. */
  capitals: readonly boolean[];
  marks: readonly boolean[];
  verbs: readonly number[];
}

export function spanContext(
  sentence: SpanSentence,
  focus: QuestionFocus,
  sentenceProbability: number,
  ruled: Entity | undefined,
): SpanContext {
  const { tokens, text } = sentence.candidate;
  const matched = new Map<string, number[]>();
  for (const [index, { stop, term }] of tokens.entries())
    if (!stop && focus.weights.has(term)) matched.set(term, [...(matched.get(term) ?? []), index]);
  const { verb } = focus.form;
  const verbs = verb === undefined ? [] : [verb, ...relatedTerms(verb)];
  const p = Math.min(0.999, Math.max(0.001, sentenceProbability));
  const dates = extractDates(text);
  return {
    sentence,
    focus,
    ruled,
    capitals: tokens.map((token) => /^\p{Lu}/u.test(token.text)),
    marks: sentence.gaps.map((gap) => COMMA.test(gap)),
    lastMatched: Math.max(-1, ...[...matched.values()].flat()),
    logit: Math.log(p / (1 - p)),
    names: extractNames(text),
    dates,
    numbers: extractNumbers(text).filter(
      (found) => !dates.some((date) => date.start < found.end && found.start < date.end),
    ),
    alignment: align(focus.form.behind, tokens),
    matched,
    verbs: tokens.flatMap(({ term }, index) =>
      verb !== undefined && (verbs.includes(term) || isAkin(verb, term)) ? [index] : [],
    ),
  };
}

/** Measures one span. */
export function measureSpan({ from, to }: Span, context: SpanContext): SpanFeatures {
  const { sentence, focus, alignment, matched, verbs } = context;
  const { words, asked, candidate } = sentence;
  const { tokens, text } = candidate;
  const { form, expected } = focus;
  const start = tokens[from]?.start ?? 0;
  const end = tokens[to]?.end ?? start;
  const inside = tokens.slice(from, to + 1);
  const content = inside.filter(({ stop }) => !stop);
  const capital = (index: number): boolean => context.capitals[index] === true;
  const capitals = inside.filter(({ stop }, index) => !stop && capital(from + index)).length;
  const article = ARTICLE.test(words[from - 1] ?? "");
  const before = article ? from - 2 : from - 1;
  const mark = (index: number): boolean => context.marks[index] === true;
  const markBefore = from === 0 || mark(from - 1) || (article && before >= 0 && mark(before));
  const markBehind = to + 1 >= tokens.length || mark(to);
  const edgeBefore =
    markBefore || before < 0 || tokens[before]?.stop === true || asked[before] === true;
  const edgeBehind = markBehind || tokens[to + 1]?.stop === true || asked[to + 1] === true;
  const spans = (entity: Entity): boolean =>
    entity.start >= start - 4 && entity.start <= start && Math.abs(entity.end - end) <= 2;
  const own = text.slice(start, end);
  const isName = context.names.some(spans) && !isDemonym(own);
  const isDate = context.dates.some(spans);
  const number = context.numbers.find((found) => found.start <= start && start < found.end);
  const lowerCase = capitals === 0;
  const { kind } = expected;
  const nearness = near(from, to, focus, matched);
  const all = context.lastMatched !== -1 && context.lastMatched < from;
  return {
    near: nearness.either,
    nearBehind: nearness.before,
    openNear: kind === "open" ? nearness.either : 0,
    aligned: alignment.score / Math.max(1, form.behind.length),
    slotBefore: flag(to < alignment.first && alignment.first - to <= SLOT),
    slotBehind: flag(from > alignment.last && from - alignment.last <= SLOT),
    behindAll: flag(all),
    objectBehind: flag(all && form.asksForObject),
    verbNear: closest(verbs.map((verb) => (verb < from ? from - verb : verb > to ? verb - to : 0))),
    verbBefore: flag(verbs.some((verb) => from - verb >= 1 && from - verb <= 3)),
    preposition: flag(
      form.preposition !== undefined &&
        (words[from - 1] === form.preposition || words[before] === form.preposition),
    ),
    headInside: flag(form.head !== undefined && inside.some(({ term }) => term === form.head)),
    headBeside: flag(
      form.head !== undefined &&
        (tokens[to + 1]?.term === form.head || tokens[before]?.term === form.head),
    ),
    copulaBehind: flag(COPULA.test(words[to + 1] ?? "")),
    rarest: Math.max(0, ...content.map(({ term }) => idf(term))) / HIGHEST_IDF,
    functionWords: (inside.length - content.length) / inside.length,
    crossesComma: flag(inside.slice(1).some((_, index) => mark(from + index))),
    markBehind: flag(markBehind),
    edgeBefore: flag(edgeBefore),
    edgeBehind: flag(edgeBehind),
    whole: flag(edgeBefore && edgeBehind),
    oneWord: flag(inside.length === 1),
    twoWords: flag(inside.length === 2),
    opens: flag(from <= 1),
    cutsName: flag(
      (capital(to) && capital(to + 1) && !markBehind) ||
        (from > 0 && capital(from) && capital(from - 1) && !markBefore),
    ),
    capitals: flag(capitals === content.length),
    startsFunction: flag(tokens[from]?.stop === true),
    counted: flag(number !== undefined && number.end >= end - 1),
    date: flag(kind === "date" && isDate),
    person: flag(kind === "person" && isName),
    place: flag(kind === "place" && isName && canBePlace(own)),
    name: flag(kind === "name" && isName),
    openName: flag(kind === "open" && isName),
    notNumber: flag(kind === "number" && number === undefined),
    notPlace: flag(kind === "place" && lowerCase),
    notPerson: flag(kind === "person" && lowerCase),
    ruled: flag(context.ruled !== undefined && spans(context.ruled)),
    sentence: context.logit,
  };
}

function flag(holds: boolean): number {
  return holds ? 1 : 0;
}

/** 1 for none between, falling with each word. */
function closest(distances: readonly number[]): number {
  return distances.length === 0 ? 0 : 1 / (1 + Math.min(...distances) / 3);
}

/** Share of the question's words near the span, by rarity and distance in words: on either side, and before it alone. */
function near(
  from: number,
  to: number,
  focus: QuestionFocus,
  matched: ReadonlyMap<string, readonly number[]>,
): { either: number; before: number } {
  let [either, before, mass] = [0, 0, 0];
  for (const [term, weight] of focus.weights) {
    mass += weight;
    let [toLeft, toRight] = [Infinity, Infinity];
    for (const position of matched.get(term) ?? []) {
      if (position < from) toLeft = Math.min(toLeft, from - position);
      else if (position > to) toRight = Math.min(toRight, position - to);
    }
    either += weight / (1 + Math.min(toLeft, toRight) / HALF_NEAR);
    before += weight / (1 + toLeft / HALF_NEAR);
  }
  return mass === 0 ? { either: 0, before: 0 } : { either: either / mass, before: before / mass };
}
