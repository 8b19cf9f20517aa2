/** Scripts that are written without spaces. */
export const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const EACH_SPACELESS = new RegExp(SPACELESS, "gu");
/** No word or address is longer; what is, is encoded data, of which so many characters count as a word. */
const MAX_RUN = 200;
const CHARACTERS_OF_DATA = 40;

/** Runs between white space; in scripts written without spaces, every two characters count as a word. */
export function countWords(text: string): number {
  return (text.match(/\S+/g) ?? []).reduce((sum, run) => sum + wordsOfRun(run), 0);
}

function wordsOfRun(run: string): number {
  if (run.length <= 24) return 1;
  const spaceless = Math.ceil((run.match(EACH_SPACELESS)?.length ?? 0) / 2);
  return Math.max(
    1,
    spaceless,
    run.length > MAX_RUN ? Math.ceil(run.length / CHARACTERS_OF_DATA) : 0,
  );
}
