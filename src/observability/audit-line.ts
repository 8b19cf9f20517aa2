import { cutText } from "../text/one-line.js";
import type { RecordedEvent } from "./events.js";
import { redact } from "./redact.js";

/** Lines longer than this are shortened, so that one event can never fill the disk or a reader's memory. In UTF-16 code units. Generous: a replay needs whole passages. */
export const MAX_LINE_LENGTH = 1024 * 1024;

const SHORTER_TEXTS = [4000, 1000, 200];

/**
 * One event as one line of JSON, secrets taken out, ending in a newline. An event that is too long loses the ends of its texts first
 * and is marked as `shortened`, and at last everything but its type. Never throws.
 */
export function auditLine(
  event: RecordedEvent,
  {
    secrets,
    maxLength = MAX_LINE_LENGTH,
  }: { secrets?: readonly string[]; maxLength?: number } = {},
): string {
  const whole = JSON.stringify(redact(event, secrets));
  if (whole.length < maxLength) return `${whole}\n`;
  const marked = redact({ ...event, shortened: true }, secrets);
  for (const length of SHORTER_TEXTS) {
    const shorter = JSON.stringify(marked, (_key, value: unknown) =>
      typeof value === "string" ? cutText(value, length) : value,
    );
    if (shorter.length < maxLength) return `${shorter}\n`;
  }
  return `${JSON.stringify({ type: event.type, at: event.at, run_id: event.run_id, node: event.node, truncated: true })}\n`;
}
