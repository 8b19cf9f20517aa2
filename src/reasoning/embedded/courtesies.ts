/** Words of courtesy around a question, and messages that are nothing else. Pure. */
import { anyOf } from "./phrases.js";

const QUESTION_WORD =
  "(?:what|who|whom|whose|when|where|why|how|which|if|whether|is|are|can|do|does)\\b";
const EDGE = "(?![\\p{L}\\p{N}])";

/** Before a question, where something follows. */
const BEFORE = [
  `^\\s*${anyOf("greeting", "thanks", "courtesy")}\\s*[,.!:;–，。！-]+\\s*(?=\\S)`,
  `^\\s*${anyOf("greeting")}\\s+(?=${QUESTION_WORD}|please\\b|tell\\b)`,
  `^\\s*${anyOf("please")}${EDGE}[,\\s]+(?=\\S)`,
  `^\\s*${anyOf("asking")}\\s*[,:]?\\s+(?=${QUESTION_WORD})`,
].map((pattern) => new RegExp(pattern, "iu"));

/** After it. */
const AFTER = [
  `(?<=\\S)[,\\s]+${anyOf("please")}\\s*(?=[?.!]*\\s*$)`,
  `(?<=[?.!…–,-])\\s*${anyOf("thanks")}\\s*[.!]*\\s*$`,
].map((pattern) => new RegExp(pattern, "iu"));

/** Longer texts are no question with courtesies round it. */
const MAX_CHARACTERS = 2_000;

/** The text without courtesies; a text that is only courtesy is returned as it came. */
export function withoutCourtesies(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > MAX_CHARACTERS) return trimmed;
  let rest = trimmed;
  for (let before = ""; before !== rest;) {
    before = rest;
    for (const pattern of [...BEFORE, ...AFTER]) rest = rest.replace(pattern, "").trim();
  }
  if (!/[\p{L}\p{N}]/u.test(rest) || rest === trimmed) return trimmed;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

const COURTESY = new RegExp(`^${anyOf("greeting", "thanks", "please", "courtesy")}$`, "iu");

/** Is a message courtesy and nothing else? "Hi!", "Thanks, that helps.", "🙂" */
export function isSmallTalk(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false;
  return text
    .replace(/\p{Extended_Pictographic}|\uFE0F|[:;]-?[)(DP]/gu, " ")
    .split(/[,.!?;:…–—，。！？]+|\s-\s|\band\b/u)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "")
    .every((piece) => COURTESY.test(piece) || COURTESY.test(piece.replace(/\s+a lot$/iu, "")));
}
