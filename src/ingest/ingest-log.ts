/** Beside a knowledge base: which files were not taken, and why. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { NotTaken } from "./report.js";

const entrySchema = z.object({
  state: z.enum(["failed", "left_out"]),
  reason: z.string(),
  /** ISO 8601. */
  at: z.string(),
});
const logSchema = z.record(z.string(), entrySchema);

/** Entries by absolute path. */
export type IngestLog = z.infer<typeof logSchema>;

const FILE = "not-ingested.json";
/** The newest are kept. */
const MAX_ENTRIES = 5_000;

/** Returns what is known; nothing where there is no log, or one that cannot be read. */
export async function readIngestLog(directory: string): Promise<IngestLog> {
  try {
    return logSchema.parse(JSON.parse(await readFile(path.join(directory, FILE), "utf8")));
  } catch {
    return {};
  }
}

/** Notes what a run left; files that it took are forgotten. A log that cannot be written is no fault of the run's. */
export async function noteIngestion(
  directory: string,
  {
    seen,
    failed,
    skipped,
  }: {
    seen: readonly { absolutePath: string }[];
    failed: readonly NotTaken[];
    skipped: readonly NotTaken[];
  },
): Promise<void> {
  const at = new Date().toISOString();
  const log = new Map(Object.entries(await readIngestLog(directory)));
  const before = log.size;
  for (const { absolutePath } of seen) log.delete(absolutePath);
  const note = (state: "failed" | "left_out", items: readonly NotTaken[]): void => {
    for (const { path: file, reason } of items) log.set(path.resolve(file), { state, reason, at });
  };
  note("left_out", skipped);
  note("failed", failed);
  if (log.size === 0 && before === 0) return;
  const draft = path.join(directory, `${FILE}.${process.pid}.tmp`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const kept = Object.fromEntries([...log].slice(-MAX_ENTRIES));
    await writeFile(draft, JSON.stringify(kept, undefined, 1), { mode: 0o600 });
    await rename(draft, path.join(directory, FILE));
  } catch {
    return;
  }
}
