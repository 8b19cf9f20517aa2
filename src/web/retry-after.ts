/** Milliseconds that a `Retry-After` header asks for: seconds, or a date. Undefined where there is none or it makes no sense. */
export function retryAfterInMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
