import type { FoundName } from "../../text/entities.js";
import { extractNames, startsSentence } from "../../text/entities.js";
import { isCommonOpener } from "./common-openers.js";

/**
 * Names that can be told apart: no initials, no abbreviations (the source may spell them out), nothing inside quotation marks (a title), no
 * word that is capital only because a sentence or a label begins with it.
 */
export function namesOf(text: string): FoundName[] {
  return extractNames(text).filter((name) => {
    const after = text.slice(name.end);
    const before = text.slice(0, name.start);
    const letters = name.text.match(/\p{L}/gu)?.length ?? 0;
    const capitals = name.text.match(/\p{Lu}/gu)?.length ?? 0;
    if (letters < 3 || 2 * capitals > letters || /^\s*:/u.test(after)) return false;
    if (/["“'‘]\s*(?:\S+\s+){0,6}$/u.test(before) && /^(?:[^"”'’]{0,40})["”'’](?!s\b)/u.test(after))
      return false;
    const opens = before.trim() === "" || startsSentence(text, name.start);
    return !(opens && !/\s/u.test(name.text) && (/^,/u.test(after) || isCommonOpener(name.text)));
  });
}
