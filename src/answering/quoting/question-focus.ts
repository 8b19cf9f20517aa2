/** The words of a question that its answer must join: the subject it is about and the relation that is asked for. */
import { analyse } from "../../text/analyse.js";
import { idf } from "../../text/background.js";
import { extractNames } from "../../text/entities.js";
import type { ExpectedAnswer } from "./short-answer/answer-type.js";
import { expectedAnswer } from "./short-answer/answer-type.js";
import type { AskedKind } from "./kinds/asked-kind.js";
import { askedKinds } from "./kinds/asked-kind.js";
import type { QuestionForm } from "./question-form.js";
import { questionForm } from "./question-form.js";

export interface QuestionFocus {
  /** As it was asked. */
  question: string;
  expected: ExpectedAnswer;
  /** Kinds of quantity, or a person, that it clearly asks for: without one of them a sentence hardly answers. */
  asked: readonly AskedKind[];
  form: QuestionForm;
  /** Content terms in order, each once, without those that only name the kind of answer. */
  terms: string[];
  /** Background rarity by term. */
  weights: ReadonlyMap<string, number>;
  /** Terms that belong to names and numbers: what the question is about. */
  subject: ReadonlySet<string>;
  /** It names what it is about, or holds a number. An abbreviation in capitals ("API", "PDF") is mostly a kind of thing and no name. */
  isSpecific: boolean;
  /** The other terms: what is asked about it. */
  relation: ReadonlySet<string>;
  /** All terms of the question with the type terms, to recognise candidates that merely repeat it. */
  all: ReadonlySet<string>;
  /** Neighbouring content terms joined by a blank. */
  pairs: string[];
  /** For "who": the term of the verb behind it. */
  verb?: string;
  /** For "who": whether the one who does is asked for, or the one to whom it is done. */
  asksFor?: "agent" | "patient";
}

/** Reads a question for what its answer must be about and hold. Never fails: an empty question has no terms. */
export function questionFocus(question: string): QuestionFocus {
  const asked = askedKinds(question);
  const expected = clarified(expectedAnswer(question), asked);
  const tokens = analyse(question).filter(
    (token) => !token.stop && !QUESTION_WORDS.has(token.text.toLowerCase()),
  );
  const all = new Set(tokens.map((token) => token.term));
  const typed = new Set(expected.typeTerms);
  const sequence = tokens.map((token) => token.term).filter((term) => !typed.has(term));
  // A question of type words only ("what is the capital?") keeps them.
  const terms = [...new Set(sequence.length > 0 ? sequence : all)];
  const names = extractNames(question);
  const inName = new Set(
    tokens
      .filter(
        (token) =>
          /\p{N}/u.test(token.text) ||
          names.some((name) => token.start >= name.start && token.end <= name.end),
      )
      .map((token) => token.term),
  );
  return {
    question,
    expected,
    asked,
    form: questionForm(question, expected.typeTerms),
    terms,
    weights: new Map(terms.map((term) => [term, Math.max(0.5, idf(term))])),
    subject: new Set(terms.filter((term) => inName.has(term))),
    isSpecific: /\d/u.test(question) || names.some(({ text }) => /\p{Lu}\p{Ll}/u.test(text)),
    relation: new Set(terms.filter((term) => !inName.has(term))),
    all,
    pairs: sequence.slice(1).map((term, index) => `${sequence[index] ?? ""} ${term}`),
    ...roleOf(question),
  };
}

/** A measure that is clearly asked for decides: "What area does it cover?" asks for no place, and "wie schwer …" for no manner. */
function clarified(expected: ExpectedAnswer, asked: readonly AskedKind[]): ExpectedAnswer {
  const [kind] = asked;
  if (kind === undefined || kind === "person" || expected.kind === "number") return expected;
  return kind === "number" && expected.kind !== "open" && expected.kind !== "manner"
    ? expected
    : { kind: "number", typeTerms: [] };
}

/** "Who built it?" asks for the agent, "whom did it serve?", "who was it built for?" and "who did she marry?" for the patient. */
function roleOf(question: string): Pick<QuestionFocus, "verb" | "asksFor"> {
  const match = /\b(who|whom)\s+(did|does|do|was|were|is|are|has|have|had)?\b(.*)$/iu.exec(
    question,
  );
  if (match === null) return {};
  const [, word = "", auxiliary = "", rest = ""] = match;
  const content = analyse(rest).filter((token) => !token.stop);
  const inverted = /^(?:did|does|do)$/iu.test(auxiliary) || word.toLowerCase() === "whom";
  // With an inverted order the verb comes behind the subject: the last word that is not a name.
  const verb = inverted ? content.findLast((token) => /^\p{Ll}/u.test(token.text)) : content[0];
  if (verb === undefined || /^(?:was|were|is|are)$/iu.test(auxiliary)) return {};
  return { verb: verb.term, asksFor: inverted ? "patient" : "agent" };
}

const QUESTION_WORDS = new Set(
  "who whom whose what which when where why how many much name list tell give explain describe wer was wann wo warum wie".split(
    " ",
  ),
);

/** Weighted share of `terms` (default: all) for which `has` holds, 0–1; 1 when there are none. */
export function shareOf(
  focus: QuestionFocus,
  has: (term: string) => boolean,
  terms: Iterable<string> = focus.terms,
): number {
  let covered = 0;
  let mass = 0;
  for (const term of terms) {
    const weight = focus.weights.get(term) ?? 0.5;
    mass += weight;
    if (has(term)) covered += weight;
  }
  return mass === 0 ? 1 : covered / mass;
}
