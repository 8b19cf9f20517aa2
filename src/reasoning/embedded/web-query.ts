import { withoutEnding } from "../../text/one-line.js";
import { analyse } from "../../text/analyse.js";
import type { PlanInput } from "../reasoner.js";
import { withoutCourtesies } from "./courtesies.js";

/** Search engines take some ten to thirty words seriously. */
const MAX_CHARACTERS = 300;
/** Function words that change what is asked. */
const MAX_WORDS_INSIDE = 4;
const REQUEST =
  /^(?:can you )?(?:please )?(?:(?:tell|show|give) me (?:about )?|search (?:the (?:web|internet) )?for )(?=\S)/iu;
const MEANINGFUL = new Set("not no without why how before after since until between".split(" "));

/**
 * Keywords for a web search, made of the question's own words and nothing else: no evidence, no
 * conversation, no model. A later search asks in the question's full words, so that it finds
 * something else. Quoted phrases and what stands between two capitals ("Lord of the Rings") stay.
 * @example webQuery("What is Edward Corser's occupation?", "first") // "Edward Corser occupation"
 */
export function webQuery(question: string, purpose: PlanInput["purpose"] = "first"): string {
  const asked = withoutCourtesies(question.normalize("NFC").replace(/\s+/gu, " ").trim()).replace(
    REQUEST,
    "",
  );
  const whole = tail(withoutEnding(asked, /[?？!！.。…\s]/u));
  if (purpose === "refine" || purpose === "guard") return whole;
  const quoted = [...asked.matchAll(/["“„«][^"“”„«»]{2,100}["”“»]/gu)];
  const isQuoted = (at: number): boolean =>
    quoted.some(({ index, 0: phrase }) => at > index && at < index + phrase.length);
  const tokens = analyse(asked).filter(
    ({ start }, index, all) => start >= (all[index - 1]?.end ?? 0),
  );
  const isName = (index: number): boolean =>
    index > 0 && /^\p{Lu}/u.test(tokens[index]?.text ?? "");
  /** Between two capitals, with function words only in between. */
  const isInName = (index: number): boolean => {
    const before = tokens.findLastIndex(({ stop }, at) => at < index && !stop);
    const after = tokens.findIndex(({ stop }, at) => at > index && !stop);
    return isName(before) && isName(after) && after - before <= MAX_WORDS_INSIDE;
  };
  let query = "";
  let end = 0;
  for (const [index, { text, start, end: to, stop }] of tokens.entries()) {
    const isKept =
      !stop ||
      isQuoted(start) ||
      MEANINGFUL.has(text.toLowerCase()) ||
      (/^(?:many|much|to)$/iu.test(text) && /^how$/iu.test(tokens[index - 1]?.text ?? "")) ||
      (isName(index) && !/^I$/u.test(text)) ||
      isInName(index);
    if (!isKept) continue;
    const opens = /["“„«]$/u.test(asked.slice(0, start)) ? '"' : "";
    const closes = /^["”“»]/u.test(asked.slice(to)) && isQuoted(start) ? '"' : "";
    const gap = query === "" || asked.slice(end, start) === "" ? "" : " ";
    const piece = `${gap}${opens}${text.replace(/['’]s?$/u, "")}${closes}`;
    if (query.length + piece.length <= MAX_CHARACTERS) query += piece;
    end = to;
  }
  return query === "" ? whole : query;
}

/** The question proper usually stands at the end. */
function tail(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const end = text.slice(-MAX_CHARACTERS);
  const space = end.indexOf(" ");
  return space === -1 || space > MAX_CHARACTERS / 2 ? end : end.slice(space + 1);
}
