/** Sentences that state nothing about the world: lead-ins, offers, questions, and remarks that the evidence is silent. They need no support. */

const REMARKS: readonly RegExp[] = [
  /^(?:the |these |those )?(?:provided |given |retrieved |available |cited )?(?:documents?|sources?|evidence|context|passages?|search results?)\b.{0,40}\b(?:do(?:es)? not|don't|doesn't|contains? no|says? nothing|gives? no|lacks?|is silent|are silent)\b.{0,100}$/i,
  /^(?:unfortunately,? |sorry,? )?(?:i|we) (?:could not|couldn't|cannot|can't|was unable to|were unable to|did not|didn't|do not|don't) (?:find|answer|know|determine|have|locate|tell)\b.{0,120}$/i,
  /^(?:there is|there's) (?:no|not enough) (?:information|evidence|mention|answer)\b.{0,100}$/i,
  /^(?:here (?:is|are)|in (?:summary|short)|to summari[sz]e|based on (?:the|these))\b[^.]{0,60}:$/i,
  /^(?:let me know|feel free|i hope|if you (?:want|need|would like))\b[^.]{0,80}[.!]?$/i,
  /^(?:hello|hi|thanks|thank you|sure|of course|certainly|yes|no|ok|okay)[.,!]?$/i,
];

/** Where a remark turns into a claim after all. */
const TURN = /\b(?:but|however|although|though|nevertheless|except)\b|;/i;

/** True for a sentence that claims nothing. "No." and "Yes." alone claim nothing that could be checked by words. */
export function isNoClaim(sentence: string): boolean {
  const text = sentence.replace(/[*_`]/gu, "").trim();
  if (/\p{N}/u.test(text) || TURN.test(text)) return false;
  return /[?:]$/u.test(text) || REMARKS.some((remark) => remark.test(text));
}
