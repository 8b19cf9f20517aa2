/** "How much does it weigh?" is answered by a sentence that holds a weight: one that fits is preferred, and where none fits that is said. */
import { contentTerms } from "../../../text/analyse.js";
import type { Candidate } from "../answer-candidates.js";
import { askedKinds } from "./asked-kind.js";
import { holdsAsked } from "./holds-kind.js";
import type { QuestionFocus } from "../question-focus.js";
import type { Ranked, RankedSentence } from "../rank-sentences.js";
import { headedBy } from "../rank-sentences.js";
import { means } from "../sentence-features.js";

/** A sentence that holds what is asked for goes before a likelier one that does not, if it is at least this likely compared with it. */
const FITTING_SHARE = 0.1;
/** What a labelled value is worth, 0–1: as much as what stands under a heading that is the question. */
const LABELLED = 0.6;

export interface Preferred {
  ranked: Ranked;
  /** No sentence that is likely enough holds what the question clearly asks for. */
  isMissing: boolean;
}

/** Puts first what holds the kind of thing that is asked for. Nothing changes where the likeliest sentence does, or where no kind is clear. */
export function preferAskedKind(ranked: Ranked, focus: QuestionFocus): Preferred {
  const [best, ...others] = ranked;
  if (isAskedByHead(best.measured.candidate, focus)) return { ranked, isMissing: false };
  const labelled = ranked.find(({ measured }) => isLabelled(measured.candidate, focus));
  if (labelled !== undefined)
    return {
      ranked: first(
        { ...labelled, probability: Math.max(LABELLED, labelled.probability) },
        labelled,
        ranked,
      ),
      isMissing: false,
    };
  if (holdsAsked(best.measured.candidate, focus)) return { ranked, isMissing: false };
  const fitting = others.find(
    ({ measured, probability }) =>
      probability >= FITTING_SHARE * best.probability && holdsAsked(measured.candidate, focus),
  );
  return fitting === undefined
    ? { ranked, isMissing: true }
    : { ranked: first(fitting, fitting, ranked), isMissing: false };
}

function first(sentence: RankedSentence, old: RankedSentence, ranked: Ranked): Ranked {
  return [sentence, ...ranked.filter((other) => other !== old)];
}

/** A question that its author put as a heading is answered by what stands below, whatever it looks like. */
function isAskedByHead(candidate: Candidate, focus: QuestionFocus): boolean {
  return (
    headedBy(candidate, focus) > 0 &&
    candidate.heads.some(({ text }) => askedKinds(text).length > 0)
  );
}

/**
 * "Net weight: 9.4 kg" in a document about what the question names: the label says what is measured, and title and row have all other words of
 * the question.
 */
export function isLabelled(candidate: Candidate, focus: QuestionFocus): boolean {
  const label = LABEL.exec(candidate.text)?.[1];
  if (
    focus.asked.length === 0 ||
    focus.asked.includes("person") ||
    label === undefined ||
    !holdsAsked(candidate, focus)
  )
    return false;
  const labelTerms = new Set(contentTerms(label));
  const measured =
    focus.expected.typeTerms.length > 0
      ? focus.expected.typeTerms
      : focus.terms.filter((term) => !candidate.titleTerms.has(term));
  const others = focus.terms.filter((term) => !measured.includes(term));
  return (
    measured.length > 0 &&
    measured.every((term) => means(term, labelTerms)) &&
    others.length > 0 &&
    others.every((term) => candidate.terms.has(term) || candidate.titleTerms.has(term))
  );
}

/** A few words before a colon, and a short value behind it. */
const LABEL = /^([^:;.!?]{2,40}): [^:;]{1,40}$/u;
