import { z } from "zod";
import type { SearchFilter } from "../retrieval/knowledge-base.js";

/** Queries of one call at most. */
const MAX_QUERIES = 8;
const MAX_QUERY_CHARACTERS = 4_000;

const KINDS = ["markdown", "text", "html", "pdf", "docx", "csv", "json", "epub", "web"] as const;

const query = z
  .string()
  .trim()
  .min(1)
  .transform((text) => text.slice(0, MAX_QUERY_CHARACTERS));
const absent = z.null().transform(() => undefined);

const searchArgs = z.object({
  query: query.optional().or(absent),
  queries: z.array(query).optional().or(absent),
  path: z.string().min(1).optional().or(absent),
  kind: z.enum(KINDS).optional().or(absent),
  modified_after: z.iso
    .date()
    .or(z.iso.datetime({ offset: true }))
    .optional()
    .or(absent),
  modified_before: z.iso
    .date()
    .or(z.iso.datetime({ offset: true }))
    .optional()
    .or(absent),
  limit: z.number().int().min(1).max(100).optional().or(absent),
});

export interface SearchArgs {
  /** At least one, no two alike. */
  queries: string[];
  filter?: SearchFilter;
  limit?: number;
}

/** For planners that are models. Kept by hand, since it must stay within what every endpoint's strict mode understands. */
export const SEARCH_PARAMETERS: Record<string, unknown> = {
  type: "object",
  properties: {
    query: { type: "string", description: "What to look for" },
    queries: {
      type: "array",
      items: { type: "string" },
      description: "Several ways to ask at once; the results are merged",
    },
    path: { type: "string", description: "Only this path, this folder (ends in /) or this glob" },
    kind: { type: "string", enum: [...KINDS], description: "Only documents of this kind" },
    modified_after: {
      type: "string",
      description: "Only documents changed on or after this ISO 8601 date",
    },
    modified_before: {
      type: "string",
      description: "Only documents changed on or before this ISO 8601 date",
    },
    limit: { type: "integer", minimum: 1, maximum: 100, description: "Passages at most" },
  },
  required: ["query"],
  additionalProperties: false,
};

/** @throws Error that says which argument is wrong */
export function readSearchArgs(args: Record<string, unknown>): SearchArgs {
  const parsed = searchArgs.safeParse(args);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(
      `argument ${issue?.path.join(".") || "?"} is not valid: ${issue?.message ?? "?"}`,
    );
  }
  const {
    path,
    kind,
    modified_after: modifiedAfter,
    modified_before: modifiedBefore,
    limit,
  } = parsed.data;
  const queries = [
    ...new Set([...(parsed.data.query ? [parsed.data.query] : []), ...(parsed.data.queries ?? [])]),
  ].slice(0, MAX_QUERIES);
  if (queries.length === 0) throw new Error("a query is needed");
  const filter = withoutUndefined({ path, kind, modifiedAfter, modifiedBefore });
  return {
    queries,
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
    ...withoutUndefined({ limit }),
  };
}

function withoutUndefined<T extends object>(record: T): Partial<T> {
  const entries: [string, unknown][] = Object.entries(record).filter(
    ([, value]) => value !== undefined,
  );
  return Object.assign<Partial<T>, object>({}, Object.fromEntries(entries));
}
