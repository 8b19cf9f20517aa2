/**
 * A date as ISO 8601, from whatever providers and pages write: ISO, RFC 2822, MediaWiki's stamps. A bare day stays a bare day; a time without a
 * zone is read as UTC. Undefined for anything that is no date of a year between 1000 and 2100.
 * @example isoDate("Tue, 12 Nov 2024 08:00:00 GMT") // "2024-11-12T08:00:00.000Z"
 */
export function isoDate(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (text.length > 60 || !/[12]\d{3}/.test(text)) return undefined;
  const withoutZone = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(text);
  const time = Date.parse(withoutZone ? `${text.replace(" ", "T")}Z` : text);
  if (Number.isNaN(time)) return undefined;
  const iso = new Date(time).toISOString();
  if (!/^(1\d|20)\d\d-/.test(iso)) return undefined;
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : iso;
}
