/** "Which is heavier, A or B?" asks for two measures: both are looked up, and who asked compares them. English and German. Pure. */

/** Of a comparative, the question for the measure of one thing. */
const MEASURES: readonly { comparative: RegExp; ask: (thing: string) => string }[] = [
  {
    comparative: /^(?:heavier|lighter|weighs more|weighs less)$/iu,
    ask: (thing) => `How much does ${thing} weigh?`,
  },
  {
    comparative: /^(?:cheaper|more expensive|less expensive|costs more|costs less|more costly)$/iu,
    ask: (thing) => `How much does ${thing} cost?`,
  },
  { comparative: /^(?:older|younger|newer)$/iu, ask: (thing) => `How old is ${thing}?` },
  { comparative: /^(?:taller)$/iu, ask: (thing) => `How tall is ${thing}?` },
  { comparative: /^(?:higher|lower)$/iu, ask: (thing) => `How high is ${thing}?` },
  {
    comparative: /^(?:longer|shorter|takes longer|lasts longer)$/iu,
    ask: (thing) => `How long is ${thing}?`,
  },
  { comparative: /^(?:wider|narrower|broader)$/iu, ask: (thing) => `How wide is ${thing}?` },
  { comparative: /^(?:deeper|shallower)$/iu, ask: (thing) => `How deep is ${thing}?` },
  { comparative: /^(?:faster|slower|quicker)$/iu, ask: (thing) => `How fast is ${thing}?` },
  { comparative: /^(?:larger|bigger|smaller)$/iu, ask: (thing) => `How large is ${thing}?` },
  {
    comparative: /^(?:hotter|colder|warmer|cooler)$/iu,
    ask: (thing) => `What is the temperature of ${thing}?`,
  },
  { comparative: /^(?:schwerer|leichter)$/iu, ask: (thing) => `Wie schwer ist ${thing}?` },
  { comparative: /^(?:teurer|billiger|günstiger)$/iu, ask: (thing) => `Wie viel kostet ${thing}?` },
  { comparative: /^(?:älter|jünger)$/iu, ask: (thing) => `Wie alt ist ${thing}?` },
  { comparative: /^(?:höher|niedriger)$/iu, ask: (thing) => `Wie hoch ist ${thing}?` },
  { comparative: /^(?:länger|kürzer)$/iu, ask: (thing) => `Wie lang ist ${thing}?` },
  { comparative: /^(?:größer|kleiner)$/iu, ask: (thing) => `Wie groß ist ${thing}?` },
  { comparative: /^(?:schneller|langsamer)$/iu, ask: (thing) => `Wie schnell ist ${thing}?` },
];

const COMPARATIVE =
  "(?<comparative>(?:more|less) \\p{L}+|(?:weighs|costs|takes|lasts) \\p{L}+|\\p{L}+er)";
const FORMS: readonly RegExp[] = [
  `^(?:which|what|who)(?: \\p{L}+){0,2}? (?:is|are|was) (?:the )?${COMPARATIVE}(?: one)?\\s*[,:;–-]\\s*(?<a>.+?) (?:or|and) (?<b>.+)$`,
  `^(?:which|what|who)(?: \\p{L}+){0,2}? ${COMPARATIVE}\\s*[,:;–-]\\s*(?<a>.+?) (?:or|and) (?<b>.+)$`,
  `^(?:which|who)(?: one)? of (?<a>.+?) and (?<b>.+?) (?:(?:is|are|was) )?(?:the )?${COMPARATIVE}(?: one)?$`,
  `^(?:is|are|was) (?<a>.+?) ${COMPARATIVE} than (?<b>.+)$`,
  `^(?:was|wer|welche[rs]?)(?: \\p{L}+)? ist ${COMPARATIVE}\\s*[,:;–-]\\s*(?<a>.+?) oder (?<b>.+)$`,
  `^ist (?<a>.+?) ${COMPARATIVE} als (?<b>.+)$`,
].map((form) => new RegExp(form, "iu"));

/**
 * The two questions, or undefined for a question that compares nothing measurable.
 * @example comparedThings("Which is heavier, the stove or the tent?") // ["How much does the stove weigh?", "How much does the tent weigh?"]
 */
export function comparedThings(question: string): [string, string] | undefined {
  const bare = question.trim().replace(/[\s?.!]+$/u, "");
  for (const form of FORMS) {
    const { a, b, comparative } = form.exec(bare)?.groups ?? {};
    const measure = MEASURES.find((each) => each.comparative.test(comparative ?? ""));
    if (a !== undefined && b !== undefined && measure !== undefined)
      return [measure.ask(a.trim()), measure.ask(b.trim())];
  }
  return undefined;
}
