/** What makes a count a quantity of a kind, as patterns for text in small letters. */

export type QuantityKind =
  | "length"
  | "area"
  | "volume"
  | "mass"
  | "temperature"
  | "speed"
  | "duration"
  | "frequency"
  | "percent"
  | "money"
  | "age";

const TIME =
  "(?:milli|micro|nano)?seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|weekends?|months?|years?|decades?|century|centuries|" +
  "(?:milli)?sekunden?|minuten?|stunden?|tag(?:e[ns]?)?|nächte|wochen?|monat(?:e[ns]?)?|jahr(?:e[ns]?|zehnte?n?|hunderte?n?)?|" +
  "secondes?|heures?|jours?|semaines?|mois|ans?|années?|siècles?|segundos?|minutos?|horas?|días?|semanas?|mes(?:es)?|años?|siglos?";
const OFTEN = `${TIME}|mornings?|evenings?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring|summer|autumn|winter|season|quarter|morgen|abend`;
const METRES =
  "(?:kilo|centi|zenti|milli|mili|micro|nano|kiló|centí|milí)?(?:met(?:re|er)s?|metern?|mètres?|metros?)";
const DISTANCE = `${METRES}|km|cm|dm|mm|µm|μm|nm|m|miles?|meilen?|millas?|feet|foot|ft|inch(?:es)?|yards?|light-?years?|lichtjahre?|storeys?|stories`;
const HAN_TIME = "秒|分钟|小时|天|周|星期|月|年|世纪|日";

/** What stands behind a count. */
const UNITS: Readonly<Record<QuantityKind, string>> = {
  length: DISTANCE,
  area:
    `(?:square|sq\\.?)[\\s-](?:${DISTANCE})|acres?|hectares?|ha|hektar|quadrat(?:kilo|zenti)?metern?|` +
    `(?:${METRES}) (?:carrés?|cuadrados?)|hectáreas?|[kcm]?m(?:²|2)`,
  volume:
    "(?:milli|centi|deci|mega|hecto)?lit(?:re|er)s?|litern?|litros?|ml|cl|l|gallons?|pints?|quarts?|cups?|barrels?|fluid ounces?|" +
    "cubic [a-z]+|kubik[a-z]+|[kcm]?m(?:³|3)|m[eè]tres cubes|metros cúbicos",
  mass:
    "(?:kilo|milli|mili|micro|mega)?gram(?:me|m|o)?s?|kilos?|kg|mg|µg|g|t|tonn?(?:e[ns]?|s)?|tonnen|toneladas?|pounds?|lbs?|ounces?|oz|stones?|" +
    "pfund|carats?",
  temperature:
    "°\\s?[cfk]|degrees?(?: (?:celsius|fahrenheit|c|f))?|°|kelvin|grad(?: celsius)?|degrés?|grados?",
  speed:
    "km/h|kmh|kph|mph|m/s|kn|knots?|knoten|nœuds?|nudos?|stundenkilometern?|[kmg]?bit/s|[kmg]bps|rpm|" +
    `(?:[\\p{L}]+\\s){1,2}(?:per|an?|each|every|pro|par|por|in der|al?)\\s(?:${TIME})`,
  duration: `${TIME}|s|h|ms`,
  frequency:
    `(?<period>${OFTEN})|(?:times|mal|fois|veces|vez)(?:\\s(?:in\\s)?(?:an?|per|each|every|in|pro|am|im|par|al?|por)\\s(?:[\\p{L}\\d]+\\s)?(?:${OFTEN})|` +
    `\\s(?:daily|weekly|monthly|yearly|annually))?|(?:(?!(?:${DISTANCE})\\s)\\p{L}+\\s)?(?:per|an?|pro|par|por)\\s(?:${OFTEN})`,
  percent: "%|per ?cent|percentage points?|prozent|pour cent|por ciento|‰",
  money: "[$€£¥]|pence|cents?|crowns?|kron(?:or|er)|franken|roubles?|reais",
  age: `(?:days?|weeks?|months?|years?|centuries|jahr(?:e[ns]?|hunderte?)?|monate?n?|tage?n?|wochen?|ans?|mois|años?|meses)(?:[\\s-]old|\\salt)?(?!\\p{L}|\\s(?:ago|later|before|after|earlier|später|zuvor))|jährige?[nrms]?`,
};
const HAN_UNITS: Readonly<Partial<Record<QuantityKind, string>>> = {
  length: "公里|千米|厘米|毫米|米|英里|英尺|里",
  area: "平方(?:公里|千米|厘米|米|英里)|公顷|亩",
  volume: "立方(?:厘米|米)|毫升|升",
  mass: "公斤|千克|毫克|克|吨|斤",
  temperature: "摄氏度|华氏度|度|℃",
  duration: HAN_TIME,
  frequency: "次",
  money: "元|块|美元|欧元|英镑|日元|人民币",
  age: "岁",
};

/** What is no count with a unit. */
const ALONE: Readonly<Partial<Record<QuantityKind, readonly string[]>>> = {
  money: [
    "(?:us|a|c)?[$€£¥]\\s?\\d+(?:[.,]\\d+)*(?:\\s?(?:thousand|[mbt]r?illion))?|(?:usd|eur|gbp|chf)\\s?\\d+(?:[.,]\\d+)*",
    "(?<![a-z])(?:free of charge|for free|free|no charge|costs nothing|pay nothing|kostenlos|kostenfrei|gratis|gratuite?s?|gratuito)(?![a-z])|免费|免票",
  ],
  percent: [
    "(?<![a-z])(?:(?:a|one|two|three|four|five|nine)[\\s-](?:half|thirds?|quarters?|fifths?|sixths?|eighths?|tenths?)|one in [a-z]+|half|\\d+ (?:out )?of (?:the |every )?\\d+|" +
      "hälfte|(?:ein |zwei |drei )?(?:drittel|viertel)|la moitié|la mitad)(?!\\p{L})|百分之[\\d一二三四五六七八九十百.]+",
  ],
  speed: ["(?<![a-z])mach \\d[\\d.]*", "每(?:秒|分钟|小时|天|年)\\D{0,4}\\d+\\p{Script=Han}+"],
  frequency: [
    `(?<!\\p{L})(?:every|each|jede[nrsm]?|alle|tou(?:te)?s les|chaque|cada|todos los|todas las)\\s(?:other\\s|single\\s|few\\s|second\\s|third\\s|fourth\\s)?(?:${OFTEN})(?!\\p{L})`,
    "(?<![a-z])(?:after|before|with|at)\\s(?:every|each)\\s[a-z]+",
    `(?<!\\p{L})(?:once|twice|thrice|(?:ein|zwei|drei|vier|fünf|sechs|zehn|mehr)mal)(?:\\s(?:in\\s)?(?:an?|per|each|every|in|pro|am|im)\\s(?:[\\p{L}\\d]+\\s)?(?:${OFTEN})|\\s(?:daily|weekly|monthly|yearly|annually))?(?!\\p{L})`,
    "(?<!\\p{L})(?:(?:bi-?|semi-?)?(?:hourly|daily|nightly|weekly|monthly|quarterly|yearly|annual(?:ly)?)|(?:halb|viertel)?(?:stündlich|täglich|wöchentlich|monatlich|jährlich)[a-z]{0,2}|" +
      "quotidienne?s?|hebdomadaires?|mensuel(?:le)?s?|annuel(?:le)?s?|(?:diari|semanal|mensual|anual)[ao]?(?:mente)?)(?!\\p{L})",
    `每(?:隔)?[\\d一二两三四五六七八九十]*个?(?:${HAN_TIME}|次)(?:[\\d一二两三四五六七八九十几]+次)?`,
  ],
  age: ["(?<!\\p{L})(?:aged?|age of|alter von|a los)\\s\\d+(?![\\d.,]*\\d|\\s?[%°])"],
};

/** Before a count with a period. */
export const FREQUENCY_BEFORE =
  /(?<!\p{L})(?:every|each|alle|tou(?:te)?s les|cada|todos los|todas las)\s$/u;

/** Names of units of money that are other words as well. */
const NO_CURRENCY = /^(?:won|sol|real|gold|silver|units?|sonder.*|top|taka|.{1,2})$/u;

/** Codes and names of currencies, as the runtime's own locale data has them; the noun stands last in English and German and first in French and Spanish. */
function currencies(): string {
  const codes = Intl.supportedValuesOf("currency");
  const names = (["en", "de", "fr", "es"] as const).flatMap((language) => {
    const display = new Intl.DisplayNames([language], { type: "currency", fallback: "none" });
    return codes.flatMap((code) => {
      const words = (display.of(code) ?? "")
        .toLowerCase()
        .replace(/\(.*\)/gu, "")
        .trim()
        .split(/[\s-]+/u);
      return words.at(language === "en" || language === "de" ? -1 : 0) ?? [];
    });
  });
  const nouns = [...new Set(names)].filter(
    (name) => /^\p{L}+$/u.test(name) && !NO_CURRENCY.test(name),
  );
  return `(?:(?:us|u\\.s\\.|canadian|australian|[a-z]+ian|[a-z]+ish)\\s)?(?:${nouns.join("|")})(?:s|es|n|en)?|${codes.join("|").toLowerCase()}`;
}

const behind = new Map<QuantityKind, readonly RegExp[]>();
const alone = new Map<QuantityKind, readonly RegExp[]>();

/** Sticky patterns for what follows a count; made ready on first use, for many runs ask for no quantity. */
export function behindCount(kind: QuantityKind): readonly RegExp[] {
  const known = behind.get(kind);
  if (known !== undefined) return known;
  const own = `${UNITS[kind]}${kind === "money" ? `|${currencies()}` : ""}`;
  const han = HAN_UNITS[kind];
  const made = [
    new RegExp(`[\\s-]?(?:${own})(?![\\p{L}\\d])`, "yu"),
    ...(han === undefined ? [] : [new RegExp(`\\s?(?:${han})(?:左右)?`, "yu")]),
  ];
  behind.set(kind, made);
  return made;
}

/** Patterns that need no count before them. */
export function standingAlone(kind: QuantityKind): readonly RegExp[] {
  const known = alone.get(kind);
  if (known !== undefined) return known;
  const made = (ALONE[kind] ?? []).map((source) => new RegExp(source, "gu"));
  alone.set(kind, made);
  return made;
}
