/** A cache bounded in size and time: the least recently used entry goes first, and none is served after its time. */

export interface Cache<Value> {
  /** The value, if it is there and still fresh. */
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  readonly size: number;
}

export interface CacheOptions {
  /** Entries at most. */
  maxEntries?: number;
  /** Milliseconds after which an entry is stale. */
  ttlInMs?: number;
  /** Milliseconds since some fixed moment. */
  now?: () => number;
}

/** Five minutes and 500 searches by default: about 10 MB with 20 passages each. */
export function createCache<Value>({
  maxEntries = 500,
  ttlInMs = 300_000,
  now = Date.now,
}: CacheOptions = {}): Cache<Value> {
  // A Map keeps the order of insertion; a hit is inserted anew, so the first key is the one least recently used.
  const entries = new Map<string, { value: Value; staleFrom: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (now() >= entry.staleFrom) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, { value, staleFrom: now() + ttlInMs });
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

/** A cache key that changes with the query and with the content of the knowledge base (`KnowledgeBase.version`). */
export function cacheKey(version: string, ...parts: readonly unknown[]): string {
  return JSON.stringify([version, ...parts]);
}
