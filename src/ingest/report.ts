/** What an ingestion did, and how far it is. */

/** Something that did not become a document, and why. */
export interface NotTaken {
  /** As it was named or found. */
  path: string;
  reason: string;
}

export interface IngestReport {
  /** Documents that were not there before. */
  added: number;
  updated: number;
  unchanged: number;
  removed: number;
  /** What could not be read; the rest was stored all the same. */
  failed: NotTaken[];
  /** Left out on purpose: images, secrets, links that lead out of the folder. */
  skipped: NotTaken[];
  /** In the knowledge base afterwards. */
  documents: number;
  passages: number;
  tookMs: number;
}

/** For a progress bar. */
export interface IngestProgress {
  /** Files and pages done, of `total`. */
  done: number;
  total: number;
  /** The one at hand. */
  path: string;
  /** Documents stored so far in this run; a corpus holds many in one file. */
  stored: number;
  /** `done` and `total` count passages that get a vector. */
  vectors?: true;
}

/** Counts what was not taken by its reason, the most frequent first. */
export function countByReason(items: readonly NotTaken[]): { reason: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { reason } of items) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .toSorted((a, b) => b.count - a.count);
}
