/** Threads, runs and feedback as they are stored and told to clients. */
import { z } from "zod";

export const THREAD_STATUSES = ["idle", "busy", "interrupted", "error"] as const;
export type ThreadStatus = (typeof THREAD_STATUSES)[number];
export const RUN_STATUSES = ["pending", "running", "success", "error", "interrupted"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

const json = z.string().transform((text): unknown => JSON.parse(text));
const Metadata = json.pipe(z.record(z.string(), z.unknown()));
export const ThreadRow = z.object({
  thread_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  status: z.enum(THREAD_STATUSES),
  metadata: Metadata,
});
export type Thread = z.output<typeof ThreadRow>;
export const RunRow = z.object({
  run_id: z.string(),
  thread_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  status: z.enum(RUN_STATUSES),
  metadata: Metadata,
  kwargs: Metadata,
  multitask_strategy: z.string(),
});
export type StoredRun = z.output<typeof RunRow>;
export const FeedbackRow = z.object({
  run_id: z.string(),
  created_at: z.string(),
  score: z.number(),
  comment: z.string(),
});
export type Feedback = z.output<typeof FeedbackRow>;

export const LabelRow = FeedbackRow.extend({ label: z.string() });
export type LabelRow = z.output<typeof LabelRow>;
