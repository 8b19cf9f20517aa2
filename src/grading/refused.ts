/** Recognizes evidence that this run has refused already, under whatever id it is found again. */
import { addressOf, contentKey, type Evidence } from "../state/evidence.js";

/**
 * Returns a lookup of the refused item that a find repeats: the same id or text at the same place,
 * or lines of a refused passage.
 */
export function refusals(
  discarded: readonly Evidence[],
): (found: Evidence) => Evidence | undefined {
  return (found) => {
    const { kind } = found.source;
    const address = addressOf(found.source);
    const there = discarded.filter(
      ({ source }) => source.kind === kind && addressOf(source) === address,
    );
    if (there.length === 0) return undefined;
    const content = contentKey(found);
    return there.find(
      (item) => item.id === found.id || contentKey(item) === content || coversLines(item, found),
    );
  };
}

function coversLines({ source: refused }: Evidence, { source }: Evidence): boolean {
  if (refused.kind !== "file" || source.kind !== "file") return false;
  // The sheets of a workbook each count their rows from 1.
  if (refused.heading !== source.heading) return false;
  const { start_line: start = Infinity, end_line: end = 0 } = refused;
  return start <= (source.start_line ?? 0) && (source.end_line ?? Infinity) <= end;
}
