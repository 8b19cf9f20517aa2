/** The judge of the `signals` profile: no model, three signals. Pure. */
import { scoreOf, type Evidence } from "../state/evidence.js";
import type { Signals } from "../state/verdict.js";
import { analyse, contentTerms, type Token } from "../text/analyse.js";
import { agreementOf } from "./agreement.js";
import { unitScore, type Judgement } from "./judgement.js";
import { combineSignals } from "./signal-weights.js";

export { combineSignals };

/** The rerank signal looks at this many of the best items ("rerank_scores[:3]" in TASK-004). */
const TOP = 3;

interface SignalsInput {
  question: string;
  evidence: readonly Pick<Evidence, "id" | "title" | "text" | "scores">[];
}

/**
 * - `rerank`: the mean of the three best scores in 0–1, from the reranker, or where none ran the cosines; scales are not mixed;
 * - `coverage`: the share of the question's content terms, stemmed, that stand in any passage;
 * - `agreement`: see `agreement.ts`.
 *
 * A signal that cannot be measured is absent.
 */
export function measureSignals({ question, evidence }: SignalsInput): Signals {
  return measure(question, evidence, analysed(evidence));
}

/** The signals as a judgement: of the set, and for each item from its own rerank and coverage. */
export function judgeBySignals({ question, evidence }: SignalsInput): Judgement {
  const tokens = analysed(evidence);
  const asked = new Set(contentTerms(question));
  const scale = scaleAtHand(evidence);
  const scores = evidence.map((item, position): [string, number] => {
    const rerank = scale && scoreOf(item, scale);
    const coverage = covered(asked, [tokens[position] ?? []]);
    return [
      item.id,
      combineSignals({
        ...(rerank === undefined ? {} : { rerank }),
        ...(coverage === undefined ? {} : { coverage }),
      }),
    ];
  });
  return {
    judge: "signals",
    scores: Object.fromEntries(scores),
    signals: measure(question, evidence, tokens),
    parseFailures: 0,
  };
}

function measure(
  question: string,
  evidence: SignalsInput["evidence"],
  tokens: readonly Token[][],
): Signals {
  const rerank = topMean(evidence);
  const coverage =
    evidence.length === 0 ? undefined : covered(new Set(contentTerms(question)), tokens);
  const agreement = agreementOf(
    evidence.map(({ text }, position) => ({ text, tokens: tokens[position] ?? [] })),
  );
  return {
    ...(rerank === undefined ? {} : { rerank }),
    ...(coverage === undefined ? {} : { coverage }),
    ...(agreement === undefined ? {} : { agreement }),
  };
}

/** Each item's text, analysed once for coverage and agreement. */
function analysed(evidence: SignalsInput["evidence"]): Token[][] {
  return evidence.map(({ text }) => analyse(text));
}

/** The scale in 0–1 that is at hand: a reranker's, else the vector search's. */
function scaleAtHand(evidence: SignalsInput["evidence"]): "rerank" | "cosine" | undefined {
  return (["rerank", "cosine"] as const).find((scale) =>
    evidence.some((item) => scoreOf(item, scale) !== undefined),
  );
}

function topMean(evidence: SignalsInput["evidence"]): number | undefined {
  const scale = scaleAtHand(evidence);
  if (scale === undefined) return undefined;
  const best = evidence
    .flatMap((item) => scoreOf(item, scale) ?? [])
    .map(unitScore)
    .sort((a, b) => b - a)
    .slice(0, TOP);
  return best.reduce((sum, score) => sum + score, 0) / best.length;
}

/** The share of the terms asked for that stand in the passages; undefined when the question has none. */
function covered(asked: ReadonlySet<string>, passages: readonly Token[][]): number | undefined {
  if (asked.size === 0) return undefined;
  const found = new Set<string>();
  for (const tokens of passages)
    for (const { term } of tokens) if (asked.has(term)) found.add(term);
  return found.size / asked.size;
}
