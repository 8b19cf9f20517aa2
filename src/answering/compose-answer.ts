/** Puts quoted sentences together: the direct answer first, then one to three sentences, each with its number. */
import { sentences } from "../text/sentences.js";
import type { Candidate } from "./answer-candidates.js";
import { markSentence } from "./citations.js";
import type { QuestionFocus } from "./question-focus.js";
import type { RankedSentence } from "./rank-sentences.js";

/** Words of a short answer at most: those who read forty words have read the answer. */
const FACT_WORDS = 55;
const EXPLANATION_WORDS = 130;
/** A further sentence must be at least this likely, compared with the best. */
const NEXT_SHARE = 0.5;
/** A direct answer must fit this well, 0–1; names are easier to mistake than dates and numbers. */
const DIRECT_FROM = { date: 0.3, number: 0.3, name: 0.42 };
/** Longer sentences are shown only round the answer. */
const MAX_SENTENCE_WORDS = 45;

/** The answer with `[n]` markers. Only what stands in the evidence is said. */
export function composeAnswer(focus: QuestionFocus, ranked: readonly [RankedSentence, ...RankedSentence[]]): string {
  const [best] = ranked;
  const explains = ["reason", "manner", "list"].includes(focus.expected.kind);
  const chosen = explains ? explanation(ranked) : facts(ranked);
  const direct = best.measured.direct;
  const opening = direct !== undefined && direct.score >= directFrom(focus) ? direct.text.replace(/[*_]/gu, "").trim() : undefined;
  const quoted = chosen.map((candidate) => ({
    candidate,
    text: quote(candidate, focus, candidate === best.measured.candidate ? direct : undefined),
  }));
  const bestIndex = quoted.findIndex(({ candidate }) => candidate === best.measured.candidate);
  // The direct answer leads into the sentence that it was taken from, so that sentence comes first then.
  const ordered =
    opening === undefined || bestIndex <= 0
      ? quoted
      : [...quoted.slice(bestIndex, bestIndex + 1), ...quoted.filter((_, index) => index !== bestIndex)];
  return ordered
    .map(({ candidate, text }, index) => {
      const said = index === 0 && opening !== undefined && !startsWith(text, opening) ? `**${opening}** — ${text}` : text;
      const block = candidate.kind === "item" && explains;
      const lead =
        index === 0
          ? ""
          : block
            ? "\n- "
            : candidate.kind === "code"
              ? "\n\n"
              : ordered[index - 1]?.candidate.kind === "code"
                ? "\n\n"
                : " ";
      return `${lead}${candidate.kind === "code" ? `${text}\n` : ""}${candidate.kind === "code" ? markSentence("", [candidate.marker]).trim() : markSentence(said, [candidate.marker])}`;
    })
    .join("");
}

/** The best sentence, and the next while there is room and it is nearly as likely; sentences of one passage in reading order. */
function facts(ranked: readonly [RankedSentence, ...RankedSentence[]]): Candidate[] {
  const [best, ...others] = ranked;
  const chosen = [best.measured.candidate];
  let words = countWords(best.measured.candidate.text);
  for (const { measured, probability } of others) {
    if (chosen.length >= 3 || probability < NEXT_SHARE * best.probability) break;
    const { candidate } = measured;
    const length = countWords(candidate.text);
    if (words + length > FACT_WORDS || candidate.kind === "code" || repeats(candidate, chosen)) continue;
    chosen.push(candidate);
    words += length;
  }
  return words <= 40 ? readingOrder(chosen) : chosen;
}

/** The best sentence with what follows it, list items and code included, then other likely sentences. */
function explanation(ranked: readonly [RankedSentence, ...RankedSentence[]]): Candidate[] {
  const [best, ...others] = ranked;
  const chosen = [best.measured.candidate];
  let words = countWords(best.measured.candidate.text);
  const room = (candidate: Candidate): boolean => words + countWords(candidate.text) <= EXPLANATION_WORDS && !repeats(candidate, chosen);
  const take = (candidate: Candidate): void => {
    chosen.push(candidate);
    words += countWords(candidate.text);
  };
  for (let next = best.measured.candidate.next; next !== undefined; next = next.next) {
    const previous = next.previous;
    const continues =
      next.kind === "item"
        ? previous?.kind === "item" || /:\s*$/u.test(previous?.text ?? "")
        : next.kind === "code" || best.measured.candidate.kind === "heading";
    if (!continues || !room(next)) break;
    take(next);
  }
  for (const { measured, probability } of others) {
    if (chosen.length >= 6 || probability < NEXT_SHARE * best.probability) break;
    if (
      measured.candidate.kind !== "heading" &&
      measured.candidate.kind !== "code" &&
      !chosen.includes(measured.candidate) &&
      room(measured.candidate)
    )
      take(measured.candidate);
    if (chosen.length >= 3 && !chosen.some((candidate) => candidate.kind === "item")) break;
  }
  return readingOrder(chosen);
}

/** Sources in the order in which they were first chosen, sentences of one source as they stand in it. */
function readingOrder(chosen: readonly Candidate[]): Candidate[] {
  const sources = [...new Set(chosen.map((candidate) => candidate.marker))];
  return [...chosen].sort((a, b) => sources.indexOf(a.marker) - sources.indexOf(b.marker) || a.start - b.start);
}

/** Says nothing new: nearly all its terms were said already. */
function repeats(candidate: Candidate, chosen: readonly Candidate[]): boolean {
  return chosen.some((other) => {
    const common = [...candidate.terms].filter((term) => other.terms.has(term)).length;
    return common >= 0.8 * Math.max(1, Math.min(candidate.terms.size, other.terms.size));
  });
}

/** A very long sentence is shown only round the answer and the words of the question; what is left out is marked. */
function quote(candidate: Candidate, focus: QuestionFocus, direct: { start: number; end: number } | undefined): string {
  if (candidate.kind === "code" || countWords(candidate.text) <= MAX_SENTENCE_WORDS) return candidate.text;
  const words = [...candidate.text.matchAll(/\S+/gu)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  const hits = candidate.tokens.filter((token) => focus.weights.has(token.term));
  const weight = (word: { start: number; end: number }): number =>
    hits.reduce((sum, token) => sum + (token.start < word.end && word.start < token.end ? (focus.weights.get(token.term) ?? 0) : 0), 0) +
    (direct !== undefined && direct.start < word.end && word.start < direct.end ? 20 : 0);
  const weights = words.map(weight);
  let from = 0;
  let best = -1;
  for (let at = 0; at + MAX_SENTENCE_WORDS - 5 <= words.length; at += 1) {
    const sum = weights.slice(at, at + MAX_SENTENCE_WORDS - 5).reduce((total, value) => total + value, 0);
    if (sum > best + 1e-9) [best, from] = [sum, at];
  }
  const last = Math.min(words.length, from + MAX_SENTENCE_WORDS - 5) - 1;
  const cut = candidate.text.slice(words[from]?.start, words[last]?.end);
  // The tail of a sentence before the one that matters helps nobody.
  const [first, second] = sentences(cut);
  const text =
    second !== undefined && first !== undefined && countWords(first.text) < MAX_SENTENCE_WORDS / 4 ? cut.slice(second.start) : cut;
  return `${from > 0 ? "… " : ""}${text}${last < words.length - 1 ? " …" : ""}`;
}

function startsWith(text: string, opening: string): boolean {
  return text.toLowerCase().startsWith(opening.toLowerCase());
}

function countWords(text: string): number {
  return text.split(/\s+/u).length;
}

function directFrom(focus: QuestionFocus): number {
  const { kind } = focus.expected;
  return kind === "date" || kind === "number" ? DIRECT_FROM[kind] : DIRECT_FROM.name;
}
