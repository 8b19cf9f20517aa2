/** Words that are capital only because a sentence, an item of a list or a label begins with them. */
import { contentTerms } from "../../text/analyse.js";
import { idf } from "../../text/background.js";

const OPENERS = new Set(
  `access act adding advice ask available avoid base begin big build buy call certain check children choose clean clear climate collect common companies
compare conduct consider create cut data define design despite determine develop different discuss doctors document early economic education
effective efficient encourage energy engage ensure establish evaluate exact examine excessive experts explore families focus follow food full
gather general get give global good government great guide health high history hold identify implement important improve include increase
individual information install international invest involve keep language large late law learn leave let limit listen local long look low
maintain major make manage many measure men modern monitor mothers move national new offer old online open overall parents patients people
perform physical place plan players please political poor positive possible practice pregnant prepare press prevent prioritise prioritize
private promote protect provide public pull push put raise reach read recent record reduce regular remember remove replace report request
require research researchers responsibilities results review run save scholars schools science scientists section seek select send set share
short similar small social some source speak special specific standard start stay stop store strong students studies support take talk
teachers technology test text think time title today track traditional train treat treatment try turn understand update use users various
verify visit wait watch water wear whole women work workers write young`.split(/\s+/u),
);
const INFLECTED = /(?:ing|ed|tions?|ments?|ness|ously|ally|ately|ently|ively)$/u;
/** Stems up to this rarity are words of the language rather than names. */
const COMMON = 5;

/** Whether a single word at the beginning of a sentence is an ordinary word, as far as its form tells. */
export function isCommonOpener(word: string): boolean {
  const plain = word.toLowerCase();
  if (OPENERS.has(plain)) return true;
  return (
    plain.length >= 5 &&
    INFLECTED.test(plain) &&
    contentTerms(word).every((term) => idf(term) <= COMMON)
  );
}
