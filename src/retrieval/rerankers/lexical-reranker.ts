import { contentTerms } from "../../text/analyse.js";
import { idf } from "../../text/background.js";
import type { Reranker } from "../knowledge-base.js";

export interface LexicalRerankerOptions {
  /**
   * A judge that gives each text a probability of relevance in 0–1, question first; IDF-weighted coverage with proximity by default.
   * The composition root passes the calibrated passage judge here.
   */
  judge?: (question: string, texts: readonly string[]) => readonly number[];
}

/** Share of the score that closeness of the terms makes up; coverage makes up the rest. */
const PROXIMITY_SHARE = 0.25;

/** The embedded reranker: no model, no network, under a millisecond for a page of passages. */
export function lexicalReranker({
  judge = scoreByCoverage,
}: LexicalRerankerOptions = {}): Reranker {
  return {
    name: "lexical",
    async score(question, texts) {
      return [...judge(question, texts)];
    },
  };
}

/** Coverage of the question's terms, weighted by their rarity, and how closely those found stand together. In 0–1. */
export function scoreByCoverage(question: string, texts: readonly string[]): number[] {
  const wanted = new Set(contentTerms(question));
  const total = sum([...wanted].map(idf));
  if (total === 0) return texts.map(() => 0);
  return texts.map((text) => {
    const terms = contentTerms(text);
    const found = new Set(terms.filter((term) => wanted.has(term)));
    const coverage = sum([...found].map(idf)) / total;
    return coverage * (1 - PROXIMITY_SHARE + PROXIMITY_SHARE * proximity(terms, found));
  });
}

/** 1 when all found terms stand side by side, towards 0 the more other terms lie in the shortest stretch that holds them all. */
function proximity(terms: readonly string[], found: ReadonlySet<string>): number {
  if (found.size < 2) return found.size;
  const counts = new Map<string, number>();
  let shortest = terms.length;
  let start = 0;
  for (const [end, term] of terms.entries()) {
    if (!found.has(term)) continue;
    counts.set(term, (counts.get(term) ?? 0) + 1);
    while (counts.size === found.size) {
      shortest = Math.min(shortest, end - start + 1);
      const first = terms[start++];
      const count = first === undefined ? undefined : counts.get(first);
      if (first === undefined || count === undefined) continue;
      if (count === 1) counts.delete(first);
      else counts.set(first, count - 1);
    }
  }
  return found.size / shortest;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
