const FOOTNOTE =
  /(?<=[\p{L}\p{N}.!?,;:"'”’)\]])\[(?:\d{1,3}|[a-z]|note \d{1,3}|[a-z ]+ needed|not in citation given|who\?|when\?)\](?!\()/giu;

/**
 * Blanks of the same length in place of references to footnotes (`[7]`, `[citation needed]`), so that sentences can be found as if they were not
 * there and offsets stay true.
 */
export function blankFootnotes(text: string): string {
  return text.replace(FOOTNOTE, (reference) => " ".repeat(reference.length));
}
