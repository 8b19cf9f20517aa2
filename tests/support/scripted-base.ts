/** A knowledge base whose searches are scripted: each search takes the next list, the last one for ever. */
import type {
  Hit,
  KnowledgeBase,
  Passage,
  SearchMode,
} from "../../src/retrieval/knowledge-base.js";

export interface ScriptedBase extends KnowledgeBase {
  readonly searches: { mode: SearchMode; query: string }[];
}

const SCALES = { keyword: "bm25", vector: "cosine", hybrid: "fusion" } as const;

const TOPICS = [
  "harbour",
  "orchard",
  "glacier",
  "violin",
  "satellite",
  "bakery",
  "granite",
  "parliament",
  "comet",
  "railway",
  "lantern",
  "beetle",
];

/** A passage with a text of its own. */
export function passage(id: string, text?: string): Passage {
  const topic =
    TOPICS[Buffer.from(id).reduce((sum, byte) => sum + byte, 0) % TOPICS.length] ?? "harbour";
  return {
    id,
    title: `About ${id}`,
    path: `${id}.md`,
    kind: "markdown",
    startLine: 1,
    endLine: 3,
    // Words of its own throughout, so that no two are near-duplicates.
    text:
      text ??
      `The ${topic} keeper of ${id} counted ${id.length + 3} things ${[1, 2, 3, 4, 5, 6].map((n) => `${id}${n}`).join(" ")}.`,
  };
}

/** @param lists passages by search, or with the score that the search gives each */
export function scriptedBase(
  lists: readonly (readonly (Passage | { passage: Passage; score: number })[])[],
  modes: readonly SearchMode[] = ["keyword"],
): ScriptedBase {
  const searches: { mode: SearchMode; query: string }[] = [];
  return {
    name: "scripted",
    modes,
    searches,
    async search(mode, { query, limit }) {
      const list = lists[Math.min(searches.length, lists.length - 1)] ?? [];
      searches.push({ mode, query });
      return list.slice(0, limit).map((entry, index): Hit => {
        const { passage: found, score } =
          "passage" in entry ? entry : { passage: entry, score: 1 - index / 100 };
        return { passage: found, scores: [{ value: score, scale: SCALES[mode], by: mode }] };
      });
    },
    documents: async () => [],
    passagesOf: async () => [],
    version: async () => "1",
    stats: async () => ({ documents: 0, passages: lists.flat().length }),
    close: async () => undefined,
  };
}
