/** A way to look for evidence. RE_RETRIEVE takes one that was not tried yet. */
export const RETRIEVAL_STRATEGIES = ["hybrid", "keyword", "vector", "files", "web"] as const;
export type RetrievalStrategy = (typeof RETRIEVAL_STRATEGIES)[number];
