/** Lets bursts through, but holds the average. */
export interface TokenBucket {
  /** Takes one token, or says no. */
  take(): boolean;
}

/**
 * @param capacity calls that may come at once
 * @param refillPerSecond calls per second in the long run
 */
export function createTokenBucket({
  capacity,
  refillPerSecond,
  now = Date.now,
}: {
  capacity: number;
  refillPerSecond: number;
  now?: () => number;
}): TokenBucket {
  let tokens = capacity;
  let filledAt = now();
  return {
    take() {
      const at = now();
      tokens = Math.min(capacity, tokens + (Math.max(0, at - filledAt) / 1000) * refillPerSecond);
      filledAt = at;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
