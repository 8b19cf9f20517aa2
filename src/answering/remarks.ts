/** Sentences that state nothing about the world, and so need no support. */
import { contentTerms } from "../text/analyse.js";
import type { CitedSentence } from "./citations.js";

/**
 * What an answer says of itself and of its sources: refusals, lead-ins, offers, courtesies. A
 * sentence made of these words and the question's own states nothing that could be missed.
 */
const REMARK_WORDS = new Set(
  contentTerms(
    `information detail context document passage source evidence text material result search provided given available retrieved
    above below following mention specify state say contain include cover discuss address indicate describe explain find found locate
    determine answer question ask unable not no sufficient enough specific specifically explicit explicitly direct directly
    clear unclear based according sorry unfortunately apologize apologise afraid know knowledge help assist further additional more
    let feel free want need like please thank thanks welcome hello sure certainly course okay great here summary summarize short brief
    overview conclusion overall example list step point key main note important however therefore additionally also
    relevant related regarding concerning topic subject request query refer consult check contact reach provide give offer
    cannot could would able possible currently unknown unspecified
    precise complete confidence solely correct response therefore attempt moment accurate hard simple approach consideration feature glad hope subjective`,
  ),
);

/** A list marker that a sentence boundary cut off: "5." */
const STEP_NUMBER = /^\(?\d{1,2}[.)]$/u;

/**
 * @param asked terms of the question
 * @param known terms of evidence and question: a heading or a lead-in made of them states nothing new
 */
export function claimsNothing(
  { text, kind }: Pick<CitedSentence, "text" | "kind">,
  { asked, known }: { asked: ReadonlySet<string>; known: ReadonlySet<string> },
): boolean {
  if (kind === "code") return contentTerms(text).every((term) => known.has(term));
  if (STEP_NUMBER.test(text)) return true;
  const terms = contentTerms(text);
  const announces = kind === "heading" || /[?？:：]["'”’)*_]*$/u.test(text);
  return terms.every(
    (term) => REMARK_WORDS.has(term) || asked.has(term) || (announces && known.has(term)),
  );
}
