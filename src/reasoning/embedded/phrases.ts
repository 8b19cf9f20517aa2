/**
 * Set phrases of English, German, French, Spanish and Chinese that are understood without a model, as
 * parts of regular expressions. The meaning of other sentences is not guessed.
 */
import { wordsOf } from "../../text/words.js";

const THINGS =
  "(?:documents?|docs|files|sources|papers|pdfs|books|texts|materials?|data|content|information|topics?|subjects?)";
const STORE = "(?:knowledge ?base|index|collection|library|database|corpus)";

const PHRASES = {
  greeting: [
    "(?:hi|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day))(?: there| all)?",
    "hallo|guten (?:tag|morgen|abend)|moin|bonjour|salut|hola|buenos días|buenas tardes|你好|您好",
  ],
  thanks: [
    "(?:many )?thanks?(?: you)?(?: (?:so|very) much| a lot)?(?: (?:in advance|for (?:your|the) (?:help|answer)))?|thx|cheers",
    "(?:vielen |besten )?dank(?:e)?(?: schön| sehr)?(?: im voraus)?|merci(?: beaucoup)?|(?:muchas )?gracias|谢谢|多谢",
  ],
  please: ["please|kindly|bitte|s'il (?:vous|te) plaît|por favor|请"],
  courtesy: [
    "great|good|nice|fine|perfect|cool|ok(?:ay)?|got it|i see|understood|excellent|awesome|that helps|that(?:'s| is) (?:great|helpful|all)",
    "bye|goodbye|see you(?: later)?|good night|how are you(?: doing)?(?: today)?|nice to meet you|yes|no|sure|never ?mind|sorry|test",
    "my name is [\\p{L}' -]{1,40}|super|verstanden|alles klar|tschüss|auf wiedersehen|wie geht(?:'s| es dir)|ja|nein",
    "d'accord|parfait|au revoir|ça va|oui|non|perfecto|vale|adiós|hasta luego|sí|好的|再见|明白了",
  ],
  /** Before an indirect question. */
  asking: [
    "(?:can|could|would|will) you (?:please )?(?:tell|explain to) me|do you know|tell me|i(?:'d| would) like to know|i (?:want|need) to know|i wonder",
    "(?:kannst du|können sie) mir (?:bitte )?sagen|weißt du|sag mir|(?:peux-tu|pouvez-vous) me dire|sais-tu|savez-vous|dis-moi|dites-moi",
    "(?:puedes|podría) decirme|sabes|dime|请问|请告诉我",
  ],
  aboutAgent: [
    "(?:who|what) are you|what(?:'s| is) your name|are you (?:an? )?(?:bot|robot|human|person|ai|machine)|(?:what|how) can you (?:do|help)(?: me)?|how do you work|help(?: me)?",
    "wer bist du|was kannst du(?: tun)?|qui (?:es-tu|êtes-vous)|que (?:peux-tu|pouvez-vous) faire|¿?quién eres|¿?qué puedes hacer|你是谁|你(?:能|会)做什么",
  ],
  aboutHoldings: [
    `(?:what|which) ${THINGS} (?:do|can|have|did|are)?\\s?you (?:currently )?(?:have|hold|know|contain|search|read|indexed|loaded)(?: about)?(?: (?:in|from) your ${STORE})?`,
    `(?:what|which) ${THINGS} (?:are|is) (?:there|available|indexed|loaded|in (?:your|the|this) ${STORE})|what(?:'s| is) in (?:your|the) ${STORE}`,
    `how many ${THINGS}(?: do you have| are(?: there)?(?: in (?:your|the) ${STORE}| indexed| loaded)?)?|(?:list|show(?: me)?) (?:all )?(?:(?:your|my|the) )?${THINGS}|what can i ask(?: you)?(?: about)?`,
    "(?:welche|wie viele) (?:dokumente|dateien|quellen|themen) (?:hast du|kennst du|gibt es)|quels (?:documents|fichiers) (?:as-tu|avez-vous)",
    "¿?qué (?:documentos|archivos) (?:tienes|hay)|(?:你|您|知识库里?)?有(?:哪些|什么)(?:文档|文件|资料)",
  ],
  aboutConversation: [
    "what (?:did|have) (?:i|we) (?:just |already )?(?:ask(?:ed)?|said|say|talked? about|discuss(?:ed)?)(?: you)?(?: (?:before|so far))?|what (?:was|were) (?:my|our) (?:last|first|previous) (?:question|message)s?",
    "what did you (?:just )?(?:say|answer)|(?:can you )?(?:repeat|say) (?:that|your (?:last )?answer)(?: again)?|was habe ich (?:vorhin |zuvor )?gefragt|qu'ai-je demandé(?: avant)?|¿?qué (?:te )?he preguntado(?: antes)?|我刚才问了什么",
  ],
  /** Words that tie an answer to the day on which it is asked. */
  timeBound: [
    "today|tonight|tomorrow|yesterday|right now|at the moment|currently|latest|newest|most recent|recently|this (?:morning|week|month|quarter|year|season)|last (?:night|week|month)",
    "current (?!account|assets?|source|directory|working)\\p{L}+|who is (?:the )?(?:president|prime minister|chancellor|ceo|mayor|pope|king|queen) of|weather|forecast|exchange rate|(?:stock|share|oil|gold|bitcoin) prices?|news|headlines",
    "heute|gestern|derzeit|momentan|aktuelle\\p{L}*|neueste[nrms]?|diese (?:woche|saison)|aujourd['’]hui|hier soir|actuel(?:le)?(?:ment)?s?|en ce moment|cette (?:semaine|année)",
    "hoy|ayer|actualmente|ahora mismo|esta semana|este (?:mes|año)",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type PhraseKind = keyof typeof PHRASES;

export function anyOf(...kinds: readonly PhraseKind[]): string {
  return `(?:${kinds.flatMap((kind) => PHRASES[kind]).join("|")})`;
}

const QUESTION_WORD =
  "(?:what|who|whom|whose|when|where|why|how|which|if|whether|is|are|can|do|does)\\b";

/** Courtesies before a question, if anything follows, and after it. */
const COURTESIES = [
  `^\\s*${anyOf("greeting", "thanks", "courtesy")}\\s*[,.!:;–，。！-]+\\s*(?=\\S)`,
  `^\\s*${anyOf("greeting")}\\s+(?=${QUESTION_WORD}|please\\b|tell\\b)`,
  `^\\s*${anyOf("please")}(?![\\p{L}\\p{N}])[,\\s]+(?=\\S)`,
  `^\\s*${anyOf("asking")}\\s*[,:]?\\s+(?=${QUESTION_WORD})`,
  `(?<=\\S)[,\\s]+${anyOf("please")}\\s*(?=[?.!]*\\s*$)`,
  `(?<=[?.!…–,-])\\s*${anyOf("thanks")}\\s*[.!]*\\s*$`,
].map((pattern) => new RegExp(pattern, "iu"));

const MAX_CHARACTERS = 2_000;

/** Strips courtesies; a text of nothing else is returned unchanged. */
export function withoutCourtesies(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > MAX_CHARACTERS) return trimmed;
  let rest = trimmed;
  for (let before = ""; before !== rest;) {
    before = rest;
    for (const pattern of COURTESIES) rest = rest.replace(pattern, "").trim();
  }
  return wordsOf(rest).length === 0 || rest === trimmed ? trimmed : capitalized(rest);
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const COURTESY = new RegExp(
  `^${anyOf("greeting", "thanks", "please", "courtesy")}(?:\\s+|$)`,
  "iu",
);

/** Tells messages like "Hi!", "Thanks, that helps." and "🙂". */
export function isSmallTalk(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false;
  return text
    .replace(/\p{Extended_Pictographic}|\uFE0F|[:;]-?[)(DP]/gu, " ")
    .split(/[,.!?;:…–—，。！？]+|\s-\s|\band\b/u)
    .every((piece) => {
      let rest = piece.trim();
      for (let before = ""; before !== rest; rest = rest.replace(COURTESY, "")) before = rest;
      return rest === "";
    });
}
