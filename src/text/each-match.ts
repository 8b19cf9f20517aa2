/**
 * What `text.matchAll(pattern)` gives, without the copy of the pattern that it makes each time: for short texts the copy costs more than the
 * search. The place is kept in the pattern, so that nobody may use the same pattern between two matches.
 *
 * @param pattern with the flag `g`
 */
export function* eachMatch(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    // An empty match would be found for ever.
    if (match[0] === "") pattern.lastIndex += 1;
    yield match;
  }
}
