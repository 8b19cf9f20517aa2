/** Pairs of words that turn a statement into its opposite. Few and common: a rule that is rarely wrong is worth more than one that is often right. */
import { contentTerms } from "../../text/analyse.js";

const PAIRS = `increase/decrease increased/decreased rise/fall rose/fell higher/lower highest/lowest larger/smaller largest/smallest bigger/smaller
longest/shortest longer/shorter oldest/youngest older/younger fastest/slowest faster/slower heaviest/lightest richest/poorest
northern/southern eastern/western north/south east/west win/lose won/lost victory/defeat
majority/minority maximum/minimum positive/negative accept/reject accepted/rejected allow/prohibit allowed/prohibited permitted/prohibited legal/illegal
enable/disable enabled/disabled success/failure birth/death born/died married/divorced import/export buy/sell bought/sold
increase/reduce increased/reduced best/worst better/worse strongest/weakest stronger/weaker hot/cold hottest/coldest male/female
ascending/descending synchronous/asynchronous mutable/immutable required/optional before/after earlier/later earliest/latest more/less most/least
first/last upper/lower inside/outside internal/external public/private`;

const OPPOSITES = new Map<string, Set<string>>();
for (const pair of PAIRS.split(/\s+/u)) {
  const [left, right] = pair.split("/").map((word) => contentTerms(word)[0]);
  if (left === undefined || right === undefined) continue;
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const known = OPPOSITES.get(one) ?? new Set();
    OPPOSITES.set(one, known.add(other));
  }
}

/** Terms that say the opposite of a term, both as the analyser makes them. Function words (more, before) have none here. */
export function oppositeOf(term: string): string[] {
  return [...(OPPOSITES.get(term) ?? [])];
}
