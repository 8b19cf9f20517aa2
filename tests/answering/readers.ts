import { createReader } from "../../src/reader/create-reader.js";
import type { Reader } from "../../src/reader/reader.js";

/** The reader that needs no encoder. */
export const lexical: Reader = createReader({ model: "lexical" });

/** A reader whose numbers the test scripts, by the text that is read. */
export function scriptedReader({
  relevance = () => 0.5,
  support = () => 0.9,
}: {
  relevance?: (text: string) => number;
  support?: (claim: string) => number;
}): Reader {
  return {
    name: "scripted",
    relevance: async ({ passages }) => {
      const read = passages.map(({ text }) => ({ value: relevance(text), signals: {} }));
      return { value: Math.max(0, ...read.map(({ value }) => value)), passages: read };
    },
    read: async ({ passages }) => {
      const read = passages.map(({ text, units }) => ({
        value: relevance(text),
        units: units.map((unit) => relevance(unit.text)),
      }));
      const best = read.map(({ units }) => Math.max(0, ...units));
      const order = [...best.keys()].sort((a, b) => (best[b] ?? 0) - (best[a] ?? 0));
      return { passages: read, order, confidence: best[order[0] ?? -1] ?? 0 };
    },
    support: async ({ claims, evidence }) =>
      claims.map((claim) => ({
        value: support(claim),
        signals: {},
        ...(evidence[0] !== undefined && {
          best: { evidence: 0, start: 0, end: Math.min(20, evidence[0].text.length) },
        }),
      })),
    close: async () => undefined,
  };
}
