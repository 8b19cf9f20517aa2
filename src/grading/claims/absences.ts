/** What a claim has and its evidence has not: numbers, names, a denial. */
import { contentTerms } from "../../text/analyse.js";
import { extractNumbers, hasNegation } from "../../text/entities.js";
import { namesOf } from "./claimed-names.js";
import type { EvidenceWindow } from "./claim-overlap.js";
import { distinctiveTerms } from "./distinctive-terms.js";
import { deniedTerms, mayDeny } from "./negation.js";
import { otherBearer } from "./other-bearer.js";
import type { PreparedText } from "./prepared-text.js";

export interface Absence {
  kind: "number" | "name";
  text: string;
}

/** Letters that two spellings of one name share at their beginning. */
const SAME_BEGINNING = 4;

/** Numbers and names of the claim that stand nowhere in the evidence. */
export function absences(claim: string, evidence: readonly PreparedText[]): Absence[] {
  const has = (term: string): boolean =>
    evidence.some(({ vocabulary, about }) => vocabulary.has(term) || about?.has(term) === true);
  const numbers = extractNumbers(claim).filter(
    (number) =>
      !evidence.some((text) =>
        text.numbers.some(
          (other) =>
            Math.abs(other.value - number.value) <= 1e-9 * Math.max(1, Math.abs(number.value)),
        ),
      ) && !contentTerms(number.text).every(has),
  );
  const names = namesOf(claim).filter(
    (name) =>
      !distinctiveTerms(name.text).some(has) ||
      evidence.some(({ text }) => otherBearer(name.text, text, has) !== undefined),
  );
  return [
    ...numbers.map(({ text }) => ({ kind: "number" as const, text })),
    ...names.map(({ text }) => ({ kind: "name" as const, text })),
  ];
}

/** A name of two words or more of which neither evidence nor question knows any, not even in another spelling. */
export function isInventedName(
  name: string,
  evidence: readonly PreparedText[],
  asked: ReadonlySet<string>,
): boolean {
  const terms = distinctiveTerms(name);
  if (terms.length < 2 || terms.some((term) => asked.has(term))) return false;
  const beginnings = new Set(
    evidence.flatMap(({ vocabulary }) => [...vocabulary].map(beginningOf)),
  );
  return !terms.some((term) => beginnings.has(beginningOf(term)));
}

function beginningOf(term: string): string {
  return term.slice(0, SAME_BEGINNING);
}

/** Whether the claim has a "not" and neither any evidence has one nor the sentences that carry the claim another way to say it. */
export function deniesAlone(
  claim: string,
  window: EvidenceWindow | undefined,
  evidence: readonly PreparedText[],
): boolean {
  if (deniedTerms(claim).length === 0 || evidence.some(({ text }) => hasNegation(text)))
    return false;
  return window !== undefined && !window.sentences.some(({ text }) => mayDeny(text));
}
