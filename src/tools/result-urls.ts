/** Which addresses search providers returned, run by run: the only ones that `web_fetch` may open. Kept in memory, bounded in runs and in addresses. */
export interface ResultUrls {
  add(runId: string, url: string): void;
  has(runId: string, url: string): boolean;
}

export function createResultUrls({
  maxRuns = 200,
  maxUrlsPerRun = 100,
}: { maxRuns?: number; maxUrlsPerRun?: number } = {}): ResultUrls {
  const runs = new Map<string, Set<string>>();
  return {
    add(runId, url) {
      const urls = runs.get(runId) ?? new Set<string>();
      // Put back at the end, so that the run that searched least recently is forgotten first.
      runs.delete(runId);
      runs.set(runId, urls);
      if (urls.size < maxUrlsPerRun) urls.add(normalForm(url));
      for (const oldest of runs.keys()) {
        if (runs.size <= maxRuns) break;
        runs.delete(oldest);
      }
    },
    has: (runId, url) => runs.get(runId)?.has(normalForm(url)) ?? false,
  };
}

/** Without the fragment, which is never sent; everything else must match to the letter. */
function normalForm(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.hash = "";
    return parsed.href;
  } catch {
    return url;
  }
}
