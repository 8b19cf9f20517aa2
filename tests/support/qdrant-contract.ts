/**
 * What our adapter may ask of Qdrant and what Qdrant answers, in our own words: a strict reading of the published OpenAPI description
 * (qdrant/qdrant, docs/redoc/v1.18.x/openapi.json), narrowed to the endpoints and the fields that are used here. Narrower than the
 * description where it leaves room (a query always says its limit and its vector), and with the bounds that generated types lose.
 */
import { z } from "zod";

const count = z.number().int().min(0);
const atLeastOne = z.number().int().min(1);
/** uint32 of a sparse vector's index. */
const index = count.max(2 ** 32 - 1);
const id = z.union([count, z.uuid()]);
const payload = z.record(z.string(), z.unknown());

const sparse = z
  .strictObject({ indices: z.array(index).min(1), values: z.array(z.number()) })
  .refine(
    ({ indices, values }) => indices.length === values.length,
    "values and indices must be of the same length",
  )
  .refine(({ indices }) => new Set(indices).size === indices.length, "indices must be unique");
const stored = sparse.or(z.strictObject({ indices: z.tuple([]), values: z.tuple([]) }));
const dense = z.array(z.number()).min(1);

const keyword = z.string();
const range = z
  .strictObject({ gt: z.number(), gte: z.number(), lt: z.number(), lte: z.number() })
  .partial();
const field = z.union([
  z.strictObject({
    key: keyword.min(1),
    match: z.union([z.strictObject({ value: keyword }), z.strictObject({ any: z.array(keyword) })]),
  }),
  z.strictObject({ key: keyword.min(1), range }),
  z.strictObject({ has_id: z.array(id) }),
]);
const nested = z.strictObject({
  nested: z.strictObject({
    key: keyword.min(1),
    filter: z.strictObject({ must: z.array(field) }),
  }),
});
const filter: z.ZodType = z.lazy(() => {
  const conditions = z.array(z.union([field, nested, filter])).optional();
  return z.strictObject({ must: conditions, should: conditions, must_not: conditions });
});

const point = z.strictObject({
  id,
  vector: z.record(z.string(), z.union([dense, stored])),
  payload,
});
const selected = { points: z.array(id).min(1) };
const operation = z.union([
  z.strictObject({ upsert: z.strictObject({ points: z.array(point).min(1) }) }),
  z.strictObject({ delete: z.union([z.strictObject({ filter }), z.strictObject(selected)]) }),
  z.strictObject({ set_payload: z.strictObject({ ...selected, payload }) }),
  z.strictObject({ overwrite_payload: z.strictObject({ ...selected, payload }) }),
]);

const leg = {
  query: z.union([dense, sparse]),
  using: z.string().min(1),
  filter,
  limit: atLeastOne,
};
const search = z.strictObject({
  ...leg,
  with_payload: z.boolean(),
  with_vector: z.union([z.boolean(), z.array(z.string())]),
});

const onDisk = z.boolean().optional();
const vectorParams = z.strictObject({
  size: atLeastOne,
  distance: z.enum(["Cosine", "Euclid", "Dot", "Manhattan"]),
  on_disk: onDisk,
});
const sparseParams = z.strictObject({
  modifier: z.enum(["none", "idf"]),
  index: z.strictObject({ on_disk: onDisk }).optional(),
});
const quantization = z.union([
  z.strictObject({ scalar: z.strictObject({ type: z.literal("int8"), always_ram: z.boolean() }) }),
  z.strictObject({ binary: z.strictObject({ always_ram: z.boolean() }) }),
]);
const layout = {
  vectors: z.record(z.string(), vectorParams),
  sparse_vectors: z.record(z.string(), sparseParams),
  shard_number: atLeastOne.optional(),
  replication_factor: atLeastOne.optional(),
  write_consistency_factor: atLeastOne.optional(),
  on_disk_payload: z.boolean().optional(),
};

const fieldType = z.enum([
  "keyword",
  "integer",
  "float",
  "geo",
  "text",
  "bool",
  "datetime",
  "uuid",
]);
const updated = z.strictObject({
  operation_id: count,
  status: z.enum(["acknowledged", "completed", "wait_timeout"]),
});
const record = z.strictObject({ id, payload: payload.optional() });
const scored = record.extend({
  score: z.number(),
  version: count,
  vector: z.record(z.string(), dense).optional(),
});
const info = z.strictObject({
  status: z.enum(["green", "yellow", "grey", "red"]),
  optimizer_status: z.union([z.literal("ok"), z.strictObject({ error: z.string() })]),
  indexed_vectors_count: count,
  points_count: count,
  segments_count: count,
  config: z.strictObject({
    params: z.strictObject(layout),
    hnsw_config: z.strictObject({
      m: count,
      ef_construct: z.number().int().min(4),
      full_scan_threshold: count,
    }),
    optimizer_config: z.strictObject({ default_segment_number: count, flush_interval_sec: count }),
    quantization_config: quantization.optional(),
  }),
  payload_schema: z.record(z.string(), z.strictObject({ data_type: fieldType, points: count })),
});

interface Endpoint {
  route: RegExp;
  /** Absent where there is no body. */
  request?: z.ZodType;
  result: z.ZodType;
  /** Whether `wait=true` must be in the address: without it a write is answered before it is done. */
  waits?: boolean;
}

const ENDPOINTS: readonly Endpoint[] = [
  { route: /^GET \/collections\/[^/]+$/, result: info },
  {
    route: /^PUT \/collections\/[^/]+$/,
    request: z.strictObject({ ...layout, quantization_config: quantization.optional() }),
    result: z.literal(true),
  },
  {
    route: /^PUT \/collections\/[^/]+\/index$/,
    request: z.strictObject({
      field_name: z.string().min(1),
      field_schema: z.union([fieldType, z.looseObject({ type: fieldType })]),
    }),
    result: updated,
    waits: true,
  },
  {
    route: /^PUT \/collections\/[^/]+\/points$/,
    request: z.strictObject({ points: z.array(point).min(1) }),
    result: updated,
    waits: true,
  },
  {
    route: /^POST \/collections\/[^/]+\/points$/,
    request: z.strictObject({ ids: z.array(id).min(1), with_payload: z.boolean() }),
    result: z.array(record),
  },
  {
    route: /^POST \/collections\/[^/]+\/points\/batch$/,
    request: z.strictObject({ operations: z.array(operation).min(1) }),
    result: z.array(updated),
    waits: true,
  },
  {
    route: /^POST \/collections\/[^/]+\/points\/query\/batch$/,
    request: z.strictObject({ searches: z.array(search).min(1) }),
    result: z.array(z.strictObject({ points: z.array(scored) })),
  },
  {
    route: /^POST \/collections\/[^/]+\/points\/count$/,
    request: z.strictObject({ filter, exact: z.boolean() }),
    result: z.strictObject({ count }),
  },
  {
    route: /^POST \/collections\/[^/]+\/points\/scroll$/,
    request: z.strictObject({
      filter,
      limit: atLeastOne,
      offset: id.optional(),
      with_payload: z.union([z.boolean(), z.array(z.string())]),
      with_vector: z.boolean().optional(),
    }),
    result: z.strictObject({ points: z.array(record), next_page_offset: id.nullable() }),
  },
];

const envelope = (result: z.ZodType) =>
  z.strictObject({ usage: z.null(), time: z.number().min(0), status: z.literal("ok"), result });
const failure = z.strictObject({
  time: z.number().min(0),
  status: z.strictObject({ error: z.string().min(1) }),
  result: z.null(),
});
const version = z.strictObject({ title: z.string(), version: z.string().regex(/^\d+\.\d+\.\d+$/) });

/** One request with its answer, as they went over the wire. */
export interface QdrantExchange {
  method: string;
  pathname: string;
  parameters: Readonly<Record<string, string>>;
  request: unknown;
  status: number;
  answer: unknown;
}

/** All ways in which an exchange is not as agreed; empty when it is. */
export function contractProblems({
  method,
  pathname,
  parameters,
  request,
  status,
  answer,
}: QdrantExchange): string[] {
  const route = `${method} ${pathname}`;
  const problems = (what: string, schema: z.ZodType, value: unknown): string[] => {
    const checked = schema.safeParse(value);
    return checked.success ? [] : [`${route} ${what}: ${z.prettifyError(checked.error)}`];
  };
  if (route === "GET /") return problems("answer", version, answer);
  const endpoint = ENDPOINTS.find((each) => each.route.test(route));
  if (endpoint === undefined) return [`${route}: no endpoint of the contract`];
  const unknown = Object.keys(parameters).filter((name) => name !== "wait" && name !== "timeout");
  return [
    ...unknown.map((name) => `${route}: parameter ${name} is not in the contract`),
    ...(endpoint.waits === true && parameters["wait"] !== "true"
      ? [`${route}: does not wait until it is done`]
      : []),
    ...(endpoint.request === undefined ? [] : problems("request", endpoint.request, request)),
    ...(status === 200
      ? problems("answer", envelope(endpoint.result), answer)
      : problems(`answer ${status}`, failure, answer)),
  ];
}
