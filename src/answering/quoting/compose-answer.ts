/** Puts quoted sentences together: the short answer first, then what was chosen, each with its number. */
import { countWords } from "../../text/count-words.js";
import { sentences } from "../../text/sentences.js";
import type { Candidate } from "./answer-candidates.js";
import { chooseSentences } from "./choose-sentences.js";
import { markSentence } from "../citations.js";
import type { QuestionFocus } from "./question-focus.js";
import type { Ranked } from "./rank-sentences.js";
import { headedBy } from "./rank-sentences.js";
import type { ShortAnswer } from "./short-answer/short-answer.js";
import { standsFirst } from "./short-answer/short-answer.js";

/** Longer sentences are shown only round the answer. */
const MAX_SENTENCE_WORDS = 45;

/** The answer with `[n]` markers. Only what stands in the evidence is said. */
export function composeAnswer(
  focus: QuestionFocus,
  ranked: Ranked,
  likeliest: ShortAnswer | undefined,
): string {
  const short =
    likeliest !== undefined && standsFirst(likeliest, focus) && !isHeaded(focus, ranked)
      ? likeliest
      : undefined;
  const led = short === undefined ? ranked : ledBy(short.candidate, ranked);
  const { candidate: best } = led[0].measured;
  const opening = short?.text.replaceAll("*", "").trim();
  const chosen = chooseSentences(focus, led);
  const bestIndex = chosen.findIndex((candidate) => isSame(candidate, best));
  // The short answer leads into the sentence that it was taken from, so that sentence comes first then.
  const ordered =
    opening === undefined || bestIndex <= 0
      ? chosen
      : [best, ...chosen.filter((_, index) => index !== bestIndex)];
  let text = "";
  for (const [index, candidate] of ordered.entries()) {
    const previous = ordered[index - 1];
    const listed = isListed(candidate, ordered);
    const quoted = quote(candidate, focus, isSame(candidate, best) ? short : undefined);
    const read =
      candidate.kind === "code" || listed
        ? quoted.replace(/[;,]$/u, "")
        : asSentence(quoted, index === 0);
    const said =
      index === 0 && opening !== undefined && !startsWith(read, opening)
        ? `**${opening}** — ${read}`
        : read;
    const marked =
      candidate.kind === "code"
        ? `${said}\n${markSentence("", [candidate.marker]).trim()}`
        : markSentence(said, [candidate.marker]);
    text += `${gapBefore(candidate, previous, listed, text)}${marked}`;
  }
  return text;
}

/** What a composed answer begins with, and the rest. */
export function splitOpening(text: string): { opening?: string; body: string } {
  const [lead, opening] = /^\*\*([^*\n]+)\*\* — /u.exec(text) ?? [];
  return lead === undefined || opening === undefined
    ? { body: text }
    : { opening, body: text.slice(lead.length) };
}

/** The ranking with the sentence of the short answer first. */
function ledBy(candidate: Candidate, ranked: Ranked): Ranked {
  const first = ranked.find(({ measured }) => measured.candidate === candidate) ?? ranked[0];
  const others = ranked.filter((sentence) => sentence !== first);
  return [{ ...first, probability: Math.max(first.probability, ranked[0].probability) }, ...others];
}

/** Under a heading that is the question in other words, what stands first is the answer. */
function isHeaded(focus: QuestionFocus, [{ measured }]: Ranked): boolean {
  return focus.expected.kind === "open" && headedBy(measured.candidate, focus) > 0;
}

/** The same words of the same source; the surroundings of a candidate are read anew. */
function isSame(a: Candidate, b: Candidate): boolean {
  return a.marker === b.marker && a.start === b.start;
}

/** Items or rows that stand one below the other, or under a lead-in, are shown as a list; sentences of one item alone are not. */
function isListed(candidate: Candidate, ordered: readonly Candidate[]): boolean {
  if (candidate.kind !== "item" && candidate.kind !== "row") return false;
  const peers = ordered.filter(
    ({ kind, marker }) => kind === candidate.kind && marker === candidate.marker,
  );
  if (peers.some(({ block }) => Math.abs(block - candidate.block) === 1)) return true;
  const first = ordered.findIndex(
    ({ block, marker }) => block === candidate.block && marker === candidate.marker,
  );
  return /[:：]\s*$/u.test(ordered[first - 1]?.text ?? "");
}

function gapBefore(
  candidate: Candidate,
  previous: Candidate | undefined,
  listed: boolean,
  before: string,
): string {
  if (previous === undefined) return listed ? "- " : "";
  if (candidate.kind === "code" || previous.kind === "code") return "\n\n";
  // A second sentence of one item goes on in its line.
  if (listed) return previous.kind === "item" && previous.block === candidate.block ? " " : "\n- ";
  return /(?:^|\n)- [^\n]*$/u.test(before) ? "\n\n" : " ";
}

/** Words that tie a sentence to one that is not quoted. */
const CONNECTIVE =
  /^(?:so|thus|hence|therefore|however|moreover|furthermore|also|besides|and|but|then|otherwise)(?:[,:]\s+|\s+(?=(?:the|a|an|it|they|this|these|you|we|he|she|each|every|all|there)\b))/iu;

/** A fragment (an item, a row) reads as a sentence: it begins with a capital and ends with a stop. */
function asSentence(text: string, isFirst: boolean): string {
  const bare = (isFirst ? text.replace(CONNECTIVE, "") : text).replace(/\s*[;,]$/u, "");
  const begun = /^\p{Ll}[\p{Ll}’'-]*(?=[\s,])/u.test(bare)
    ? `${bare.charAt(0).toUpperCase()}${bare.slice(1)}`
    : bare;
  return /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}`)\]]$/u.test(begun)
    ? `${begun}.`
    : begun;
}

/** A very long sentence is shown only round the answer and the words of the question; what is left out is marked. */
function quote(
  candidate: Candidate,
  focus: QuestionFocus,
  short: { start: number; end: number } | undefined,
): string {
  if (candidate.kind === "code" || countWords(candidate.text) <= MAX_SENTENCE_WORDS)
    return candidate.text;
  const words = [...candidate.text.matchAll(/\S+/gu)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  const hits = candidate.tokens.filter((token) => focus.weights.has(token.term));
  const weight = (word: { start: number; end: number }): number =>
    hits.reduce(
      (sum, token) =>
        sum +
        (token.start < word.end && word.start < token.end
          ? (focus.weights.get(token.term) ?? 0)
          : 0),
      0,
    ) + (short !== undefined && short.start < word.end && word.start < short.end ? 20 : 0);
  const weights = words.map(weight);
  let from = 0;
  let best = -1;
  for (let at = 0; at + MAX_SENTENCE_WORDS - 5 <= words.length; at += 1) {
    const sum = weights
      .slice(at, at + MAX_SENTENCE_WORDS - 5)
      .reduce((total, value) => total + value, 0);
    if (sum > best + 1e-9) [best, from] = [sum, at];
  }
  const last = Math.min(words.length, from + MAX_SENTENCE_WORDS - 5) - 1;
  const cut = candidate.text.slice(words[from]?.start, words[last]?.end);
  // The tail of a sentence before the one that matters helps nobody; where nothing was left out before it, it is no tail.
  const [first, second] = from === 0 ? [] : sentences(cut);
  const text =
    second !== undefined && first !== undefined && countWords(first.text) < MAX_SENTENCE_WORDS / 4
      ? cut.slice(second.start)
      : cut;
  return `${from > 0 ? "… " : ""}${text}${last < words.length - 1 ? " …" : ""}`;
}

/** An article before it makes no difference. */
function startsWith(text: string, opening: string): boolean {
  const bare = text.toLowerCase().replace(/^(?:the|an?)\s+/u, "");
  return bare.startsWith(opening.toLowerCase());
}
