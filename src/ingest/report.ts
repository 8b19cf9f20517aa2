/** What an ingestion did. */
export interface IngestReport {
  /** Documents that were not there before. */
  added: number;
  updated: number;
  unchanged: number;
  removed: number;
  /** What could not be read; the rest was stored all the same. */
  failed: { path: string; reason: string }[];
  /** Left out on purpose, e.g. links that lead out of the folder. */
  skipped: { path: string; reason: string }[];
  /** In the knowledge base afterwards. */
  documents: number;
  passages: number;
  tookMs: number;
}

/** How far it is, for a progress bar. */
export interface IngestProgress {
  /** Files and pages done, of `total`. */
  done: number;
  total: number;
  /** The one at hand. */
  path: string;
  /** Documents stored so far in this run; a corpus holds many in one file. */
  stored: number;
}
