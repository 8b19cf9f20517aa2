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
  return (found) => {
    const place = placeOf(found);
    const there = discarded.filter((item) => placeOf(item) === place);
    if (there.length === 0) return undefined;
    const content = contentKey(found);
    return (
      there.find((item) => item.id === found.id || contentKey(item) === content) ??
      coveringPassage(found, there)
    );
  };
}

function placeOf({ source }: Evidence): string {
  return `${source.kind} ${source.kind === "web" ? source.url : source.path}\n`;
}

/**
 * The passage with the first line of what was found, if refused ones there hold all its lines.
 */
function coveringPassage(found: Evidence, there: readonly Evidence[]): Evidence | undefined {
  const wanted = linesOf(found);
  if (wanted === undefined) return undefined;
  const passages = there.flatMap((item) => {
    const lines = linesOf(item);
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
