/** Words of courtesy around a question, and messages that are nothing else. Pure. */

const GREETING =
  "(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|moin|bonjour|salut|hola|buenos días|ciao)(?: there| all| everyone| team| again| zusammen)?";
const THANKS =
  "(?:(?:many |a lot of )?thanks?(?: you)?(?: (?:so|very) much| a lot| a million)?(?: (?:in advance|for (?:your|the) (?:help|answer|reply|time)|for that|again))?|thx|ty|cheers|much appreciated|(?:vielen |besten )?dank(?:e)?(?: schön| sehr| dir| ihnen)?(?: im voraus)?|merci(?: beaucoup)?|(?:muchas )?gracias|grazie)";
const PRAISE =
  "(?:great|good|nice|fine|perfect|cool|ok(?:ay)?|alright|got it|i see|understood|excellent|awesome|wonderful|that helps|that(?:'s| is) (?:great|helpful|clear|all)|very helpful|super)";
const PLEASE = "(?:please|kindly|bitte|s'il (?:vous|te) plaît|por favor)";

/** Before a question: "Hi,", "Thanks!", "please", "Could you tell me". Only where something follows. */
const BEFORE: readonly RegExp[] = [
  new RegExp(`^\\s*(?:${GREETING}|${THANKS})\\s*[,.!:;–-]+\\s*(?=\\S)`, "i"),
  new RegExp(
    `^\\s*${GREETING}\\s+(?=(?:what|who|when|where|why|how|which|can|could|is|are|do|does|did|please|tell|i)\\b)`,
    "i",
  ),
  new RegExp(`^\\s*${PRAISE}\\s*[,.!;–-]+\\s*(?=\\S)`, "i"),
  new RegExp(`^\\s*${PLEASE}[,\\s]+(?=\\S)`, "i"),
  /^\s*(?:(?:i have|i've got|just) (?:a|one|another) (?:quick )?question|quick question|one more (?:thing|question))\s*[,.:;!–-]+\s*(?=\S)/i,
  /^\s*(?:(?:can|could|would|will) you (?:please |kindly )?(?:tell|explain to|say to) me|do you (?:happen to )?know|(?:please )?tell me|i(?:'d| would) (?:like|love) to know|i (?:want|need) to know|i(?:'m| am| was) wondering|i wonder)\s*[,:]?\s+(?=(?:what|who|whom|whose|when|where|why|how|which|if|whether)\b)/i,
];

/** After it: "please", "thanks in advance", "if you don't mind". */
const AFTER: readonly RegExp[] = [
  new RegExp(`(?<=\\S)[,\\s]+${PLEASE}\\s*(?=[?.!]*\\s*$)`, "i"),
  new RegExp(`(?<=[?.!…])\\s*${THANKS}\\s*[.!]*\\s*$`, "i"),
  new RegExp(`(?<=\\S)\\s*[,–-]\\s*${THANKS}\\s*(?=[?.!]*\\s*$)`, "i"),
  /(?<=\S)[,\s]+(?:if you (?:don't|do not) mind|if possible)\s*(?=[?.!]*\s*$)/i,
];

/** The text without courtesies; every other word stays as it is. A text that is only courtesy is returned as it came. */
export function withoutPleasantries(text: string): string {
  const trimmed = text.trim();
  let rest = trimmed;
  for (let before = ""; before !== rest;) {
    before = rest;
    for (const pattern of [...BEFORE, ...AFTER]) rest = rest.replace(pattern, "").trim();
  }
  if (rest === "" || rest === trimmed) return trimmed;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

const FAREWELL =
  "(?:bye(?: bye)?|goodbye|see you(?: later| soon)?|good night|have a (?:nice|good|great) (?:day|one|evening|weekend)|tschüss|auf wiedersehen|au revoir|adiós|that(?:'s| is) all(?: for now)?)";
const HOW_ARE_YOU =
  "(?:how are you(?: doing)?(?: today)?|how(?:'s| is) it going|what(?:'s| is) up|nice to meet you|pleased to meet you|wie geht(?:'s| es)(?: dir| ihnen)?|ça va)";
const ACKNOWLEDGEMENT =
  "(?:yes|no|yeah|yep|nope|sure|never ?mind|no worries|you(?:'re| are) welcome|sorry|i'm sorry|test|testing|ping|lol|haha|wow|hm+)";

const PIECE = new RegExp(
  `^(?:${[GREETING, THANKS, PRAISE, PLEASE, FAREWELL, HOW_ARE_YOU, ACKNOWLEDGEMENT].join("|")}|my name is [\\p{L}' -]{1,40}|i(?:'m| am) [\\p{Lu}][\\p{L}' -]{1,40})$`,
  "iu",
);

/** Whether a message is courtesy and nothing else: "Hi!", "Thanks, that helps.", "How are you?" */
export function isSmallTalk(text: string): boolean {
  const pieces = text
    .replace(/\p{Extended_Pictographic}|\uFE0F|[:;]-?[)(DP]/gu, " ")
    .split(/[,.!?;:…–—]+|\s-\s|\band\b/u)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
  return pieces.every((piece) => PIECE.test(piece));
}
