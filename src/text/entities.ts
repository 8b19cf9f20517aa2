import { extractDates } from "./dates.js";
import { extractNumbers } from "./numbers.js";

export { extractDates, extractNumbers };
export type { FoundDate } from "./dates.js";
export type { FoundNumber } from "./numbers.js";

/** A proper name as it stands in the text. */
export interface FoundName {
  text: string;
  start: number;
  end: number;
}

const CAPITALISED = "\\p{Lu}[\\p{L}\\p{M}\\p{N}]*(?:['’.-]\\p{L}[\\p{L}\\p{M}\\p{N}]*)*";
const CONNECTOR =
  "(?:of|the|de|da|del|della|der|den|di|du|la|le|van|von|zu|and|&|for|bin|ibn|al|el|y)";
/** Words that carry a stop inside a name; after any other word a stop ends the name. */
const STOPPED =
  "(?:(?:\\p{Lu}|Dr|Mr|Mrs|Ms|St|Prof|Mt|Jr|Sr|Gen|Col|Lt|Capt|Sen|Rep|Gov|Rev)\\.|" +
  CAPITALISED +
  ")";
const NAME = new RegExp(
  `(?<![\\p{L}\\p{N}])${STOPPED}(?:\\s+(?:${CONNECTOR}\\s+){0,2}${STOPPED}){0,7}(?:\\s+\\d{1,4}(?![\\p{L}\\p{N}]|[.,]\\d))?`,
  "gu",
);
const MONTH =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December)(?:\s+\d+)?$/u;
const SENTENCE_START = /(?:^|[.!?:;。！？\n]["'”’)\]]*\s*|["“«([]\s*|^\s*[-*•]\s+)$/u;

/** Capitalised at the start of a sentence for no other reason. */
const COMMON_STARTERS = new Set(
  `a about above according after again all also although always an and another any are as at because been before being below besides between both but by can
could did do does during each either even every few finally first following for from further had has have he hence her here his how however i if in indeed
instead into is it its later least less like many may meanwhile might more moreover most much my near neither never next no nor not now of off often on
once one only or other others our out over perhaps rather second several she should similarly since so some sometimes soon still such than that the their them then there therefore
these they this those though three through throughout thus to today together too two under unlike until upon us very was we well were what when where
whereas whether which while who whom whose why will with within without would yes yet you your name list give tell describe explain find show`.split(
    /\s+/u,
  ),
);

/**
 * Capitalised names with the small words inside them ("University of Oxford", "Ludwig van Beethoven"). A function word that is capital
 * only because it starts a sentence is no name. Scripts without capitals yield nothing, and German nouns count as names.
 */
export function extractNames(text: string): FoundName[] {
  const names: FoundName[] = [];
  for (const match of text.matchAll(NAME)) {
    let found = match[0];
    let start = match.index;
    // "The United States", "In Paris": the first word goes, wherever it stands.
    for (
      let word = firstWord(found);
      word !== undefined && COMMON_STARTERS.has(word.toLowerCase());
      word = firstWord(found)
    ) {
      const rest = found.slice(word.length);
      const gap = rest.length - rest.trimStart().length;
      found = rest.trimStart();
      start += word.length + gap;
      while (new RegExp(`^${CONNECTOR}\\s`, "u").test(found)) {
        const connector = /^\S+\s+/u.exec(found)?.[0].length ?? 0;
        found = found.slice(connector);
        start += connector;
      }
    }
    found = found.replace(/['’]s$/u, "");
    if (/^\P{Lu}/u.test(found) || MONTH.test(found)) continue;
    if (found !== "") names.push({ text: found, start, end: start + found.length });
  }
  return names;
}

function firstWord(text: string): string | undefined {
  return /^[\p{L}\p{M}]+(?![\p{L}\p{N}'’-])/u.exec(text)?.[0];
}

/** Whether a name at `start` is capital only because a sentence begins there, so that it may be a common word. */
export function startsSentence(text: string, start: number): boolean {
  return SENTENCE_START.test(text.slice(Math.max(0, start - 20), start));
}

const QUOTED =
  /"([^"\n]{2,120})"|“([^”\n]{2,120})”|«\s*([^»\n]{2,120}?)\s*»|„([^“”"\n]{2,120})[“”"]|「([^」\n]{1,120})」|『([^』\n]{1,120})』|`([^`\n]{2,120})`|(?<![\p{L}\p{N}])'([^'\n]{2,80})'(?![\p{L}\p{N}])/gu;

/** What stands between quotation marks, without them. */
export function quotedPhrases(text: string): string[] {
  return [...text.matchAll(QUOTED)]
    .map(
      (match) =>
        match
          .slice(1)
          .find((group) => group !== undefined)
          ?.trim() ?? "",
    )
    .filter((phrase) => phrase !== "");
}
