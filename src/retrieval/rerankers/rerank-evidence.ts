import type { Scope } from "../../observability/scope.js";
import { headedTitle, type Evidence } from "../../state/evidence.js";
import type { Reranker } from "../knowledge-base.js";
import { rerank } from "./rerank.js";

/**
 * Evidence in the order that the reranker gives it, title and text read together. When the reranker fails or takes longer than a tool may,
 * the order stays and the run says so in its warnings.
 */
export async function rerankEvidence({
  question,
  evidence,
  reranker,
  scope,
}: {
  question: string;
  evidence: readonly Evidence[];
  reranker: Reranker;
  scope: Scope;
}): Promise<Evidence[]> {
  const { items, warning } = await rerank({
    question,
    items: evidence,
    textOf: (item) => headed(headedTitle(item), item.text),
    reranker,
    signal: scope.signal,
    timeoutInMs: scope.settings.toolTimeoutInMs,
  });
  if (warning !== undefined) scope.warn(warning);
  return items;
}

function headed(title: string, text: string): string {
  return title === "" || text.startsWith(title) ? text : `${title}\n${text}`;
}
