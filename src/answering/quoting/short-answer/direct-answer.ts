/** A name, a date, a number or a place inside a sentence, chosen by its type and by how near it stands to the words of the question. */
import { contentTerms } from "../../../text/analyse.js";
import { extractDates, extractNames, extractNumbers } from "../../../text/entities.js";
import type { Candidate } from "../answer-candidates.js";
import type { ExpectedAnswer } from "./answer-type.js";
import { wantsDirectAnswer } from "./answer-type.js";
import { askedQuantities, asksForQuantity, holdsAsked } from "../kinds/holds-kind.js";
import { canBePlace, isCountry, isDemonym, personLikeness } from "./name-kinds.js";
import type { QuestionFocus } from "../question-focus.js";

export interface DirectAnswer {
  text: string;
  /** Offsets in the candidate's text. */
  start: number;
  end: number;
  /** 0–1: how near the question's words stand, and how well the form fits. */
  score: number;
}

interface Found {
  text: string;
  start: number;
  end: number;
  /** Form fits the type by more than its class: "by Rollo" for who, "in Paris" for where. */
  bonus: number;
}

/** The best direct answer in a sentence; undefined when the question wants none or the sentence holds none. */
export function directAnswer(candidate: Candidate, focus: QuestionFocus): DirectAnswer | undefined {
  if (!wantsDirectAnswer(focus.expected) || candidate.kind === "code") return undefined;
  const matched = candidate.tokens.filter((token) => !token.stop && focus.weights.has(token.term));
  let best: DirectAnswer | undefined;
  const code = [...candidate.text.matchAll(/`[^`]+`/gu)];
  for (const found of spansOf(candidate, focus)) {
    // A part of an identifier names nobody and nothing; "`TOP_K` (5)" may still hold a number.
    if (
      focus.expected.kind !== "number" &&
      code.some(({ index, 0: text }) => found.start < index + text.length && index < found.end)
    )
      continue;
    if (repeatsQuestion(found.text, focus)) continue;
    const score = Math.min(1, proximity(found, candidate, focus, matched) + found.bonus);
    if (best === undefined || score > best.score + 1e-9)
      best = { text: found.text, start: found.start, end: found.end, score };
  }
  return best;
}

/** Terms of the question near the span, by rarity and distance in characters, 0–1. */
function proximity(
  found: Found,
  candidate: Candidate,
  focus: QuestionFocus,
  matched: Candidate["tokens"],
): number {
  let near = 0;
  let mass = 0;
  for (const [term, weight] of focus.weights) {
    mass += weight;
    const distances = matched
      .filter((token) => token.term === term)
      .map((token) =>
        token.end <= found.start
          ? textLength(candidate.text, token.end, found.start)
          : textLength(candidate.text, found.end, token.start),
      );
    if (distances.length > 0) near += weight / (1 + Math.min(...distances) / 40);
  }
  return mass === 0 ? 0 : (0.85 * near) / mass;
}

/** Distance in characters; the end of a clause counts as twenty more. */
function textLength(text: string, from: number, to: number): number {
  const between = text.slice(from, Math.max(from, to));
  return (
    between.length + 20 * (between.match(/[;:()–—]|, (?:and|but|which|who|while)\b/gu)?.length ?? 0)
  );
}

/** A name that shares a third of its words with the question is what the question is about, not its answer. */
function repeatsQuestion(text: string, focus: QuestionFocus): boolean {
  const terms = contentTerms(text);
  const known = terms.filter((term) => focus.all.has(term)).length;
  return (
    known === terms.length ||
    (focus.expected.kind !== "number" &&
      focus.expected.kind !== "date" &&
      known >= terms.length / 3)
  );
}

function spansOf(candidate: Candidate, focus: QuestionFocus): Found[] {
  const { text } = candidate;
  const { expected } = focus;
  switch (expected.kind) {
    case "date":
      return dates(text, expected.measure);
    case "number":
      return asksForQuantity(focus)
        ? quantities(candidate, focus)
        : numbers(text, expected.measure);
    case "person":
      return names(text)
        .filter((found) => !isDemonym(found.text))
        .map((found) => ({
          ...found,
          bonus: personBonus(found, text) + roleBonus(found, candidate, focus),
        }));
    case "place":
      return names(text)
        .filter((found) => canBePlace(found.text))
        .map((found) => ({ ...found, bonus: placeBonus(found, text, focus) }));
    case "name":
      return names(text)
        .filter((found) => !isDemonym(found.text))
        .map((found) => ({ ...found, bonus: 0 }));
    case "reason":
    case "manner":
    case "list":
    case "yes_no":
    case "open":
      return [];
    default:
      return expected.kind satisfies never;
  }
}

const CENTURY =
  /\b(?:(?:early|mid|late|first half of the|second half of the)[\s-]+)?(?:the\s+)?\d{1,2}(?:st|nd|rd|th)(?:[\s-]+(?:and|to|or)[\s-]+\d{1,2}(?:st|nd|rd|th))?[\s-]+(?:century|centuries)(?:\s+BCE?)?/giu;
const DECADE = /\b(?:(?:early|mid|late)[\s-]+)?(?:the\s+)?1?\d{3}s\b/giu;
const RELATIVE =
  /\b(?:(?:spring|summer|autumn|fall|winter)\s+(?:of\s+)?\d{4}|\d+\s+(?:years|days|months|weeks)\s+(?:ago|later|after|before)|(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday))\b/giu;

function dates(text: string, measure: ExpectedAnswer["measure"]): Found[] {
  const plain = extractDates(text).map(({ text: own, start, end, year, month, day }) => {
    const fits =
      measure === undefined ||
      (measure === "year" && year !== undefined) ||
      (measure === "day" && day !== undefined) ||
      (measure === "month" && month !== undefined);
    return { text: own, start, end, bonus: fits ? 0.1 : -0.2 };
  });
  const matches = (pattern: RegExp, bonus: number): Found[] =>
    [...text.matchAll(pattern)].map((match) => ({
      text: match[0],
      start: match.index,
      end: match.index + match[0].length,
      bonus,
    }));
  const centuries = matches(
    CENTURY,
    measure === "century" ? 0.3 : measure === undefined ? 0.05 : -0.2,
  );
  const decades = matches(DECADE, measure === "decade" ? 0.3 : measure === undefined ? 0.05 : -0.2);
  const relative = measure === undefined ? matches(RELATIVE, 0) : [];
  const longer = [...centuries, ...decades];
  return [
    ...longer,
    ...plain.filter(
      (date) => !longer.some((other) => date.start < other.end && other.start < date.end),
    ),
    ...relative,
  ];
}

const MEASURES: Readonly<Record<string, RegExp>> = {
  percent: /^(?:%|per ?cent)/iu,
  money: /^(?:\$|€|£|¥|dollar|euro|pound|yen|yuan)/iu,
  length: /^(?:k?m|cm|mm|µm|nm|mi|miles?|ft|feet|inch|yard|acre|hectare|km2|km²|m2|m²)$/iu,
  duration: /^(?:year|month|week|day|h|hour|min|minute|s|second|centur|decade|ms)/iu,
  mass: /^(?:k?g|mg|t|tonne|ton|pound|lb|ounce)/iu,
  temperature: /^(?:°|degree)/iu,
};

function numbers(text: string, measure: ExpectedAnswer["measure"]): Found[] {
  const years = extractDates(text);
  return extractNumbers(text)
    .filter((number) => !years.some((date) => number.start < date.end && date.start < number.end))
    .filter((number) => !/^\d+(?:st|nd|rd|th)\b/iu.test(number.text))
    .map((number) => {
      const pattern = measure === undefined ? undefined : MEASURES[measure];
      const fits = pattern !== undefined && number.unit !== undefined && pattern.test(number.unit);
      const lead =
        /\b(?:about|around|approximately|over|nearly|almost|more than|less than|at least|up to|some|roughly)\s+$/iu.exec(
          text.slice(0, number.start),
        )?.[0] ?? "";
      const start = number.start - lead.length;
      return {
        text: text.slice(start, number.end).trim(),
        start,
        end: number.end,
        bonus: pattern === undefined ? 0.05 : fits ? 0.3 : -0.2,
      };
    });
}

/** Those of the kind asked for. A sentence may answer without one: in a table the unit mostly stands in the head of the column. */
function quantities(candidate: Candidate, focus: QuestionFocus): Found[] {
  const { text } = candidate;
  const found = askedQuantities(text, focus);
  if (found.length === 0)
    return holdsAsked(candidate, focus) ? numbers(text, focus.expected.measure) : [];
  return found.map(({ start, end }) => ({ text: text.slice(start, end), start, end, bonus: 0.3 }));
}

function names(text: string): Found[] {
  return extractNames(text)
    .filter(
      (name) =>
        name.text.length > 1 &&
        !/^(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b/u.test(
          name.text,
        ),
    )
    .map(({ text: own, start, end }) => ({ text: own, start, end, bonus: 0 }));
}

function personBonus(found: Found, text: string): number {
  const before = text.slice(0, found.start);
  const titled =
    /\b(?:leader|king|queen|emperor|president|duke|general|prince|author|actor|singer|director|dr\.?|sir|mr\.?|mrs\.?)\s+$/iu.test(
      before,
    )
      ? 0.1
      : 0;
  const placed = /\b(?:in|at|near|from|of the|to)\s+(?:the\s+)?$/iu.test(before) ? -0.15 : 0;
  return titled + placed + 0.2 * (personLikeness(found.text) - 0.5);
}

/**
 * "Who killed Harold?" asks for whoever stands before "killed" or behind "killed by"; "Whom did Emma marry?" for whoever stands behind it. The
 * verb is the first content word behind the question word.
 */
function roleBonus(found: Found, candidate: Candidate, focus: QuestionFocus): number {
  const verb = candidate.tokens.find((token) => token.term === focus.verb);
  if (verb === undefined || focus.asksFor === undefined) return 0;
  const passive =
    found.start >= verb.end &&
    /\bby\s+(?:the\s+)?(?:\p{L}+\s+){0,4}$/iu.test(candidate.text.slice(verb.end, found.start));
  const before = found.end <= verb.start;
  if (focus.asksFor === "agent") return passive ? 0.25 : before ? 0.12 : -0.12;
  return before || passive ? -0.1 : 0.12;
}

function placeBonus(found: Found, text: string, focus: QuestionFocus): number {
  const before = text.slice(0, found.start);
  const located =
    /\b(?:in|at|near|from|to|through|across|into|within|around|off|city of|town of|river|capital)\s+(?:the\s+|modern\s+)?$/iu.test(
      before,
    );
  const country = focus.expected.typeTerms.some((term) => /^(?:countr|nation)/u.test(term));
  return (located ? 0.12 : -0.08) + (country ? (isCountry(found.text) ? 0.3 : -0.2) : 0);
}
