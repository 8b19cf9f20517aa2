/** What kind of thing would answer a question. `open` where nothing narrows it down. */
export type AnswerType =
  "person" | "place" | "date" | "number" | "name" | "definition" | "reason" | "open";

/** Tried in order, on the lower-cased question. English first, then the same question words in the languages of the project's own tests. */
const TYPES: readonly (readonly [RegExp, AnswerType])[] = [
  [
    /\bwhen\b|\b(?:what|which)\s+(?:\w+\s+)?(?:year|date|day|month|century|decade|time)\b|\bin (?:what|which) year\b|\bhow old\b/u,
    "date",
  ],
  [
    /\bhow (?:many|much|long|far|tall|high|big|large|deep|wide|heavy|fast|often|hot|cold)\b|\b(?:what|which)\s+(?:is|was|are|were)?\s*(?:the\s+)?(?:\w+\s+)?(?:number|population|percentage|amount|height|length|distance|cost|price|area|size|weight|speed|temperature|rate|value|score)\b/u,
    "number",
  ],
  [
    /\bwhere\b|\b(?:what|which)\s+(?:\w+\s+){0,2}(?:city|country|state|place|town|county|continent|river|island|village|region|province|capital|location|mountain|nation)\b/u,
    "place",
  ],
  [
    /\bwho(?:m|se)?\b|\b(?:what|which)\s+(?:\w+\s+){0,2}(?:actor|actress|author|singer|president|king|queen|player|person|man|woman|writer|director|artist|scientist|composer|poet|painter)\b/u,
    "person",
  ],
  [
    /\bwhy\b|\bhow (?:do|does|did|can|could|is|are|was|were|to|come|should|would)\b|\bwarum\b|\bwieso\b|لماذا|كيف|为什么|怎么|如何|怎样/u,
    "reason",
  ],
  [
    /\bwhat(?:'s| is| are| was| were| does| do| did)\b.*\b(?:mean|definition|stand for)\b|^(?:what|who)(?:'s| is| are)\s+(?:an?\s+)?(?!.*(?:['’]s?\s|\bof\b|\bname\b))[\p{L}\p{N}'’ -]{2,30}\??$/u,
    "definition",
  ],
  [
    /\bwhich\b|\bwhat\b|\bname (?:the|a|of)\b|\bwelche[rsmn]?\b|\bwas (?:ist|sind|war)\b|什么|哪个|哪一|أي|\bquel(?:le)?s?\b|\bqué\b|\bcuál\b/u,
    "name",
  ],
  [/\bwann\b|متى|何时|什么时候|哪一年|哪年|\bcuándo\b|\bquand\b|いつ/u, "date"],
  [
    /\bwie ?(?:viele?|hoch|schwer|lange?|alt|groß|weit|breit|tief|teuer|schnell|oft|häufig|dick|heiß|warm|kalt)(?!\p{L})|كم|多少|几个|\bcuánt[oa]s?\b|\bcombien\b/u,
    "number",
  ],
  [/\bwo(?:her|hin)?\b|أين|اين|哪里|哪儿|在哪|\bdónde\b|\boù\b|どこ/u, "place"],
  [/\bwer\b|\bwem\b|\bwen\b|\bwessen\b|من هو|من هي|谁|\bquién\b|\bqui\b|誰|だれ/u, "person"],
];

/** Narrower question words of other languages are looked at before the broad "what" and "which". */
const ORDER = [7, 8, 9, 10, 0, 1, 2, 3, 4, 5, 6]
  .map((index) => TYPES[index])
  .filter((entry) => entry !== undefined);

/**
 * The kind of answer that a question expects. The question word that comes first decides: in "Which order fled when the abbey was sacked?"
 * the "when" asks for nothing.
 *
 * The answers have a finer reading of their own (`answering/answer-type.ts`: units, lists, yes or no). It is not used here: the judge has to
 * tell definitions, of which the answers know nothing, and its weights were fitted to these kinds.
 */
export function expectedAnswerType(question: string): AnswerType {
  const plain = question.toLowerCase();
  let first: { type: AnswerType; at: number } = { type: "open", at: Infinity };
  for (const [pattern, type] of ORDER) {
    const at = pattern.exec(plain)?.index ?? Infinity;
    if (at < first.at) first = { type, at };
  }
  return first.type;
}

/** Nouns that name the kind of answer and need not stand beside it: "what year", "which city". Stems. */
export const TYPE_NOUNS: ReadonlySet<string> = new Set(
  (
    "year date day month time number amount name kind type sort person place citi countri town state nation term word titl mani much long old far tall averag " +
    "hoch schwer weit breit tief teuer schnell haufig"
  ).split(" "),
);
