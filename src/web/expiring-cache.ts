/** Remembers values for a while, and only so many: the one that was unused for longest goes first. */
export interface ExpiringCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  readonly size: number;
}

/** @param ttlInMs time to live; 0 remembers nothing */
export function createExpiringCache<V>({
  ttlInMs,
  maxEntries,
  now = Date.now,
}: {
  ttlInMs: number;
  maxEntries: number;
  now?: () => number;
}): ExpiringCache<V> {
  const entries = new Map<string, { value: V; expiresAt: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.expiresAt <= now()) return undefined;
      // A map keeps its insertion order: putting the entry back makes it the newest.
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value) {
      if (ttlInMs <= 0) return;
      entries.delete(key);
      entries.set(key, { value, expiresAt: now() + ttlInMs });
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries) break;
        entries.delete(oldest);
      }
    },
    get size() {
      return entries.size;
    },
  };
}
