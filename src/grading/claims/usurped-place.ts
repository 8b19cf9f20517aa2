/** "Arctic bears are aggressive predators" for "Polar bears are …, they hunt on Arctic ice": a name of the source in the place of another. */
import type { Token } from "../../text/analyse.js";
import { analyse } from "../../text/analyse.js";
import { idf } from "../../text/background.js";
import type { FoundName } from "../../text/entities.js";
import { extractNames } from "../../text/entities.js";
import { memoised } from "../../text/memo.js";
import { namesOf } from "./claimed-names.js";
import { distinctiveTerms } from "./distinctive-terms.js";
import type { PreparedSentence, PreparedText } from "./prepared-text.js";

/** Of the claim's other words, this share must stand in the sentence, by rarity: it is about the same thing. */
const SAME_THING = 0.3;
/** How many words to either side are compared. */
const REACH = 6;
/** Words of content that stand beside the rival as they stand beside the name in the claim, at the least; 0.5 where both sides fit. */
const FITS = 1.5;
/** The rival must fit better by this than the name does anywhere. */
const BETTER_BY = 1;
/** A name that stands in the evidence fits there to some degree. */
const STANDS = 0.5;

/** A name among the words of its sentence, `from` up to, not including, `to`. */
interface Place {
  from: number;
  to: number;
}

export interface UsurpedPlace {
  /** As the claim has it. */
  name: string;
  /** What the source has there. */
  rival: string;
  /** Index of the evidence text. */
  evidence: number;
  sentence: PreparedSentence;
}

const namesIn: (text: string) => readonly FoundName[] = memoised({ compute: extractNames });

/**
 * The name of the claim in whose place, between the same words, a sentence of the evidence has another name that the claim does not have.
 * Undefined where the name itself fits nearly as well anywhere in the evidence.
 */
export function usurpedPlace(
  claim: string,
  evidence: readonly PreparedText[],
): UsurpedPlace | undefined {
  const tokens = analyse(claim);
  const own = new Set(tokens.map(({ term }) => term));
  for (const name of namesOf(claim)) {
    const place = placeOf(name, tokens);
    const terms = distinctiveTerms(name.text);
    // A function word that is capital for its place in the sentence ("Für") names nobody.
    if (terms.length === 0) continue;
    const rest = tokens.filter(({ stop }, at) => !stop && (at < place.from || at >= place.to));
    let best = 0;
    let found: UsurpedPlace | undefined;
    for (const [index, text] of evidence.entries()) {
      for (const sentence of text.sentences) {
        if (coverage(rest, sentence) < SAME_THING) continue;
        for (const other of namesIn(sentence.text)) {
          const rivals = distinctiveTerms(other.text);
          if (rivals.length === 0 || rivals.some((term) => own.has(term))) continue;
          const fit = fitOf(
            { tokens, place },
            { tokens: sentence.tokens, place: placeOf(other, sentence.tokens) },
          );
          if (fit >= FITS && fit > best)
            [best, found] = [
              fit,
              { name: name.text, rival: other.text, evidence: index, sentence },
            ];
        }
      }
    }
    if (found !== undefined && ownFit({ tokens, place }, terms, evidence) <= best - BETTER_BY)
      return found;
  }
  return undefined;
}

interface InContext {
  tokens: readonly Token[];
  place: Place;
}

function placeOf(name: FoundName, tokens: readonly Token[]): Place {
  const from = tokens.findIndex(({ end }) => end > name.start);
  const after = tokens.findIndex(({ start }) => start >= name.end);
  return { from: from < 0 ? tokens.length : from, to: after < 0 ? tokens.length : after };
}

/** How well the name fits wherever it stands in the evidence; 0 where it stands nowhere. */
function ownFit(
  mine: InContext,
  terms: readonly string[],
  evidence: readonly PreparedText[],
): number {
  let best = 0;
  for (const { tokens } of evidence.flatMap((text) => text.sentences)) {
    for (let from = 0; from < tokens.length; from += 1) {
      if (!terms.includes(tokens[from]?.term ?? "")) continue;
      let to = from + 1;
      while (terms.includes(tokens[to]?.term ?? "")) to += 1;
      best = Math.max(best, STANDS, fitOf(mine, { tokens, place: { from, to } }));
    }
  }
  return best;
}

function fitOf(mine: InContext, theirs: InContext): number {
  const before = alike(mine, theirs, -1);
  const after = alike(mine, theirs, 1);
  return before.content + after.content + (before.words > 0 && after.words > 0 ? 0.5 : 0);
}

/** How many words beside both places are the same, one after another; names count as words and not as content. */
function alike(
  mine: InContext,
  theirs: InContext,
  direction: 1 | -1,
): { words: number; content: number } {
  const [here, there] =
    direction === 1
      ? [mine.place.to, theirs.place.to]
      : [mine.place.from - 1, theirs.place.from - 1];
  const count = { words: 0, content: 0 };
  for (let step = 0; step < REACH; step += 1) {
    const [one, other] = [
      mine.tokens[here + step * direction],
      theirs.tokens[there + step * direction],
    ];
    if (one === undefined || one.term !== other?.term) break;
    count.words += 1;
    if (!one.stop && !/^\p{Lu}/u.test(one.text)) count.content += 1;
  }
  return count;
}

function coverage(words: readonly Token[], { terms }: PreparedSentence): number {
  const known = new Set(terms);
  let [covered, mass] = [0, 0];
  for (const { term } of words) {
    mass += idf(term);
    if (known.has(term)) covered += idf(term);
  }
  return mass === 0 ? 0 : covered / mass;
}
