import type { Evidence } from "../../src/state/evidence.js";

/** A kept passage for tests. */
export function passage(
  id: string,
  title: string,
  text: string,
  more: Partial<Evidence> = {},
): Evidence {
  return {
    id,
    title,
    text,
    source: { kind: "file", path: `${id}.md` },
    tool: "keyword_search",
    round: 0,
    scores: [],
    status: "kept",
    ...more,
  };
}
