/** The documented semantics of points: filters, nearest neighbours, BM25's IDF, fusion. Pure; the server around it speaks HTTP. */

export type PointId = string | number;
export interface Sparse {
  indices: number[];
  values: number[];
}
export interface StoredPoint {
  id: PointId;
  /** Unnamed vectors go by "". */
  vectors: Map<string, number[] | Sparse>;
  payload: Record<string, unknown>;
  version: number;
}
export interface Scored {
  point: StoredPoint;
  score: number;
}

/** Thrown for what the server answers with 400. */
export class BadRequest extends Error {}

export function isSparse(vector: unknown): vector is Sparse {
  return typeof vector === "object" && vector !== null && "indices" in vector;
}

export function compareIds(a: PointId, b: PointId): number {
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Points by cosine, or by dot product with IDF; only those that have the vector and pass the filter, best first. */
export function nearest(
  points: readonly StoredPoint[],
  query: number[] | Sparse,
  using: string,
  modifier: "idf" | "none",
  passes: (point: StoredPoint) => boolean,
): Scored[] {
  const holders = points.filter((point) => point.vectors.has(using));
  const weight = isSparse(query) && modifier === "idf" ? idfOf(holders, using) : () => 1;
  const scored: Scored[] = [];
  for (const point of holders) {
    if (!passes(point)) continue;
    const vector = point.vectors.get(using);
    if (isSparse(query) && isSparse(vector)) {
      const values = new Map(
        vector.indices.map((index, position) => [index, vector.values[position] ?? 0]),
      );
      const shared = query.indices.filter((index) => values.has(index));
      if (shared.length === 0) continue;
      const score = query.indices.reduce(
        (sum, index, position) =>
          sum + (query.values[position] ?? 0) * (values.get(index) ?? 0) * weight(index),
        0,
      );
      scored.push({ point, score });
    } else if (Array.isArray(query) && Array.isArray(vector)) {
      if (query.length !== vector.length)
        throw new BadRequest(
          `Wrong input: Vector dimension error: expected dim: ${vector.length}, got ${query.length}`,
        );
      scored.push({ point, score: cosine(query, vector) });
    } else {
      throw new BadRequest(`Wrong input: Conversion between sparse and regular vectors failed`);
    }
  }
  return scored.sort((a, b) => b.score - a.score || compareIds(a.point.id, b.point.id));
}

function idfOf(holders: readonly StoredPoint[], using: string): (index: number) => number {
  const frequency = new Map<number, number>();
  for (const { vectors } of holders) {
    const vector = vectors.get(using);
    if (isSparse(vector))
      for (const index of vector.indices) frequency.set(index, (frequency.get(index) ?? 0) + 1);
  }
  return (index) => {
    const count = frequency.get(index) ?? 0;
    return Math.log((holders.length - count + 0.5) / (count + 0.5) + 1);
  };
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0);
  const length = Math.sqrt(dot(a, a) * dot(b, b));
  return length === 0 ? 0 : dot(a, b) / length;
}

/** Reciprocal rank fusion as the server does it: positions count from 0, k is 2 unless given. */
export function fuse(lists: readonly Scored[][], k: number): Scored[] {
  const fused = new Map<PointId, Scored>();
  for (const list of lists) {
    for (const [position, { point }] of list.entries()) {
      const entry = fused.get(point.id) ?? { point, score: 0 };
      fused.set(point.id, { point, score: entry.score + 1 / (position + k) });
    }
  }
  return [...fused.values()].sort(
    (a, b) => b.score - a.score || compareIds(a.point.id, b.point.id),
  );
}

/** All keys that a filter looks at. */
export function keysOf(filter: unknown): string[] {
  return conditionsIn(filter).flatMap((condition) => {
    const { key, nested } = condition;
    if (isRecord(nested))
      return keysOf(nested["filter"]).map((inner) => `${String(nested["key"])}[].${inner}`);
    return typeof key === "string" ? [key] : keysOf(condition);
  });
}

function conditionsIn(filter: unknown): Record<string, unknown>[] {
  if (!isRecord(filter)) return [];
  return ["must", "should", "must_not"].flatMap((clause) => listOf(filter[clause]));
}

/** A filter as a test. */
export function passesFilter(filter: unknown): (point: StoredPoint) => boolean {
  if (!isRecord(filter)) return () => true;
  const must = listOf(filter["must"]).map(passesCondition);
  const mustNot = listOf(filter["must_not"]).map(passesCondition);
  const should = listOf(filter["should"]).map(passesCondition);
  return (point) =>
    must.every((passes) => passes(point)) &&
    !mustNot.some((passes) => passes(point)) &&
    (should.length === 0 || should.some((passes) => passes(point)));
}

function passesCondition(condition: Record<string, unknown>): (point: StoredPoint) => boolean {
  const { has_id: ids, key, match, range, nested } = condition;
  if (Array.isArray(ids)) return ({ id }) => ids.includes(id);
  // All conditions must hold for one and the same element.
  if (isRecord(nested)) {
    const passes = passesFilter(nested["filter"]);
    const name = String(nested["key"]);
    return (point) => listOf(point.payload[name]).some((payload) => passes({ ...point, payload }));
  }
  if (typeof key !== "string") return passesFilter(condition);
  const test = isRecord(match) ? matchTest(match) : isRecord(range) ? rangeTest(range) : undefined;
  if (!test) throw new BadRequest(`Bad request: unknown condition on ${key}`);
  return ({ payload }) => [valueAt(payload, key)].flat().some(test);
}

/** Nested keys are written with dots. */
function valueAt(payload: Record<string, unknown>, key: string): unknown {
  return key
    .split(".")
    .reduce<unknown>((value, part) => (isRecord(value) ? value[part] : undefined), payload);
}

function matchTest(match: Record<string, unknown>): (value: unknown) => boolean {
  const { any } = match;
  if (Array.isArray(any)) return (value) => any.includes(value);
  return (value) => value !== undefined && value === match["value"];
}

function rangeTest(range: Record<string, unknown>): (value: unknown) => boolean {
  const bounds = Object.entries(range).map(([name, bound]) => {
    if (typeof bound !== "number")
      throw new BadRequest(
        "Format error in JSON body: data did not match any variant of untagged enum RangeInterface",
      );
    return { name, bound };
  });
  return (value) =>
    typeof value === "number" &&
    bounds.every(({ name, bound }) =>
      name === "gte"
        ? value >= bound
        : name === "lte"
          ? value <= bound
          : name === "gt"
            ? value > bound
            : value < bound,
    );
}

export function listOf(value: unknown): Record<string, unknown>[] {
  return [value].flat().filter(isRecord);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
