/** The kind of quantity that a question clearly asks for, or a person. English, German, French, Spanish and Chinese; nothing where it is not clear. */
import type { QuantityKind } from "./quantity-units.js";

/** "number": any number will do. */
export type AskedKind = QuantityKind | "number" | "person";

interface Rule {
  pattern: RegExp;
  /** Any of them answers. */
  kinds: readonly AskedKind[];
}

const rule = (kinds: readonly AskedKind[], ...patterns: string[]): Rule => ({
  kinds,
  pattern: new RegExp(patterns.join("|"), "iu"),
});

/** "What is the weight of …", "what weight …", "quel est le poids …". */
const whatIs = (nouns: string): string =>
  `\\b(?:what|which)(?:['’]s|\\s+(?:is|are|was|were))?\\s+(?:the\\s+)?(?:(?:total|average|maximum|minimum|mean|max|min|net|gross|exact|approximate|overall|normal|annual|monthly|full|recommended|current)\\s+)*(?:${nouns})\\b(?!\\s+(?:of (?:which|what)|category|class|limit on))`;
/** German, French and Spanish. */
const whatIsElsewhere = (nouns: string): string =>
  `(?<!\\p{L})(?:was ist|welche[nrsm]?|wie (?:hoch|groß) (?:ist|war)|quel(?:le)? (?:est|était|sont)|cuál (?:es|era)|qué)\\s+(?:(?:der|die|das|le|la|l[’']|el)\\s*)?(?:${nouns})(?!\\p{L})`;

/** The first that fits decides. */
const RULES: readonly Rule[] = [
  rule(
    ["age"],
    "\\bhow old\\b",
    "\\b(?:what|which) age\\b",
    whatIs("age"),
    "(?<!\\p{L})wie alt(?!\\p{L})",
    "quel âge",
    "qué edad",
    "cuántos años (?:tiene|tenía)",
    "多大(?:年纪|岁数|了)|几岁|多少岁|年龄|今年多大",
  ),
  rule(
    ["frequency"],
    "\\bhow (?:often|frequently|regularly)\\b",
    "\\bhow many times (?:a|per|each|every)\\b",
    "(?<!\\p{L})wie (?:oft|häufig)(?!\\p{L})",
    "(?:à quelle fréquence|combien de fois)",
    "(?:con qué frecuencia|cuántas veces)",
    "多久一次|[几多]少?次",
  ),
  rule(
    ["mass"],
    "\\bhow (?:heavy|much (?:do|does|did|can|would|will)\\b.*\\bweigh)\\b",
    whatIs("(?:body )?weight|mass"),
    "\\bwhat (?:do|does|did)\\b.*\\bweigh\\b",
    "(?<!\\p{L})(?:wie schwer|wie ?viel (?:wiegt|wiegen|wog)|was (?:wiegt|wiegen|wog))(?!\\p{L})",
    "(?<!\\p{L})combien p[eè]s",
    "cuánto pes",
    whatIsElsewhere("gewicht|poids|peso"),
    "多重|重多少|重量",
  ),
  rule(
    ["money"],
    "\\bhow much\\b(?!.*\\b(?:weigh|increase|rise|rose|risen|grow|grew|grown|drop|fall|fell|fallen|decrease|decline|change)).*\\b(?:cost|costs|money|pay|paid|charge|charged|earn|earns|price|fee)\\b",
    "\\bhow (?:expensive|costly)\\b",
    "\\bwhat (?:do|does|did)\\b.*\\b(?:cost|costs)\\b",
    whatIs("price|cost|costs|fee|salary|budget|rent|entry fee|admission fee|ticket price"),
    "(?<!\\p{L})(?:(?:wie ?viel|was) (?:kostet|kosten|kostete)|wie teuer|wie ?viel geld)(?!\\p{L})",
    "(?<!\\p{L})combien (?:coûte|d[’']argent|vaut)",
    "cuánto (?:cuesta|cuestan|vale|costó)",
    whatIsElsewhere("preis|gehalt|prix|salaire|tarif|precio|salario"),
    "多少钱|多少元|价格|工资",
  ),
  rule(
    ["percent"],
    "\\b(?:what|which) (?:percentage|percent|proportion|fraction|share) of\\b",
    "\\bhow many percent\\b",
    whatIs("percentage|proportion"),
    "(?<!\\p{L})(?:wie ?viel(?:e)? prozent|welcher (?:anteil|prozentsatz))(?!\\p{L})",
    "quel pourcentage|qué porcentaje",
    "百分之几|百分之多少|比例",
  ),
  rule(
    ["temperature"],
    "\\bhow (?:hot|cold|warm)\\b",
    "\\b(?:at|to|in|of) what temperature\\b",
    "\\bwhat temperature\\b",
    whatIs("temperature"),
    "(?<!\\p{L})wie (?:heiß|kalt|warm)(?!\\p{L})",
    whatIsElsewhere("temperatur|température|temperatura"),
    "温度|多少度|多热",
  ),
  rule(
    ["speed", "duration"],
    "\\bhow (?:fast|quick|quickly)\\b",
    whatIs("(?:top |maximum )?speed|velocity"),
    "(?<!\\p{L})wie schnell(?!\\p{L})",
    whatIsElsewhere("geschwindigkeit|vitesse|velocidad"),
    "多快|速度|时速",
  ),
  rule(
    ["area"],
    "\\bwhat(?:['’]s|\\s+(?:is|was))\\s+(?:the|its)\\s+(?:(?:surface|floor|total|land)\\s+)*area\\b",
    "\\bwhat area\\b.*\\b(?:cover|occup|span)",
    "\\bhow (?:large|big) (?:an area|is the area)\\b",
    whatIsElsewhere("fläche|superficie"),
    "面积",
  ),
  rule(
    ["length"],
    "\\bhow (?:tall|wide|deep|thick|far)\\b",
    whatIs("height|width|depth|thickness|diameter|length|wingspan"),
    "(?<!\\p{L})wie (?:breit|tief|dick|weit)(?!\\p{L})",
    "(?:quelle (?:hauteur|largeur|longueur|profondeur))",
    whatIsElsewhere(
      "höhe|breite|länge|tiefe|hauteur|largeur|longueur|profondeur|altura|anchura|longitud|profundidad",
    ),
    "多高|多宽|多深|多厚|多远|高度|宽度|深度|海拔",
  ),
  rule(
    ["length", "duration"],
    "\\bhow long\\b",
    "(?<!\\p{L})wie lange?(?!\\p{L})",
    "combien de temps|cuánto tiempo|cuánto dura",
    "多长|多久",
  ),
  rule(
    ["number"],
    "\\bhow (?:many|much|high|large|big)\\b",
    "(?<!\\p{L})wie ?(?:viele?|hoch|groß)(?!\\p{L})",
    "(?<!\\p{L})combien(?!\\p{L})",
    "(?<!\\p{L})cuánt[oa]s?(?!\\p{L})",
    "多少|几[个名位人天年条只次]|多大",
  ),
  rule(
    ["person"],
    "(?:^|[,;]\\s*|\\b(?:by|for|from|to|of|with|and)\\s+)who(?:m|se)?\\b(?!\\s+(?:are|is)\\s+you\\b)",
    "^(?:wer|wen|wem|wessen|qui|quién|quiénes)(?!\\p{L})",
    "谁",
  ),
];

/** A question is read up to here, in characters: some patterns look ahead from each of many beginnings. */
const READ_AT_MOST = 1_000;

/** What the question clearly asks for; empty where it asks for something else, or may. */
export function askedKinds(question: string): readonly AskedKind[] {
  const read = question.slice(0, READ_AT_MOST);
  return RULES.find(({ pattern }) => pattern.test(read))?.kinds ?? [];
}
