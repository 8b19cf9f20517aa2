/** Recognizes evidence that this run has refused already, under whatever id it is found again. */
import { contentKey, type Evidence } from "../state/evidence.js";

/**
 * Text is the same when it says the same, or when all of its lines stand in refused passages: two
 * tools cut one file differently, and give the pieces different ids.
 * @returns the refused item that the one found repeats; undefined for text that is new. Pure.
 */
export function refusals(
  discarded: readonly Evidence[],
): (found: Evidence) => Evidence | undefined {
  const byId = new Map(discarded.map((item) => [item.id, item]));
  const byContent = new Map(discarded.map((item) => [placeOf(item) + contentKey(item), item]));
  return (found) =>
    byId.get(found.id) ??
    byContent.get(placeOf(found) + contentKey(found)) ??
    coveringPassage(found, discarded);
}

function placeOf({ source }: Evidence): string {
  return `${source.kind} ${source.kind === "web" ? source.url : source.path}\n`;
}

/**
 * A passage that holds the first line of what was found, if refused passages hold all its lines.
 */
function coveringPassage(found: Evidence, discarded: readonly Evidence[]): Evidence | undefined {
  const wanted = linesOf(found);
  if (wanted === undefined) return undefined;
  const passages = discarded.flatMap((item) => {
    const lines = placeOf(item) === placeOf(found) ? linesOf(item) : undefined;
    return lines === undefined ? [] : [{ item, ...lines }];
  });
  let line = wanted.start;
  let first: Evidence | undefined;
  while (line <= wanted.end) {
    const here = passages.find(({ start, end }) => start <= line && line <= end);
    if (here === undefined) return undefined;
    first ??= here.item;
    line = here.end + 1;
  }
  return first;
}

function linesOf({ source }: Evidence): { start: number; end: number } | undefined {
  if (source.kind !== "file" || source.startLine === undefined) return undefined;
  return source.endLine === undefined
    ? undefined
    : { start: source.startLine, end: source.endLine };
}
