/** Reads bodies within bounds, and says in one line what does not fit. */
import type { z } from "zod";
import { HttpProblem } from "./http-problem.js";

const MAX_DEPTH = 24;
/** Keys and items together. */
const MAX_PARTS = 20_000;
/** Names with a meaning for JavaScript or for LangChain's deserialization. */
const RESERVED: readonly string[] = ["__proto__", "constructor", "prototype"];

/**
 * Parses a body and bounds its shape, whatever route it is for.
 * @throws HttpProblem
 */
export function boundedJson(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new HttpProblem(400, "the body is not JSON");
  }
  let parts = 0;
  const open: { value: unknown; depth: number }[] = [{ value: body, depth: 0 }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, depth } = item;
    if (typeof value !== "object" || value === null) continue;
    if (depth >= MAX_DEPTH)
      throw new HttpProblem(413, `the body is deeper than ${MAX_DEPTH} levels`);
    const reserved = Object.keys(value).find((key) => RESERVED.includes(key));
    if (reserved !== undefined) throw new HttpProblem(422, `"${reserved}" is no name for a field`);
    const inner: unknown[] = Object.values(value);
    parts += inner.length;
    if (parts > MAX_PARTS)
      throw new HttpProblem(413, `the body has more than ${MAX_PARTS} fields and items`);
    for (const each of inner) open.push({ value: each, depth: depth + 1 });
  }
  return body;
}

/** @throws HttpProblem that names the first field that does not fit */
export function parsed<T>(schema: z.ZodType<T>, given: unknown): T {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.join(".") ?? "";
  if (issue?.code === "unrecognized_keys") {
    const names = issue.keys.map((key) => JSON.stringify(key.slice(0, 60))).join(", ");
    throw new HttpProblem(422, `this server knows no ${names}${place && ` in ${place}`}`);
  }
  throw new HttpProblem(422, `${place || "the body"}: ${issue?.message ?? "is not valid"}`);
}
