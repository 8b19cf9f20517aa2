/**
 * Fixed phrases that are understood without a model, as parts of regular expressions, by language.
 * They are formulas that people use word for word; what they mean in a sentence is not guessed.
 */
export interface Phrases {
  readonly greeting: string;
  readonly thanks: string;
  readonly please: string;
  /** Courtesies that are whole messages: praise, farewells, acknowledgements. */
  readonly courtesy: string;
  /** Before an indirect question: "could you tell me". */
  readonly asking: string;
  /** Whole questions about the agent, its documents and the conversation. */
  readonly aboutAgent: string;
  readonly aboutHoldings: string;
  readonly aboutConversation: string;
  /** Words that tie an answer to the day on which it is asked. */
  readonly timeBound: string;
}

const THINGS =
  "(?:documents?|docs|files|sources|papers|pdfs|books|texts|materials?|data|content|information|topics?|subjects?)";
const STORE = "(?:knowledge ?base|index|collection|library|database|corpus)";

const ENGLISH: Phrases = {
  greeting:
    "(?:hi|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day))(?: there| all)?",
  thanks:
    "(?:many )?thanks?(?: you)?(?: (?:so|very) much| a lot)?(?: (?:in advance|for (?:your|the) help))?|thx|cheers",
  please: "please|kindly",
  courtesy:
    "great|good|nice|fine|perfect|cool|ok(?:ay)?|got it|i see|understood|excellent|awesome|that helps|that(?:'s| is) (?:great|helpful|all)" +
    "|bye|goodbye|see you(?: later)?|good night|how are you(?: doing)?(?: today)?|nice to meet you|yes|no|sure|never ?mind|sorry|test" +
    "|my name is [\\p{L}' -]{1,40}",
  asking:
    "(?:can|could|would|will) you (?:please )?(?:tell|explain to) me|do you know|tell me|i(?:'d| would) like to know|i (?:want|need) to know|i wonder",
  aboutAgent:
    "(?:who|what) are you|what(?:'s| is) your name|are you (?:an? )?(?:bot|robot|human|person|ai|machine)|(?:what|how) can you (?:do|help)(?: me)?|how do you work|help(?: me)?",
  aboutHoldings:
    `(?:what|which) ${THINGS} (?:do|can|have|did|are)?\\s?you (?:currently )?(?:have|hold|know|contain|search|read|indexed|loaded)(?: about)?(?: (?:in|from) your ${STORE})?` +
    `|(?:what|which) ${THINGS} (?:are|is) (?:there|available|indexed|loaded|in (?:your|the|this) ${STORE})|what(?:'s| is) in (?:your|the) ${STORE}` +
    `|how many ${THINGS} (?:do you have|are (?:there )?(?:in (?:your|the) ${STORE}|indexed|loaded))|(?:list|show(?: me)?) (?:all )?your ${THINGS}|what can i ask(?: you)?(?: about)?`,
  aboutConversation:
    "what (?:did|have) (?:i|we) (?:just |already )?(?:ask(?:ed)?|said|say|talked? about|discuss(?:ed)?)(?: (?:before|so far))?|what (?:was|were) (?:my|our) (?:last|first|previous) (?:question|message)s?" +
    "|what did you (?:just )?(?:say|answer)|(?:can you )?(?:repeat|say) (?:that|your (?:last )?answer)(?: again)?|summari[sz]e (?:our|this) (?:conversation|chat)|what(?:'s| is) my name",
  timeBound:
    "today|tonight|tomorrow|yesterday|right now|at the moment|currently|latest|newest|most recent|recently|this (?:morning|week|month|quarter|year|season)|last (?:night|week|month)" +
    "|current (?!account|assets?|source|directory|working)\\p{L}+|who is (?:the )?(?:president|prime minister|chancellor|ceo|mayor|pope|king|queen) of|weather|forecast|exchange rate|(?:stock|share|oil|gold|bitcoin) prices?|news|headlines",
};

const GERMAN: Phrases = {
  greeting: "hallo|guten (?:tag|morgen|abend)|moin",
  thanks: "(?:vielen |besten )?dank(?:e)?(?: schön| sehr)?(?: im voraus)?",
  please: "bitte",
  courtesy: "super|verstanden|alles klar|tschüss|auf wiedersehen|wie geht(?:'s| es dir)|ja|nein",
  asking: "(?:kannst du|können sie) mir (?:bitte )?sagen|weißt du|sag mir",
  aboutAgent: "wer bist du|was kannst du(?: tun)?",
  aboutHoldings:
    "(?:welche|was für) (?:dokumente|dateien|quellen|themen) (?:hast du|kennst du|gibt es)|was kann ich (?:dich )?fragen|wie viele (?:dokumente|dateien) (?:hast du|gibt es)",
  aboutConversation: "was habe ich (?:vorhin |zuvor )?gefragt|wie heiße ich",
  timeBound: "heute|gestern|derzeit|momentan|aktuelle\\p{L}*|neueste[nrms]?|diese (?:woche|saison)",
};

const FRENCH: Phrases = {
  greeting: "bonjour|salut",
  thanks: "merci(?: beaucoup)?",
  please: "s'il (?:vous|te) plaît",
  courtesy: "d'accord|parfait|au revoir|ça va|oui|non",
  asking: "(?:peux-tu|pouvez-vous) me dire|sais-tu|savez-vous|dis-moi|dites-moi",
  aboutAgent: "qui (?:es-tu|êtes-vous)|que (?:peux-tu|pouvez-vous) faire",
  aboutHoldings:
    "quels (?:documents|fichiers) (?:as-tu|avez-vous)|que puis-je (?:te |vous )?demander",
  aboutConversation: "qu'ai-je demandé(?: avant)?",
  timeBound:
    "aujourd['’]hui|hier soir|actuel(?:le)?(?:ment)?s?|en ce moment|cette (?:semaine|année)",
};

const SPANISH: Phrases = {
  greeting: "hola|buenos días|buenas tardes",
  thanks: "(?:muchas )?gracias",
  please: "por favor",
  courtesy: "perfecto|vale|adiós|hasta luego|sí",
  asking: "(?:puedes|podría) decirme|sabes|dime",
  aboutAgent: "¿?quién eres|¿?qué puedes hacer",
  aboutHoldings:
    "¿?qué (?:documentos|archivos) (?:tienes|hay)|¿?qué (?:te )?puedo preguntar(?:te)?",
  aboutConversation: "¿?qué (?:te )?he preguntado(?: antes)?",
  timeBound: "hoy|ayer|actualmente|ahora mismo|esta semana|este (?:mes|año)",
};

const CHINESE: Phrases = {
  greeting: "你好|您好",
  thanks: "谢谢|多谢",
  please: "请",
  courtesy: "好的|再见|明白了",
  asking: "请问|请告诉我",
  aboutAgent: "你是谁|你(?:能|会)做什么",
  aboutHoldings:
    "(?:你|您|知识库里?)?有(?:哪些|什么)(?:文档|文件|资料)|我?(?:可以|能)问(?:你)?什么",
  aboutConversation: "我刚才问了什么",
  timeBound: "今天|今日|昨天|明天|现在|目前|最新|本周|今年",
};

const LANGUAGES = [ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE];

/** The phrases of one kind in all languages, as one group. */
export function anyOf(...kinds: readonly (keyof Phrases)[]): string {
  return `(?:${LANGUAGES.flatMap((language) => kinds.map((kind) => language[kind])).join("|")})`;
}
