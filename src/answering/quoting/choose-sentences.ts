/** Which sentences make up a quoted answer: the best one, what belongs to it, and others that are nearly as likely. */
import { countWords } from "../../text/count-words.js";
import type { Candidate } from "./answer-candidates.js";
import type { QuestionFocus } from "./question-focus.js";
import { shareOf } from "./question-focus.js";
import type { Ranked, RankedSentence } from "./rank-sentences.js";
import { headedBy } from "./rank-sentences.js";

/** Words of a short answer at most: those who read forty words have read the answer. */
const FACT_WORDS = 55;
/** Words of a paragraph whose heading is the question. */
const SECTION_WORDS = 80;
const EXPLANATION_WORDS = 130;
/** A further sentence must be at least this likely, compared with the best: less for a fact, since a short answer leaves room, than for an explanation. */
const NEXT_SHARE = { fact: 0.1, explanation: 0.5 } as const;
/** A list is quoted as a whole when what announces it has this share of the question's words, by rarity. */
const LIST_COVERAGE = 0.5;
/** A sentence that begins like this speaks of the one before it. */
const REFERS_BACK =
  /^(?:it|its|they|their|he|his|she|her|this|these|those|both|such|es|sie|er|dies|diese|il|elle|ils|elles)\b/iu;
/** With the one before it, it may have this many words. */
const REFERENCE_WORDS = 45;

/** It wants more than a fact. */
function isExplained(focus: QuestionFocus): boolean {
  return ["reason", "manner", "list"].includes(focus.expected.kind);
}

/** In the order in which they are to be read. */
export function chooseSentences(focus: QuestionFocus, ranked: Ranked): Candidate[] {
  const best = ranked[0].measured.candidate;
  if (headedBy(best, focus) > 0) return section(best);
  if (isLeadIn(best)) return [best, ...announced(best, EXPLANATION_WORDS - countWords(best.text))];
  return isExplained(focus) ? explanation(focus, ranked) : facts(ranked);
}

/** The paragraph under a heading that is the question in other words, with the list or the code that it announces; nothing from elsewhere. */
function section(first: Candidate): Candidate[] {
  const chosen = [first];
  let words = countWords(first.text);
  for (const next of first.around().after) {
    if (next.block !== first.block || first.kind === "row") break;
    words += countWords(next.text);
    if (words > SECTION_WORDS) break;
    chosen.push(next);
  }
  const last = chosen[chosen.length - 1] ?? first;
  return [...chosen, ...announced(last, EXPLANATION_WORDS - words)];
}

/** The best sentence, and the next while there is room and it is nearly as likely; sentences of one passage in reading order. */
function facts([best, ...others]: Ranked): Candidate[] {
  const chosen = withAntecedent(best);
  let words = chosen.reduce((sum, { text }) => sum + countWords(text), 0);
  for (const { measured, probability } of others) {
    if (chosen.length >= 3 || probability < NEXT_SHARE.fact * best.probability) break;
    const { candidate } = measured;
    const length = countWords(candidate.text);
    if (
      words + length > FACT_WORDS ||
      candidate.kind === "code" ||
      isLeadIn(candidate) ||
      repeats(candidate, chosen)
    )
      continue;
    chosen.push(candidate);
    words += length;
  }
  return words <= 40 ? readingOrder(chosen) : chosen;
}

/** The best sentence with the list or code that belongs to it, then other likely sentences. */
function explanation(focus: QuestionFocus, [best, ...others]: Ranked): Candidate[] {
  const chosen =
    best.measured.candidate.kind === "item"
      ? listOf(best.measured.candidate, focus)
      : withAntecedent(best);
  let words = chosen.reduce((sum, { text }) => sum + countWords(text), 0);
  const isList = chosen.some(({ kind }) => kind === "item");
  for (const { measured, probability } of others) {
    if (chosen.length >= 3 || isList || probability < NEXT_SHARE.explanation * best.probability)
      break;
    const { candidate } = measured;
    const length = countWords(candidate.text);
    if (
      candidate.kind === "code" ||
      words + length > EXPLANATION_WORDS ||
      repeats(candidate, chosen)
    )
      continue;
    const announcing = isLeadIn(candidate)
      ? announced(candidate, EXPLANATION_WORDS - words - length)
      : [];
    if (isLeadIn(candidate) && announcing.length === 0) continue;
    chosen.push(candidate, ...announcing);
    words += [candidate, ...announcing].reduce((sum, { text }) => sum + countWords(text), 0);
    if (announcing.length > 0) break;
  }
  return readingOrder(chosen);
}

/** An item alone, or the whole list with its lead-in where that is what the question asks about and where it fits. */
function listOf(item: Candidate, focus: QuestionFocus): Candidate[] {
  const { before } = item.around();
  const leadIn = before[before.findLastIndex(({ kind }) => kind !== "item")];
  if (
    leadIn === undefined ||
    !isLeadIn(leadIn) ||
    shareOf(focus, (term) => leadIn.terms.has(term)) < LIST_COVERAGE
  )
    return [item];
  const items = announced(leadIn, EXPLANATION_WORDS - countWords(leadIn.text));
  return items.some(({ start }) => start === item.start) ? [leadIn, ...items] : [item];
}

function isLeadIn({ kind, text }: Candidate): boolean {
  return kind === "sentence" && /[:：]\s*$/u.test(text);
}

/** The list, table or block of code that follows a lead-in, as far as there is room for it. */
function announced(leadIn: Candidate, wordsLeft: number): Candidate[] {
  if (!isLeadIn(leadIn)) return [];
  const following = leadIn.around().after.filter(({ kind }) => kind !== "columns");
  const kind = following[0]?.kind;
  if (kind === undefined || kind === "sentence" || kind === "heading") return [];
  if (kind === "code") return following.slice(0, 1);
  const taken: Candidate[] = [];
  let words = 0;
  for (const part of following) {
    words += countWords(part.text);
    if (part.kind !== kind || (words > wordsLeft && taken.length > 0)) break;
    taken.push(part);
  }
  return taken;
}

/** A sentence that begins with "It" says little without the one before. The direct answer, where there is one, says it by itself. */
function withAntecedent({ measured: { candidate, direct } }: RankedSentence): Candidate[] {
  const before = candidate.around().before.at(-1);
  if (
    direct !== undefined ||
    candidate.kind !== "sentence" ||
    before?.kind !== "sentence" ||
    before.block !== candidate.block
  )
    return [candidate];
  const fits = countWords(before.text) + countWords(candidate.text) <= REFERENCE_WORDS;
  return REFERS_BACK.test(candidate.text) && fits ? [before, candidate] : [candidate];
}

/** Sources in the order in which they were first chosen, sentences of one source as they stand in it. */
function readingOrder(chosen: readonly Candidate[]): Candidate[] {
  const sources = [...new Set(chosen.map((candidate) => candidate.marker))];
  return [...chosen].sort(
    (a, b) => sources.indexOf(a.marker) - sources.indexOf(b.marker) || a.start - b.start,
  );
}

/** Says nothing new: nearly all its terms were said already. */
function repeats(candidate: Candidate, chosen: readonly Candidate[]): boolean {
  return chosen.some((other) => {
    const common = [...candidate.terms].filter((term) => other.terms.has(term)).length;
    return common >= 0.8 * Math.max(1, Math.min(candidate.terms.size, other.terms.size));
  });
}
