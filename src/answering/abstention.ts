/** What is said when the evidence carries no answer: that it does not, and what came nearest. */
import { mostRelevantFirst, placeOf, type Evidence } from "../state/evidence.js";
import { cutText, oneLine } from "../text/one-line.js";
import { unitsOf } from "./passage-units.js";
import { asQuotation, cellsOf, looksLikeAnOrder, plainText } from "./plain-text.js";

const NEAREST = 3;
const FENCES = ["```", "~~~"];
const MAX_CHARACTERS = 300;

/** An honest abstention, with the text and the place of the passages that came nearest. */
export function abstention({
  evidence,
  reason,
}: {
  /** What was kept, else what was found; an item without text is only named. */
  evidence: readonly Pick<Evidence, "text" | "title" | "source" | "scores">[];
  reason?: string;
}): string {
  const opening =
    reason === undefined
      ? "I could not find an answer to this in the evidence."
      : `I could not find an answer to this: ${reason}`;
  const nearest = new Map(
    mostRelevantFirst(evidence).map((item) => [
      `${placeOf(item.source)} ${item.text.slice(0, 40)}`,
      item,
    ]),
  );
  if (nearest.size === 0) return opening;
  const lines = [...nearest.values()].slice(0, NEAREST).map(({ title, text, source }) => {
    const place = [oneLine(title), placeOf(source)].filter(Boolean).join(" — ");
    const shown = cutText(onOneLine(text), MAX_CHARACTERS, {
      atWord: true,
      ellipsis: " …",
    });
    if (shown === "") return `- ${place}`;
    return `- ${place}\n  ${looksLikeAnOrder(shown) ? asQuotation(shown) : shown}`;
  });
  return `${opening} The nearest that was found:\n${lines.join("\n")}`;
}

/** A passage on one line: cells side by side, code without its fences. */
function onOneLine(passage: string): string {
  const parts = unitsOf(passage).map(({ kind, text, block }, index, units) => {
    switch (kind) {
      case "row":
      case "columns":
        return cellsOf(text).map(plainText).filter(Boolean).join(" · ");
      case "code":
        return plainText(text.split("\n").slice(1).filter(isNoFence).join("\n"));
      case "item":
        return `${units[index - 1]?.block === block ? "" : "• "}${plainText(text)}`;
      case "heading":
      case "sentence":
        return plainText(text);
    }
  });
  return parts.join(" ");
}

function isNoFence(line: string): boolean {
  return !FENCES.some((fence) => line.trimStart().startsWith(fence));
}
