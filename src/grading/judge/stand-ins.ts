/** A term of the question, by its number, that a word of a passage may stand for, and what that is worth, 0–1. */
export interface StandsFor {
  index: number;
  credit: number;
}

const CREDIT = { itself: 1, related: 0.6 };

/** What each word stands for that is a term of the question or related to one, so that a passage is looked through once for all terms. */
export function standIns(
  terms: readonly { term: string; related: readonly string[] }[],
): ReadonlyMap<string, readonly StandsFor[]> {
  const found = new Map<string, StandsFor[]>();
  const add = (word: string, stands: StandsFor): void => {
    const known = found.get(word);
    if (known === undefined) found.set(word, [stands]);
    else known.push(stands);
  };
  terms.forEach(({ term, related }, index) => {
    add(term, { index, credit: CREDIT.itself });
    for (const other of related) add(other, { index, credit: CREDIT.related });
  });
  return found;
}
