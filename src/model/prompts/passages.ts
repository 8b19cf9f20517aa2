import { escapeLabel, fenced } from "../../answering/fence.js";
import { headedTitle, type Evidence } from "../../state/evidence.js";

/** Characters of a passage that a judge sees. Chunks are mostly shorter; a fetched page may be much longer. */
const MAX_CHARACTERS = 2500;

/** Numbered from 1, fenced and escaped. The text is joined, never substituted into a template, so that `$&` in it stays what it is. */
export function passages(evidence: readonly Evidence[]): string {
  return evidence
    .map((item, index) => {
      const text =
        item.text.length > MAX_CHARACTERS ? `${item.text.slice(0, MAX_CHARACTERS)}…` : item.text;
      return `[${index + 1}] ${escapeLabel(headedTitle(item))}\n${fenced(index + 1, text)}`;
    })
    .join("\n\n");
}
