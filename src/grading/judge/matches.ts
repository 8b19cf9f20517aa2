import { commonPrefix, oneEditApart } from "./one-edit.js";
import type { AnalysedPassage } from "./passage.js";
import type { AnalysedQuestion, QuestionTerm } from "./question.js";

/** Where a term of the question stands in the passage: a place in its content, and how good the match is, 0–1. */
export interface Place {
  at: number;
  credit: number;
}

/** What a match of another form is worth against the word itself. */
const CREDIT = { related: 0.6, prefix: 0.6, parts: 0.7, inside: 0.9, misspelt: 0.7 };
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;

/** For each term of the question, its places in the passage. */
export function matchTerms(question: AnalysedQuestion, passage: AnalysedPassage): Place[][] {
  return question.terms.map((term) => placesOf(term, passage));
}

function placesOf(term: QuestionTerm, passage: AnalysedPassage): Place[] {
  const places: Place[] = (passage.places.get(term.term) ?? []).map((at) => ({ at, credit: 1 }));
  for (const related of term.related) {
    for (const at of passage.places.get(related) ?? []) places.push({ at, credit: CREDIT.related });
  }
  if (places.length > 0) return places;
  if (term.parts.length > 0) {
    for (const part of term.parts) for (const at of passage.places.get(part) ?? []) places.push({ at, credit: CREDIT.parts });
    return places;
  }
  if (UNSPACED.test(term.term)) {
    passage.content.forEach((token, at) => {
      if (token.term.includes(term.term)) places.push({ at, credit: CREDIT.inside });
      else if (token.term.length > 1 && term.term.includes(token.term)) places.push({ at, credit: token.term.length / term.term.length });
    });
    return places;
  }
  if (term.term.length < 5 || term.numeric) return places;
  // Other forms of the same word: "screenwriter" and "screenwriting", "Normandy" and "Normans", German compounds by their beginning.
  const first = term.term.charCodeAt(0);
  const misspelt: Place[] = [];
  for (const [other, at] of passage.places) {
    if (other.charCodeAt(0) !== first) continue;
    const shorter = Math.min(other.length, term.term.length);
    if (shorter < 5 || Math.abs(other.length - term.term.length) > 5) continue;
    const common = commonPrefix(other, term.term);
    if (common >= 5 && common >= shorter - 1) for (const place of at) places.push({ at: place, credit: CREDIT.prefix });
    // People misspell what they look for: a word that an encyclopedia does not know may be one that the passage has, but for a letter.
    else if (term.unknown && oneEditApart(other, term.term, common))
      for (const place of at) misspelt.push({ at: place, credit: CREDIT.misspelt });
  }
  return places.length > 0 ? places : misspelt;
}
