/** Which way to look for evidence comes next when what was found is poor. Pure. */
import type { RetrievalStrategy } from "../state/run-record.js";
import type { Profile } from "./profiles.js";

interface Strategies {
  /**
   * All that this run can serve, preferred first; the web among them only when there is a provider.
   */
  available: readonly RetrievalStrategy[];
  /** All that were given a round so far. */
  tried: readonly RetrievalStrategy[];
}

/**
 * Available and not tried yet. A hybrid search was a keyword and a vector search, and both of these
 * together were a hybrid one.
 */
export function untriedStrategies({ available, tried }: Strategies): RetrievalStrategy[] {
  const covered = new Set<RetrievalStrategy>(tried);
  if (covered.has("hybrid")) covered.add("keyword").add("vector");
  if (covered.has("keyword") && covered.has("vector")) covered.add("hybrid");
  return available.filter((strategy) => !covered.has(strategy));
}

/**
 * The strategies of the round that follows a RE_RETRIEVE, the leading one first. `web_first`
 * profiles go to the web at once; the others take the first untried strategy, with the web beside
 * it. When everything was tried the preferred one is taken again, for other queries; the novelty
 * guard ends the loop if these find nothing new either.
 */
export function nextStrategies({
  profile,
  available,
  tried,
}: Strategies & { profile: Pick<Profile, "reRetrieve"> }): RetrievalStrategy[] {
  const untried = untriedStrategies({ available, tried });
  const web = untried.filter((strategy) => strategy === "web");
  const local = untried.filter((strategy) => strategy !== "web");
  if (profile.reRetrieve === "web_first" && web.length > 0) return web;
  const next = [...local.slice(0, 1), ...web];
  return next.length > 0 ? next : available.slice(0, 1);
}
