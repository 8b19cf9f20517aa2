/** Questions about the knowledge base itself: which documents there are, what can be asked. They have to be the whole message. Pure. */

const THINGS =
  "(?:documents?|docs|files|sources|papers|pdfs|books|texts|materials?|data|content|information|topics?|subjects?)";
const STORE =
  "(?:knowledge ?base|index|collection|library|database|corpus|store|document collection|memory)";

const PATTERNS: readonly RegExp[] = [
  new RegExp(
    `^(?:what|which) (?:kinds? of |sort of |type of )?${THINGS} (?:do you|can you|have you|did you|are you)\\b(?: (?:currently|already|all))?(?: (?:have|hold|know|contain|cover|use|search|read|answer|see|access|got|indexed|loaded|ingested|trained on|based on|working with|familiar with|able to search|able to access))(?: (?:about|access to|on|from|in|loaded|indexed|knowledge (?:of|about)|information (?:on|about)|questions (?:on|about)))?(?: (?:your|the) ${STORE})?$`,
    "i",
  ),
  new RegExp(
    `^(?:what|which) ${THINGS} (?:are|is) (?:there|available|indexed|loaded|ingested)(?: (?:in|to) (?:(?:your|the|this) ${STORE}|you|me))?$`,
    "i",
  ),
  new RegExp(`^(?:what|which) ${THINGS} (?:are|is) in (?:your|the|this) ${STORE}$`, "i"),
  new RegExp(`^what(?:['’]s| is) in (?:your|the|this) ${STORE}$`, "i"),
  new RegExp(`^what(?:['’]s| is| are) your (?:sources?|documents|${STORE})(?: about)?$`, "i"),
  new RegExp(
    `^what (?:does|do) (?:your|the|this|these) (?:${STORE}|documents) (?:contain|hold|cover|know)$`,
    "i",
  ),
  new RegExp(
    `^how (?:many|much) ${THINGS} (?:(?:do|have|can) you (?:have|hold|know|got|indexed|search|contain)|(?:are|is) (?:there )?(?:in (?:your|the|this) ${STORE}|indexed|loaded|available))$`,
    "i",
  ),
  new RegExp(
    `^(?:list|show(?: me)?|name|give me(?: a list of)?) (?:all )?(?:of )?(?:your|the available|the indexed|available) ${THINGS}$`,
    "i",
  ),
  // "Could you tell me which files you have?", the beginning taken away.
  new RegExp(
    `^(?:what|which) ${THINGS} (?:you|there) (?:have|know|hold|are|can search|can read)(?: in (?:your|the) ${STORE})?$`,
    "i",
  ),
  /^what (?:can|could|may|should) i ask(?: you)?(?: (?:about|here))?$/i,
  /^what (?:kinds? of |sort of )?questions can (?:i ask(?: you)?|you answer)$/i,
  /^what (?:do|can) you (?:know|tell me)(?: about)?$/i,
  /^(?:welche|was für) (?:dokumente|dateien|unterlagen|quellen|texte|daten|themen) (?:hast du|habt ihr|haben sie|kennst du|kennen sie|gibt es|durchsuchst du|sind (?:da|vorhanden|verfügbar|enthalten))(?: (?:hier|in (?:der|deiner) wissensdatenbank))?$/i,
  /^(?:was kann ich (?:dich |sie |euch |hier )?(?:alles )?fragen|was weißt du(?: alles)?|was ist in (?:der|deiner) wissensdatenbank|wie viele (?:dokumente|dateien) (?:hast du|gibt es))$/i,
  /^(?:quels (?:documents|fichiers) (?:as-tu|avez-vous|connais-tu|connaissez-vous)|que puis-je (?:te |vous )?demander|quelles sont (?:tes|vos) sources)$/i,
  /^¿?(?:qué (?:documentos|archivos|fuentes) (?:tienes|tiene|hay|conoces)|qué (?:te )?puedo preguntar(?:te)?|cuántos documentos (?:tienes|hay))$/i,
  /^(?:你|您|知识库里?|这里)?(?:都)?有(?:哪些|什么)(?:文档|文件|资料)$|^(?:我)?(?:可以|能)问(?:你|您)?(?:些)?什么(?:问题)?$|^知识库(?:里|中)?有(?:什么|哪些)(?:内容)?$/u,
];

/** `said`: without courtesies and the mark at its end. */
export function asksAboutHoldings(said: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(said));
}
