/** The reply when the evidence holds no answer: the reason, and the nearest passages. */
import type { Reader } from "../reader/reader.js";
import { mostRelevantFirst, placeOf, titledPlace, type Evidence } from "../state/evidence.js";
import { cutText } from "../text/one-line.js";
import { unitsOf } from "./passage-units.js";
import { asQuotation, cellsOf, looksLikeAnOrder, plainText } from "./plain-text.js";
import { readPassages, type Read, type Readings } from "./readable-units.js";

const NEAREST = 3;
const FENCES = ["```", "~~~"];
const MAX_CHARACTERS = 300;
const LONGEST_MARKER = 5;

/** Says that there is no answer, and shows place and best part of the nearest passages. */
export async function abstention({
  evidence,
  reason,
  question,
  reader,
  signal,
}: {
  /** What was kept, else what was found; an item without text is only named. */
  evidence: readonly Evidence[];
  reason?: string;
  question: string;
  reader: Reader;
  signal?: AbortSignal;
}): Promise<string> {
  const opening =
    reason === undefined
      ? "I could not find an answer to this in the evidence."
      : `I could not find an answer to this: ${reason}`;
  const different = new Map(
    mostRelevantFirst(evidence).map((item) => [
      `${placeOf(item.source)} ${item.text.slice(0, 40)}`,
      item,
    ]),
  );
  if (different.size === 0) return opening;
  const nearest = [...different.values()].slice(0, NEAREST);
  // A reader that fails must not cost the abstention.
  const { readings } = await readPassages({ question, items: nearest, reader, signal }).catch(
    (): Pick<Read, "readings"> => ({ readings: new Map() }),
  );
  const lines = nearest.map(({ id, title, text, source }) => {
    const place = titledPlace(title, source);
    const shown = excerptOf(text, readings.get(id) ?? []);
    if (shown === "") return `- ${place}`;
    return `- ${place}\n  ${looksLikeAnOrder(shown) ? asQuotation(shown) : shown}`;
  });
  return `${opening} The nearest that was found:\n${lines.join("\n")}`;
}

/** A long passage is shown from the quotation that comes nearest to the question. */
function excerptOf(passage: string, units: NonNullable<ReturnType<Readings["get"]>>): string {
  const whole = onOneLine(passage);
  if (whole.length <= MAX_CHARACTERS) return whole;
  const [best] = units.toSorted((a, b) => b.value - a.value);
  const skipped = passage.slice(0, withMarker(passage, best?.start ?? 0));
  const shown = skipped.trim() === "" ? whole : `… ${onOneLine(passage.slice(skipped.length))}`;
  return cutText(shown, MAX_CHARACTERS, { atWord: true, ellipsis: " …" });
}

/** Moves a start back over the marker of a list item, such as "- " or "12. ". */
function withMarker(passage: string, start: number): number {
  const line = passage.slice(0, start).lastIndexOf("\n") + 1;
  return start - line <= LONGEST_MARKER ? line : start;
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
