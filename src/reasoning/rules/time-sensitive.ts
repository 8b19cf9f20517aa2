/** Words that tie an answer to the day on which it is asked. Exceptions are few: one web search too many costs less than yesterday's answer. */
const TIME_BOUND: readonly RegExp[] = [
  /\b(?:today|tonight|tomorrow|yesterday|right now|just now|at the moment|as of now|nowadays|these days|currently|up[- ]to[- ]date)\b/i,
  /\b(?:latest|newest|most recent|recently|breaking)\b/i,
  /\bthis (?:morning|afternoon|evening|week|weekend|month|quarter|year|season)\b/i,
  /\b(?:last|next|past) (?:night|week|weekend|month|quarter|year|season|few (?:days|weeks|months))\b/i,
  /\bcurrent (?!account|assets?|liabilit|density|source|carrying|flow|directory|working)/i,
  /\b(?:who|what) is (?:the )?(?:president|prime minister|chancellor|ceo|mayor|governor|pope|king|queen) of\b/i,
  /\b(?:weather|forecast|temperature) (?:in|for|at|like)\b/i,
  /\b(?:stock|share|oil|gold|bitcoin|house|gas) prices?\b|\bexchange rate\b|\bprice of (?:bitcoin|gold|oil|gas)\b/i,
  /\b(?:news|headlines|live score|scores? of the (?:game|match)|standings)\b/i,
  /\b(?:heute|morgen früh|gestern|aktuell\p{L}*|derzeit|momentan|neueste[nrms]?|diese (?:woche|saison)|dieses jahr|diesen monat|letzte (?:woche|nacht))\b/iu,
  /\b(?:aujourd['’]hui|demain|hier soir|actuel(?:le)?(?:ment)?s?|en ce moment|dernières? (?:nouvelles?|version)|cette (?:semaine|année)|ce mois)\b/i,
  /\b(?:hoy|mañana|ayer|actualmente|(?:el|la) actual|ahora mismo|últim[oa]s? (?:noticias|versión)|esta semana|este (?:mes|año))\b/i,
  /今天|今日|昨天|明天|现在|目前|最新|本周|今年|現在|最近|오늘|지금|최신|сегодня|сейчас|последн\p{L}+ новост|اليوم|الآن|आज/u,
];

/** A question about a year that has long passed is not about the day, whatever else it says. */
const SETTLED =
  /\b(?:in|of|during|since|before|until) (?:1\d{3}|200\d|201\d)\b|\b(?:1\d{3}|20[01]\d)s\b/i;

/**
 * Whether the answer changes with the day ("today", "latest", "the current …"), so that a knowledge base alone may be out of date.
 * Rules only: no model, no clock.
 * @example isTimeSensitive("What is the latest version of Node.js?") // true
 */
export function isTimeSensitive(question: string): boolean {
  return TIME_BOUND.some((pattern) => pattern.test(question)) && !SETTLED.test(question);
}
