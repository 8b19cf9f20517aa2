import { analyse, type Token } from "../../text/analyse.js";
import type { PlanInput } from "../reasoner.js";

/** Long questions are usually stories with a question in them; search engines take some ten to thirty words seriously. */
const MAX_CHARACTERS = 300;

/** What a person says to an assistant, and a search engine does not need. */
const PREAMBLE =
  /^\s*(?:(?:hi|hello|hey)\b[\s,!.]*)?(?:please[\s,]+)?(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?)?(?:(?:tell|show|give)\s+me\s+(?:about\s+|what\s+you\s+know\s+about\s+)?|(?:search|google|look)\s+(?:the\s+(?:web|internet)\s+|online\s+|up\s+)?(?:for\s+|about\s+)?|find\s+out\s+|(?:i\s+(?:want|need|would\s+like)|i'd\s+like)\s+to\s+know\s+|do\s+you\s+know\s+)(?=\S)/iu;

/** Function words that change what is asked, and so stay. */
const MEANINGFUL = new Set([
  "not",
  "no",
  "without",
  "why",
  "before",
  "after",
  "since",
  "until",
  "against",
  "between",
]);

/**
 * Keywords for a web search, made of the question's own words and nothing else: no evidence, no conversation, no model. A first search asks for
 * the content words; a later one asks in the question's full words, so that it finds something else.
 *
 * Kept are quoted phrases, function words inside names ("Lord of the Rings", "The Who"), and those that change the meaning ("not", "before", "how many").
 * @example webQueryByRules("What is Edward Corser's occupation?", "first") // "Edward Corser occupation"
 */
export function webQueryByRules(question: string, purpose: PlanInput["purpose"] = "first"): string {
  const asked = withoutPreamble(question.normalize("NFC").replace(/\s+/gu, " ").trim());
  const whole = withinLimit(asked.replace(/[?？!！.。…\s]+$/u, ""));
  if (purpose === "refine" || purpose === "guard") return whole;
  const keywords = keywordsOf(asked);
  return keywords === "" ? whole : keywords;
}

function withoutPreamble(question: string): string {
  const rest = question.replace(PREAMBLE, "");
  return rest.length >= 3 ? rest : question;
}

function keywordsOf(question: string): string {
  const tokens = outermost(analyse(question));
  const quoted = [...question.matchAll(/["“„«]([^"“”„«»]{2,100})["”“»]/gu)].map(
    ({ index, 0: { length } }) => ({
      start: index,
      end: index + length,
    }),
  );
  const kept = tokens.map(
    (token, index) =>
      !token.stop ||
      changesMeaning(tokens, index) ||
      quoted.some(({ start, end }) => token.start >= start && token.end <= end),
  );
  bridgeNames(tokens, kept);
  let query = "";
  let end = 0;
  tokens.forEach((token, index) => {
    if (!kept[index]) return;
    const opens = quoted.some(
      ({ start }) =>
        start < token.start &&
        token.start - start <= 2 &&
        question.slice(start, token.start).trim().length <= 1 &&
        start >= end,
    );
    const closes = quoted.some(
      (phrase) =>
        phrase.end > token.end &&
        phrase.end - token.end <= 2 &&
        phrase.start < token.start &&
        !tokens[index + 1]?.text.startsWith('"'),
    );
    // Scripts without spaces stay without them.
    const gap = query === "" || question.slice(end, token.start) === "" ? "" : " ";
    const piece = `${opens ? '"' : ""}${withoutPossessive(token.text)}${closes ? '"' : ""}`;
    if (query.length + gap.length + piece.length <= MAX_CHARACTERS) query += gap + piece;
    end = token.end;
  });
  return query;
}

/** Compounds may come with their parts; the whole is enough. */
function outermost(tokens: readonly Token[]): Token[] {
  let end = -1;
  return tokens.filter((token) => {
    const fresh = token.start >= end;
    if (fresh) end = token.end;
    return fresh;
  });
}

function changesMeaning(tokens: readonly Token[], index: number): boolean {
  const word = tokens[index]?.text.toLowerCase() ?? "";
  const next = tokens[index + 1]?.text.toLowerCase() ?? "";
  const previous = tokens[index - 1]?.text.toLowerCase() ?? "";
  if (MEANINGFUL.has(word)) return true;
  if (word === "how")
    return ["many", "much", "often", "to", "long", "old", "far", "tall", "big", "high"].includes(
      next,
    );
  if (previous === "how") return ["many", "much", "often", "to"].includes(word);
  // "The Who", but not the capital that begins a sentence.
  return index > 0 && word !== "i" && /^\p{Lu}\p{Ll}/u.test(tokens[index]?.text ?? "");
}

/** Keeps up to three lower-case function words that stand between two capitalised words: they belong to the name. */
function bridgeNames(tokens: readonly Token[], kept: boolean[]): void {
  const isName = (index: number): boolean =>
    kept[index] === true && /^\p{Lu}/u.test(tokens[index]?.text ?? "");
  for (let from = 0; from < tokens.length; from += 1) {
    if (!isName(from)) continue;
    let to = from + 1;
    while (to < tokens.length && to - from <= 3 && !kept[to]) to += 1;
    if (to - from > 1 && isName(to))
      for (let between = from + 1; between < to; between += 1) kept[between] = true;
  }
}

function withoutPossessive(text: string): string {
  return text.replace(/['’]s?$/u, "");
}

function withinLimit(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  // The question proper usually stands at the end.
  const tail = text.slice(-MAX_CHARACTERS);
  const space = tail.indexOf(" ");
  return space === -1 || space > MAX_CHARACTERS / 2 ? tail : tail.slice(space + 1);
}
