import { commonPrefix, oneEditApart } from "./one-edit.js";
import { forEachTerm } from "./passage.js";
import type { AnalysedPassage } from "./passage.js";
import type { AnalysedQuestion, QuestionTerm } from "./question.js";
import type { StandsFor } from "./stand-ins.js";

/** Where a term of the question stands in the passage: a place in its content, and how good the match is, 0–1. */
export interface Place {
  at: number;
  credit: number;
}

/** What a match of another form is worth against the word itself. */
const CREDIT = { prefix: 0.6, parts: 0.7, inside: 0.9, misspelt: 0.7 };
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;

/** For each term of the question, its places in the passage, in no particular order. */
export function matchTerms(question: AnalysedQuestion, passage: AnalysedPassage): Place[][] {
  const places = question.terms.map((): Place[] => []);
  forEachTerm(passage, (found, at) => {
    for (const { index, credit } of question.standIns.get(found) ?? NOTHING)
      places[index]?.push({ at, credit });
  });
  const matched = places.map((found, index) => {
    const term = question.terms[index];
    return found.length > 0 || term === undefined ? found : otherForms(term, passage);
  });
  passage.content.forEach((word, at) => {
    for (const { index, credit } of question.usedAlike(word)) matched[index]?.push({ at, credit });
  });
  return matched;
}

const NOTHING: readonly StandsFor[] = [];

/** Places of a term that stands nowhere itself. */
function otherForms(
  { term, parts, numeric, unknown }: QuestionTerm,
  passage: AnalysedPassage,
): Place[] {
  const places: Place[] = [];
  if (parts.length > 0) {
    forEachTerm(passage, (found, at) => {
      if (parts.includes(found)) places.push({ at, credit: CREDIT.parts });
    });
    return places;
  }
  if (UNSPACED.test(term)) {
    passage.content.forEach(({ term: found }, at) => {
      if (found.includes(term)) places.push({ at, credit: CREDIT.inside });
      else if (found.length > 1 && term.includes(found))
        places.push({ at, credit: found.length / term.length });
    });
    return places;
  }
  if (term.length < 5 || numeric) return places;
  // Other forms of the same word: "screenwriter" and "screenwriting", "Normandy" and "Normans", German compounds by their beginning.
  const first = term.charCodeAt(0);
  const misspelt: Place[] = [];
  forEachTerm(passage, (found, at) => {
    if (found.charCodeAt(0) !== first) return;
    const shorter = Math.min(found.length, term.length);
    if (shorter < 5 || Math.abs(found.length - term.length) > 5) return;
    const common = commonPrefix(found, term);
    if (common >= 5 && common >= shorter - 1) places.push({ at, credit: CREDIT.prefix });
    // People misspell what they look for: a word that an encyclopedia does not know may be one that the passage has, but for a letter.
    else if (unknown && oneEditApart(found, term, common))
      misspelt.push({ at, credit: CREDIT.misspelt });
  });
  return places.length > 0 ? places : misspelt;
}
