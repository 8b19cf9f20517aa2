/** One collection of the test server: its points and what may be done to them. */
import type { Schemas } from "@qdrant/js-client-rest";
import {
  BadRequest,
  compareIds,
  fuse,
  isRecord,
  isSparse,
  listOf,
  nearest,
  passesFilter,
  type PointId,
  type Scored,
  type Sparse,
  type StoredPoint,
} from "./qdrant-points.js";

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

export class TestCollection {
  readonly points = new Map<PointId, StoredPoint>();
  readonly indexes = new Map<string, unknown>();
  private operations = 0;

  constructor(readonly config: Schemas["CreateCollection"]) {}

  info(): Schemas["CollectionInfo"] {
    const {
      vectors,
      sparse_vectors,
      shard_number,
      replication_factor,
      write_consistency_factor,
      on_disk_payload,
      quantization_config,
    } = this.config;
    return {
      status: "green",
      optimizer_status: "ok",
      indexed_vectors_count: 0,
      points_count: this.points.size,
      segments_count: 1,
      config: {
        params: {
          vectors: vectors ?? {},
          sparse_vectors,
          shard_number: shard_number ?? 1,
          replication_factor: replication_factor ?? 1,
          write_consistency_factor: write_consistency_factor ?? 1,
          on_disk_payload: on_disk_payload ?? true,
        },
        hnsw_config: { m: 16, ef_construct: 100, full_scan_threshold: 10_000 },
        optimizer_config: { default_segment_number: 0, flush_interval_sec: 5 },
        quantization_config,
      },
      payload_schema: Object.fromEntries(
        [...this.indexes.keys()].map((field) => [
          field,
          { data_type: field === "modifiedAt" ? "datetime" : "keyword", points: 0 },
        ]),
      ),
    };
  }

  /** Applies one write; a bad one changes nothing. */
  apply(operation: Record<string, unknown>): Schemas["UpdateResult"] {
    const [[name, body] = ["nothing", undefined]] = Object.entries(operation);
    if (!isRecord(body)) throw new BadRequest("Format error in JSON body");
    switch (name) {
      case "upsert":
        for (const point of listOf(body["points"]).map((raw) => this.parsePoint(raw)))
          this.points.set(point.id, point);
        break;
      case "delete":
        for (const { id } of this.selected(body)) this.points.delete(id);
        break;
      case "set_payload":
        for (const point of this.selected(body))
          point.payload = {
            ...point.payload,
            ...(isRecord(body["payload"]) ? body["payload"] : {}),
          };
        break;
      case "overwrite_payload":
        for (const point of this.selected(body))
          point.payload = isRecord(body["payload"]) ? body["payload"] : {};
        break;
      case "update_vectors":
        for (const point of listOf(body["points"]).map((raw) => this.parsePoint(raw)))
          for (const [name, vector] of point.vectors)
            this.points.get(point.id)?.vectors.set(name, vector);
        break;
      case "delete_payload":
        for (const point of this.selected(body))
          point.payload = Object.fromEntries(
            Object.entries(point.payload).filter(
              ([key]) => !(Array.isArray(body["keys"]) && body["keys"].includes(key)),
            ),
          );
        break;
      default:
        throw new BadRequest(`Format error in JSON body: unknown operation ${name}`);
    }
    this.operations++;
    return { operation_id: this.operations, status: "completed" };
  }

  /** The points that a query finds, prefetches first. */
  query(request: Record<string, unknown>): Scored[] {
    const { query, using, filter } = request;
    const limit = typeof request["limit"] === "number" ? request["limit"] : 10;
    const offset = typeof request["offset"] === "number" ? request["offset"] : 0;
    const prefetches = listOf(request["prefetch"]).map((prefetch) => this.query(prefetch));
    return this.ranked(query, typeof using === "string" ? using : "", filter, prefetches).slice(
      offset,
      offset + limit,
    );
  }

  /** In the order of ids; `offset` is the first id of the page. */
  scroll(body: Record<string, unknown>): { page: StoredPoint[]; next: PointId | null } {
    const limit = typeof body["limit"] === "number" ? body["limit"] : 10;
    const offset = body["offset"];
    const from = typeof offset === "string" || typeof offset === "number" ? offset : undefined;
    const rest = this.filtered(body["filter"])
      .sort((a, b) => compareIds(a.id, b.id))
      .filter(({ id }) => from === undefined || compareIds(id, from) >= 0);
    return { page: rest.slice(0, limit), next: rest[limit]?.id ?? null };
  }

  filtered(filter: unknown): StoredPoint[] {
    return [...this.points.values()].filter(passesFilter(filter));
  }

  private ranked(query: unknown, using: string, filter: unknown, prefetches: Scored[][]): Scored[] {
    if (isRecord(query) && ("rrf" in query || "fusion" in query)) {
      if (prefetches.length === 0)
        throw new BadRequest("Wrong input: cannot apply Fusion without prefetches");
      const rrf = query["rrf"];
      return fuse(prefetches, isRecord(rrf) && typeof rrf["k"] === "number" ? rrf["k"] : 2);
    }
    const vector = isRecord(query) && "nearest" in query ? query["nearest"] : query;
    if (!Array.isArray(vector) && !isSparse(vector))
      throw new BadRequest("Format error in JSON body: this test server does not know this query");
    if (!this.hasVector(using))
      throw new BadRequest(`Wrong input: Not existing vector name error: ${using}`);
    const modifier = this.config.sparse_vectors?.[using]?.modifier === "idf" ? "idf" : "none";
    return nearest(
      [...this.points.values()],
      Array.isArray(vector) ? vector.map(Number) : vector,
      using,
      modifier,
      passesFilter(filter),
    );
  }

  private selected(selector: Record<string, unknown>): StoredPoint[] {
    const ids = selector["points"];
    if (Array.isArray(ids))
      return ids.flatMap((id: unknown) => this.points.get(checkedId(id)) ?? []);
    if (!isRecord(selector["filter"]))
      throw new BadRequest("Format error in JSON body: points or filter expected");
    return this.filtered(selector["filter"]);
  }

  private parsePoint(raw: Record<string, unknown>): StoredPoint {
    const id = checkedId(raw["id"]);
    const given = raw["vector"];
    const entries: [string, unknown][] = Array.isArray(given)
      ? [["", given]]
      : Object.entries(isRecord(given) ? given : {});
    const vectors = new Map(
      entries.map(([name, vector]): [string, number[] | Sparse] => [
        name,
        this.checkedVector(name, vector),
      ]),
    );
    return {
      id,
      vectors,
      payload: isRecord(raw["payload"]) ? raw["payload"] : {},
      version: this.operations,
    };
  }

  private checkedVector(name: string, vector: unknown): number[] | Sparse {
    if (!this.hasVector(name))
      throw new BadRequest(`Wrong input: Not existing vector name error: ${name}`);
    if (isSparse(vector)) {
      if (vector.indices.length !== vector.values.length)
        throw new BadRequest("Validation error: must be the same length as indices");
      if (new Set(vector.indices).size !== vector.indices.length)
        throw new BadRequest("Validation error: must be unique");
      return vector;
    }
    const size = this.sizeOf(name);
    if (!Array.isArray(vector) || vector.length !== size) {
      throw new BadRequest(
        `Wrong input: Vector dimension error: expected dim: ${size}, got ${Array.isArray(vector) ? vector.length : 0}`,
      );
    }
    return vector.map(Number);
  }

  private hasVector(name: string): boolean {
    return this.sizeOf(name) !== undefined || this.config.sparse_vectors?.[name] !== undefined;
  }

  private sizeOf(name: string): number | undefined {
    const vectors: unknown = this.config.vectors;
    const params = name === "" ? vectors : isRecord(vectors) ? vectors[name] : undefined;
    return isRecord(params) && typeof params["size"] === "number" ? params["size"] : undefined;
  }
}

function checkedId(id: unknown): PointId {
  if (typeof id === "string" && UUID.test(id)) return id;
  if (typeof id === "number" && Number.isInteger(id) && id >= 0) return id;
  throw new BadRequest(
    `Format error in JSON body: value ${String(id)} is not a valid point ID, valid values are either an unsigned integer or a UUID`,
  );
}
