import { contentTerms } from "../../text/analyse.js";

/** Words of names that many bear: titles, and what kind of thing it is. "Captain" does not make Olaf Steen the same as Ida Brandt. */
const SHARED_BY_MANY =
  /(?<![\p{L}\p{N}])(?:King|Queen|Emperor|Empress|Prince|Princess|Duke|Duchess|Earl|Count|Lord|Lady|Sir|Dame|Pope|Saint|St\.?|President|Chancellor|Governor|Senator|Mayor|Minister|Prime|Secretary|General|Colonel|Major|Captain|Lieutenant|Sergeant|Admiral|Commander|Inspector|Judge|Justice|Chief|Dr\.?|Doctor|Mr\.?|Mrs\.?|Ms\.?|Miss|Prof\.?|Professor|Bishop|Archbishop|Cardinal|Father|Brother|Sister|Mount|Mt\.?|Mountains?|Lake|River|Cape|Bay|Gulf|Islands?|Isle|Fort|Port|Street|Avenue|Road|Square|Bridge|Castle|Church|Cathedral|University|College|School|Institute|Museum|Hospital|County|City|Battle|Treaty)(?![\p{L}\p{N}])/gu;

/** The terms of a name that tell it from others of its kind; all of them when it has no others. */
export function distinctiveTerms(name: string): string[] {
  const own = contentTerms(name.replace(SHARED_BY_MANY, " "));
  return own.length > 0 ? own : contentTerms(name);
}
