/**
 * Small words that come in families of which one excludes the others: a question with "before" is not answered by a sentence with "after". As they
 * are written, lower case. English; made by hand from general knowledge of the language.
 */
const FAMILIES: readonly ReadonlySet<string>[] = `before after during since until prior following
more less fewer greater smaller higher lower larger bigger most least highest lowest largest smallest greatest
first second third fourth fifth last final earliest latest original initial next previous former later earlier early late
all every some none no only any each few many several both neither
always never sometimes often rarely usually
half third thirds quarter double twice triple
one two three four five six seven eight nine ten
north south east west northern southern eastern western
son daughter father mother brother sister wife husband uncle aunt
win lose won lost defeat defeated
increase decrease increased decreased rise fall rose fell reduce reduced raise raised
accept reject accepted rejected allow allowed prohibit prohibited ban banned
begin end began ended start started stop stopped
old new young modern ancient
local national international regional global
above below over under
inside outside within`
  .split("\n")
  .map((line) => new Set(line.split(" ")));

const PREFIX = /^(?:un|in|im|ir|il|non-?|dis|de|anti|mis|over|under|sub|super|pre|post)/u;

/** What became of the families that a question uses: kept word by word, lacking, or exchanged for another of the family. */
export function rivalWords(
  question: ReadonlySet<string>,
  sentence: ReadonlySet<string>,
): { lacking: number; exchanged: number } {
  let [lacking, exchanged] = [0, 0];
  for (const family of FAMILIES) {
    let [asked, said] = [false, false];
    for (const word of family) {
      if (question.has(word) === sentence.has(word)) continue;
      if (question.has(word)) asked = true;
      else said = true;
    }
    if (asked && said) exchanged += 1;
    else if (asked) lacking += 1;
  }
  return { lacking, exchanged };
}

/** "dependent" in the one and "independent" in the other. */
export function hasPrefixedOpposite(
  question: ReadonlySet<string>,
  sentence: ReadonlySet<string>,
): boolean {
  const prefixed = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean => {
    for (const word of words) {
      const bare = word.replace(PREFIX, "");
      if (bare.length >= 4 && bare !== word && others.has(bare) && !words.has(bare)) return true;
    }
    return false;
  };
  return prefixed(question, sentence) || prefixed(sentence, question);
}
