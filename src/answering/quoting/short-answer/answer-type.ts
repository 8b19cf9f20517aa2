/** What kind of thing a question asks for, so that an answer can begin with it. English and a few neighbours; all else is `open`. */
import { analyse } from "../../../text/analyse.js";

export type AnswerKind =
  | "person"
  | "date"
  | "number"
  | "place"
  | "name"
  | "reason"
  | "manner"
  | "list"
  | "yes_no"
  | "open";

export interface ExpectedAnswer {
  kind: AnswerKind;
  /** For numbers the unit that is asked for, as a pattern on the text behind the number; for dates the granularity. */
  measure?:
    | "year"
    | "century"
    | "decade"
    | "day"
    | "month"
    | "percent"
    | "money"
    | "length"
    | "duration"
    | "mass"
    | "temperature";
  /** Terms that only say what kind of thing is asked for ("year", "city", "name"): the answer sentence need not repeat them. */
  typeTerms: string[];
}

interface Rule {
  pattern: RegExp;
  kind: AnswerKind;
  measure?: ExpectedAnswer["measure"];
  /** Words of the question that belong to the type. */
  type?: RegExp;
}

const Q =
  "(?:^|[,;]\\s*|\\b(?:in|on|at|by|for|from|to|of|during|since|until|with|about|and|the)\\s+)";
const rule = (
  pattern: string,
  kind: AnswerKind,
  measure?: ExpectedAnswer["measure"],
  type?: string,
): Rule => ({
  pattern: new RegExp(pattern, "iu"),
  kind,
  ...(measure === undefined ? {} : { measure }),
  ...(type === undefined ? {} : { type: new RegExp(type, "giu") }),
});

/** The first that fits decides. */
const RULES: readonly Rule[] = [
  rule(
    `\\b(?:what|which)\\s+(?:calendar\\s+)?years?\\b|\\bin what years?\\b|\\bwelche[nms]? jahr`,
    "date",
    "year",
    "\\b(?:calendar|years?|jahr)\\b",
  ),
  rule(`\\b(?:what|which)\\s+(?:\\w+\\s+)?century\\b`, "date", "century", "\\bcentury\\b"),
  rule(`\\b(?:what|which)\\s+decade\\b`, "date", "decade", "\\bdecade\\b"),
  rule(
    `\\b(?:what|which)\\s+(?:date|day)\\b|\\bon what (?:date|day)\\b`,
    "date",
    "day",
    "\\b(?:date|day)\\b",
  ),
  rule(`\\b(?:what|which)\\s+month\\b`, "date", "month", "\\bmonth\\b"),
  rule(
    `${Q}(?:when(?!\\s+(?:do|does|can|could|should|would|must|may)\\b)|since when|wann|seit wann|quand|cuándo|cuando|quando|wanneer)\\b|\\bwhat\\s+(?:is|was) the (?:\\w+ )?date\\b`,
    "date",
    undefined,
    "\\bdate\\b",
  ),
  rule(
    `\\b(?:what|which)\\s+(?:percentage|percent|proportion|share|fraction)\\b|\\bwhat (?:is|was) the (?:percentage|percent)\\b|\\bhow many percent`,
    "number",
    "percent",
    "\\b(?:percentage|percent|proportion|share)\\b",
  ),
  rule(
    `\\bhow much (?:money|did .* cost|does .* cost|was .* (?:paid|worth|sold))|\\bwhat (?:is|was) the (?:price|cost|budget|salary|revenue)\\b`,
    "number",
    "money",
    "\\b(?:money|price|cost)\\b",
  ),
  rule(
    `\\bhow (?:tall|high|wide|deep|far|large|big)\\b|\\bwhat (?:is|was) the (?:height|width|depth|distance|elevation)\\b`,
    "number",
    "length",
    "\\b(?:tall|wide|far|deep|large|big|height|distance|width)\\b",
  ),
  rule(
    `\\bhow long\\b|\\bhow old\\b|\\bat what age\\b`,
    "number",
    "duration",
    "\\b(?:long|old|age)\\b",
  ),
  rule(
    `\\bhow (?:hot|cold)\\b|\\bwhat (?:is|was) the (?:\\w+ )?temperature\\b|\\bat what temperature\\b`,
    "number",
    "temperature",
    "\\btemperature\\b",
  ),
  rule(`\\bhow heavy\\b|\\bhow much .* weigh\\b`, "number", "mass", "\\bweighs?\\b"),
  rule(
    `\\bhow (?:many|much|often|fast)\\b|\\b(?:what|which) (?:number|amount|population)\\b|\\bwhat (?:is|was) the (?:number|amount|population|size|rate|speed|area)\\b|\\bwie ?viele?\\b|\\bcombien\\b|\\bcuánt[oa]s?\\b`,
    "number",
    undefined,
    "\\b(?:number|amount|many|much)\\b",
  ),
  rule(
    `${Q}(?:who|whom|whose|wer|wen|wem|qui|quién|quien|chi|quem|wie was)\\b|\\b(?:what|which) (?:person|man|woman|people|king|queen|president|emperor|leader|author|actor|actress|singer|artist|scientist|director|composer|inventor|general|prince|pope|player|architect|engineer|philosopher|writer|physicist|mathematician|minister|explorer|producer|screenwriter)\\b|\\b(?:what|which) (?:is|was) the name of the (?:person|man|woman|king|queen|author|director)`,
    "person",
    undefined,
    "\\b(?:person|man|woman|people|name)\\b",
  ),
  rule(
    `${Q}(?:where|wo|woher|wohin|où|dónde|donde|dove|onde|waar)\\b|\\b(?:what|which) (?:\\w+ )?(?:city|cities|town|village|country|countries|nation|state|county|province|region|continent|place|location|area|river|mountain|island|street|ocean|sea|capital)\\b|\\bwhat (?:is|was) the (?:capital|location)\\b`,
    "place",
    undefined,
    "\\b(?:place|location|country|nation|located)\\b",
  ),
  rule(
    `${Q}(?:why|warum|weshalb|pourquoi|por qué|perché|por que|waarom)\\b|\\bwhat (?:is|was|were|are) the reasons?\\b|\\bfor what reason\\b|\\bhow come\\b`,
    "reason",
    undefined,
    "\\breasons?\\b",
  ),
  rule(
    `\\b(?:list|name|give|what are|which are|what were) (?:all |the )?(?:\\w+ )?(?:two|three|four|five|some|several|steps|ways|types|kinds|options|features|advantages|differences)\\b`,
    "list",
  ),
  rule(
    `\\b(?:what|which) (?:\\w+ )?(?:company|organi[sz]ation|group|team|band|university|school|college|party|book|film|movie|album|song|show|network|newspaper|magazine|language|religion|award|prize|war|battle|act|treaty|law|ship|planet|element|species|agency|church|museum|theat(?:er|re))\\b|\\b(?:what|which) (?:is|was|were|are) the names?\\b|\\bwhat (?:is|was) .* (?:called|named|known as)\\b|^name (?:the|a|an|one)\\b`,
    "name",
    undefined,
    "\\bnames?d?\\b",
  ),
  rule(
    `^(?:how|wie|comment|cómo|come|como|hoe)\\b|\\bhow (?:do|does|did|can|to|is|are|was|were|would|should)\\b`,
    "manner",
  ),
  rule(`^(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should)\\b`, "yes_no"),
];

/** What a question asks for. */
export function expectedAnswer(question: string): ExpectedAnswer {
  const trimmed = question.trim();
  const found = RULES.find(({ pattern }) => pattern.test(trimmed));
  if (found === undefined) return { kind: "open", typeTerms: [] };
  const words =
    found.type === undefined ? [] : [...trimmed.matchAll(found.type)].map((match) => match[0]);
  return {
    kind: found.kind,
    ...(found.measure === undefined ? {} : { measure: found.measure }),
    typeTerms: words.flatMap((word) => analyse(word).map((token) => token.term)),
  };
}

/** Whether a short direct answer may stand first. */
export function wantsDirectAnswer(expected: ExpectedAnswer): boolean {
  return (
    expected.kind === "person" ||
    expected.kind === "date" ||
    expected.kind === "number" ||
    expected.kind === "place" ||
    expected.kind === "name"
  );
}
