import { z } from "zod";

const DAY_IN_MS = 86_400_000;
const Day = z.iso.date();
const Time = z.iso.datetime({ offset: true, local: true });
const Zoned = z.iso.datetime({ offset: true });

/** Returns when an ISO 8601 date begins and ends, in ms since the epoch; UTC by default. */
export function instantsOf(text: string): { start: number; end: number } | undefined {
  // The shortest form; most values are no dates.
  if (text.length < "2024-05-01".length || text.length > 40) return undefined;
  const isDay = Day.safeParse(text).success;
  if (!isDay && !Time.safeParse(text).success) return undefined;
  const start = Date.parse(isDay || Zoned.safeParse(text).success ? text : `${text}Z`);
  return Number.isNaN(start) ? undefined : { start, end: isDay ? start + DAY_IN_MS - 1 : start };
}
