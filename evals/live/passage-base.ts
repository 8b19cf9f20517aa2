import type { Hit, KnowledgeBase, Passage } from "../../src/retrieval/knowledge-base.js";
import { searchTerms } from "../../src/text/analyse.js";

/** A knowledge base in memory, searched by shared terms: enough for a handful of passages, and nothing to build or clean up. */
export function passageBase(
  texts: readonly { path: string; title: string; text: string }[],
): KnowledgeBase {
  const passages = texts.map(({ path, title, text }): Passage => ({
    id: path,
    path,
    title,
    text,
    kind: "markdown",
    startLine: 1,
  }));
  const terms = new Map(
    passages.map((passage) => [
      passage.id,
      new Set(searchTerms(`${passage.title} ${passage.text}`)),
    ]),
  );
  return {
    name: "memory",
    modes: ["keyword"],
    async search(_mode, { query, limit }) {
      const wanted = [...new Set(searchTerms(query))];
      const hits = passages.map((passage): Hit => {
        const value = wanted.filter((term) => terms.get(passage.id)?.has(term) === true).length;
        return { passage, scores: [{ value, scale: "bm25", by: "memory" }] };
      });
      const valueOf = (hit: Hit): number => hit.scores[0]?.value ?? 0;
      return hits
        .filter((hit) => valueOf(hit) > 0)
        .sort((a, b) => valueOf(b) - valueOf(a))
        .slice(0, limit);
    },
    documents: async () => [],
    passagesOf: async (path) => passages.filter((passage) => passage.path === path),
    version: async () => "1",
    stats: async () => ({ documents: passages.length, passages: passages.length }),
    close: async () => undefined,
  };
}
