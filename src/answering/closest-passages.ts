/** The passages that come closest, whole, for a run that may assert nothing. */
import type { PassageRelevance, Reader } from "../reader/reader.js";
import type { ClosestPassage } from "../state/answer.js";
import { headedTitles, placeOf, type Evidence } from "../state/evidence.js";
import { contentTerms } from "../text/analyse.js";
import { readPassages, type Read, type ReadUnit } from "./readable-units.js";

const FEWEST = 3;
const MOST = 5;
/** Share of the best passage's value from which a fourth and a fifth passage are shown. */
const NEARLY_AS_GOOD = 0.5;

/**
 * Cosine, and share of the question's words in one sentence, from which a passage comes near
 * whatever the joint reader makes of it, which knows few ways to ask for a short passage. In small
 * knowledge bases 16 of 20 short questions ("vacation days") then get the passages, 7 without it;
 * of questions about something else 6 % of 180 do, 3 % without it.
 */
const NEAR_IN_MEANING = 0.25;
const NEAR_IN_WORDS = 0.5;

/** @param least probability from which a passage comes near */
export function comesNear({ value, signals }: PassageRelevance, least: number): boolean {
  const { joint, cosine = 0, sentence = 0 } = signals;
  // Other encoders than the shipped one call everything alike.
  const isAlike = joint !== undefined && cosine >= NEAR_IN_MEANING;
  return value >= least || isAlike || sentence >= NEAR_IN_WORDS;
}

/** Returns three to five passages, best first, each with the sentence that answers best. */
export async function closestPassages({
  question,
  evidence,
  reader,
  listed,
  signal,
}: {
  question: string;
  /** Items without text are left out, and what is in two places is shown once. */
  evidence: readonly Evidence[];
  reader: Reader;
  /** The words that all of them mention, to return them all with a sentence that does. */
  listed?: string | undefined;
  signal?: AbortSignal;
}): Promise<ClosestPassage[]> {
  const different = new Map(
    evidence.flatMap((item) => (item.text.trim() === "" ? [] : [[item.text.trim(), item]])),
  );
  const items = [...different.values()];
  // A reader that fails must not cost the passages.
  const { readings, order } = await readPassages({ question, items, reader, signal }).catch(
    (): Pick<Read, "readings" | "order"> => ({
      readings: new Map(),
      order: items.map(({ id }) => ({ id, value: 0 })),
    }),
  );
  const isList = listed !== undefined;
  const named = ({ display }: ReadUnit): number => {
    const terms = new Set(contentTerms(display));
    return contentTerms(listed ?? "").filter((term) => terms.has(term)).length;
  };
  const best = Math.max(0, ...order.map(({ value }) => value));
  return order
    .filter(({ value }, index) => isList || index < FEWEST || value >= NEARLY_AS_GOOD * best)
    .slice(0, isList ? undefined : MOST)
    .flatMap(({ id }): ClosestPassage | [] => {
      const item = items.find((each) => each.id === id);
      const units = readings.get(id) ?? [];
      const likely = units.toSorted((a, b) => named(b) - named(a) || b.value - a.value);
      if (item === undefined) return [];
      const { source, text, blocks } = item;
      const [best] = likely;
      return {
        evidence_id: id,
        source,
        headings: headedTitles(item),
        text,
        ...(blocks !== undefined && { blocks }),
        best: best ? [best.start, best.end] : null,
      };
    });
}

/** Writes the passages as Markdown, for clients that only show a text. */
export function closestPassagesText(opening: string, passages: readonly ClosestPassage[]): string {
  const items = passages.map(({ headings, source, text, best }, index) => {
    const heading = [`${index + 1}.`, headings.join(" › ")].filter(Boolean).join(" ");
    const quoted = withBestInBold(text, best).trim().replaceAll("\n", "\n> ");
    return `**${heading}** (${placeOf(source)})\n\n> ${quoted}`;
  });
  return [opening, ...items].join("\n\n");
}

/** Bold text cannot hold line breaks, and breaks the markup inside it. */
function withBestInBold(text: string, best: ClosestPassage["best"]): string {
  const [start, end] = best ?? [0, 0];
  const sentence = text.slice(start, end);
  if (sentence === "" || ["\n", "*", "|"].some((sign) => sentence.includes(sign))) return text;
  return `${text.slice(0, start)}**${sentence}**${text.slice(end)}`;
}
