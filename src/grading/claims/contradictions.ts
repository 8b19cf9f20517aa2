/**
 * Rules that see a claim deny its source: the same statement with another number, date or name, with or without a "not", or with an opposite.
 * They look at the one sentence that the claim is closest to, and only when it is close enough to be about the same thing.
 */
import { analyse, contentTerms } from "../../text/analyse.js";
import { extractNames, extractNumbers } from "../../text/entities.js";
import { namesOf } from "./claimed-names.js";
import type { ClaimTerms } from "./claim-overlap.js";
import { massOf } from "./claim-overlap.js";
import { distinctiveTerms } from "./distinctive-terms.js";
import { exchangedRoles } from "./exchanged-roles.js";
import { deniedTerms } from "./negation.js";
import { oppositeOf } from "./opposites.js";
import { otherBearer } from "./other-bearer.js";
import type { PreparedSentence } from "./prepared-text.js";

/** Of the claim's words beside the differing one, this share must stand in the sentence. */
const SAME_CONTEXT = 0.6;
/** A "not" or an opposite turns a statement round only when nearly all else is the same. */
const SAME_STATEMENT = 0.75;
/** Where the question's words make up the rest of the same statement, this share must still stand in the sentence itself. */
const SAME_WITHOUT_ASKED = 0.5;

/** A sentence that a claim is held against. */
export interface Opponent {
  sentence: PreparedSentence;
  /** Terms of the sentence, of its neighbours and of the beginning of its text, which names what it is about. */
  neighbourhood: ReadonlySet<string>;
  /** Terms of the beginning of its text. */
  opening: ReadonlySet<string>;
}

/**
 * Problems in words, empty when nothing is contradicted.
 * @param asked terms of the question: what an answer repeats of it need not stand in the sentence that answers
 */
export function contradictions(
  claim: string,
  terms: ClaimTerms,
  { sentence, neighbourhood, opening }: Opponent,
  asked: ReadonlySet<string> = new Set(),
): string[] {
  const own = new Set(sentence.terms);
  return [
    ...differingNumbers(claim, terms, sentence, new Set([...own, ...opening]), neighbourhood),
    ...differingNames(claim, terms, sentence, { own, near: neighbourhood, asked }),
    ...exchangedNames(claim, terms, sentence, own),
    ...differingNegation(claim, terms, sentence, own),
    ...opposites(terms, own),
  ];
}

/**
 * For a claim with a number that stands nowhere in the evidence: the sentence that says the same with another number, what the text is about
 * (its beginning) taken as said.
 */
export function otherNumber(
  claim: string,
  terms: ClaimTerms,
  opponents: readonly Opponent[],
): { opponent: Opponent; problems: string[] } | undefined {
  let best: { opponent: Opponent; problems: string[] } | undefined;
  let closest = 0;
  for (const opponent of opponents) {
    const own = new Set(opponent.sentence.terms);
    const alone = massOf(terms, (term) => own.has(term));
    if (alone <= closest) continue;
    const problems = differingNumbers(
      claim,
      terms,
      opponent.sentence,
      new Set([...own, ...opponent.opening]),
      new Set(),
    );
    if (problems.length > 0) [best, closest] = [{ opponent, problems }, alone];
  }
  return best;
}

/** Coverage of the claim by the sentence, the terms in `without` left aside. */
function contextCoverage(
  terms: ClaimTerms,
  own: ReadonlySet<string>,
  without: ReadonlySet<string>,
): number {
  const weights = new Map([...terms.weights].filter(([term]) => !without.has(term)));
  let mass = 0;
  for (const weight of weights.values()) mass += weight;
  return massOf({ sequence: [], weights, mass }, (term) => own.has(term));
}

function differingNumbers(
  claim: string,
  terms: ClaimTerms,
  sentence: PreparedSentence,
  own: ReadonlySet<string>,
  near: ReadonlySet<string>,
): string[] {
  const theirs = extractNumbers(sentence.text);
  const claimed = extractNumbers(claim);
  const nearby = new Set([...near].map(Number));
  return claimed.flatMap((number): string[] => {
    if (theirs.some((other) => sameQuantity(number, other))) return [];
    const otherUnit = theirs.find((other) => other.value === number.value);
    const rest = contextCoverage(terms, own, new Set(contentTerms(number.text)));
    if (otherUnit !== undefined && rest >= SAME_CONTEXT)
      return [`the source says ${otherUnit.text}, not ${number.text}`];
    if (nearby.has(number.value)) return [];
    const rival = theirs.find(
      (other) => comparable(number, other) && !claimed.some((mine) => mine.value === other.value),
    );
    return rival !== undefined && rest >= SAME_CONTEXT
      ? [`the source says ${rival.text}, not ${number.text}`]
      : [];
  });
}

interface Quantity {
  value: number;
  unit?: string;
  text: string;
}

function sameQuantity(a: Quantity, b: Quantity): boolean {
  return (
    Math.abs(a.value - b.value) <= 1e-9 * Math.max(1, Math.abs(a.value)) &&
    (a.unit === undefined || b.unit === undefined || a.unit === b.unit)
  );
}

/** Years with years, shares with shares, metres with metres. */
function comparable(a: Quantity, b: Quantity): boolean {
  return (a.unit ?? "") === (b.unit ?? "") && isYear(a) === isYear(b);
}

function isYear(quantity: Quantity): boolean {
  return (
    quantity.unit === undefined &&
    Number.isInteger(quantity.value) &&
    quantity.value >= 1000 &&
    quantity.value <= 2100 &&
    !/[,.]/u.test(quantity.text)
  );
}

function differingNames(
  claim: string,
  terms: ClaimTerms,
  sentence: PreparedSentence,
  { own, near, asked }: Readonly<Record<"own" | "near" | "asked", ReadonlySet<string>>>,
): string[] {
  const withAsked = new Set([...own, ...asked]);
  const claimed = namesOf(claim).map((name) => ({
    text: name.text,
    terms: distinctiveTerms(name.text),
  }));
  const known = new Set(terms.sequence);
  const rivals = namesOf(sentence.text).filter((name) =>
    contentTerms(name.text).some((term) => !known.has(term)),
  );
  return claimed.flatMap((name): string[] => {
    if (name.terms.length === 0) return [];
    const without = new Set(name.terms);
    const bearer = otherBearer(name.text, sentence.text, (term) => own.has(term) || near.has(term));
    if (bearer !== undefined && contextCoverage(terms, own, without) >= SAME_CONTEXT)
      return [`the source names ${bearer}, not ${name.text}`];
    if (name.terms.some((term) => own.has(term) || near.has(term))) return [];
    const isSame =
      contextCoverage(terms, own, without) >= SAME_WITHOUT_ASKED &&
      contextCoverage(terms, withAsked, without) >= SAME_STATEMENT;
    const [rival] = rivals;
    return rival !== undefined && isSame
      ? [`${name.text} is not named there; the source names ${rival.text}`]
      : [];
  });
}

function exchangedNames(
  claim: string,
  terms: ClaimTerms,
  sentence: PreparedSentence,
  own: ReadonlySet<string>,
): string[] {
  if (contextCoverage(terms, own, new Set()) < SAME_CONTEXT) return [];
  const exchanged = exchangedRoles({ text: claim, names: extractNames(claim) }, sentence.text);
  return exchanged === undefined
    ? []
    : [`the source has ${exchanged[0]} and ${exchanged[1]} in each other's place`];
}

function differingNegation(
  claim: string,
  terms: ClaimTerms,
  sentence: PreparedSentence,
  own: ReadonlySet<string>,
): string[] {
  if (contextCoverage(terms, own, new Set()) < SAME_STATEMENT) return [];
  const mine = deniedTerms(claim);
  const theirs = deniedTerms(sentence.text);
  const known = new Set(terms.sequence);
  const denies = (scopes: readonly string[][], term: string): boolean =>
    scopes.some((scope) => scope.includes(term));
  const dropped = theirs.find(
    ([first]) => first !== undefined && known.has(first) && !denies(mine, first),
  );
  if (dropped !== undefined && mine.length === 0)
    return [`the source denies it ("not … ${wordFor(sentence.text, dropped[0])}")`];
  const added = mine.find(
    ([first]) => first !== undefined && own.has(first) && !denies(theirs, first),
  );
  if (added !== undefined && theirs.length === 0)
    return [`the source says so without the "not" (${wordFor(claim, added[0])})`];
  return [];
}

function wordFor(text: string, term: string | undefined): string {
  return analyse(text).find((token) => token.term === term)?.text ?? term ?? "";
}

function opposites(terms: ClaimTerms, own: ReadonlySet<string>): string[] {
  return [...terms.weights.keys()].flatMap((term): string[] => {
    const opposite = oppositeOf(term).find((other) => own.has(other) && !terms.weights.has(other));
    if (opposite === undefined || own.has(term)) return [];
    return contextCoverage(terms, own, new Set([term])) >= SAME_STATEMENT
      ? [`the source says the opposite (${opposite}, not ${term})`]
      : [];
  });
}
