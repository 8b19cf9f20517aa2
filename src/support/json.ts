import { readFileSync, statSync } from "node:fs";
import type { z } from "zod";
import { reasonOf, UserError } from "./errors.js";

/** True for an object with named fields, and nothing else. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value of a JSON text, and undefined for any other text: it is no value of JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A text nested too deep overflows the stack, and is no JSON either.
    return undefined;
  }
}

/**
 * Reads a JSON file of the user's.
 * @param what it is, for messages
 * @throws UserError for a file that cannot be read, or has another form
 */
export function readJsonFile<T>(
  file: string,
  schema: z.ZodType<T>,
  { what, hint }: { what: string; hint: string },
): T {
  let value: unknown;
  try {
    // A pipe would have to be waited for.
    if (!statSync(file).isFile()) throw new Error("it is no file");
    // `trim` removes a byte order mark.
    value = JSON.parse(readFileSync(file, "utf8").trim());
  } catch (error) {
    throw new UserError(`cannot read the ${what} ${file}: ${reasonOf(error)}`, hint);
  }
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  const path = issue?.path.join(".") ?? "";
  const why = `${path && `${path}: `}${issue?.message ?? ""}`;
  throw new UserError(`${file} is not a ${what}: ${why}`, hint);
}
