/** What an ingestion tells: its progress and what it did. */

/** For a progress bar. */
export interface IngestProgress {
  /** Files and pages done, of `total`. */
  done: number;
  total: number;
  path: string;
  /** Documents stored until now. */
  stored: number;
  /** Set while vectors are made: `done` and `total` then count passages. */
  vectors?: true;
}

export interface IngestReport {
  added: number;
  updated: number;
  unchanged: number;
  removed: number;
  /** Passages that got their vectors, and are found by meaning from now on. */
  embedded: number;
  /** Could not be read; the rest was stored all the same. */
  failed: NotTaken[];
  /** Left out on purpose: images, files without text, secrets, links out of the folder. */
  skipped: NotTaken[];
  /** Totals of the knowledge base afterwards. */
  documents: number;
  passages: number;
  took_ms: number;
}

/** A file or page that did not become a document. */
export interface NotTaken {
  path: string;
  reason: string;
}

/** Counts items by reason, the most frequent first. */
export function countByReason(items: readonly NotTaken[]): { reason: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { reason } of items) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .toSorted((a, b) => b.count - a.count);
}
