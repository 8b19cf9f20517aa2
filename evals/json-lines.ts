import { readFile } from "node:fs/promises";
import type { z } from "zod";
import { reasonOf, UserError } from "../src/support/errors.js";

/**
 * Reads and validates a file of JSON lines; empty lines are skipped.
 * @param limit maximum number of records
 * @throws UserError naming file and line
 */
export async function readJsonLines<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  what: string,
  limit = Infinity,
): Promise<z.output<Schema>[]> {
  const content = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UserError(
      `cannot read ${file}: ${reasonOf(error)}`,
      `name a file of ${what}, one JSON object per line`,
    );
  });
  const records: z.output<Schema>[] = [];
  for (const [index, line] of content.split("\n").entries()) {
    // `trim` removes a byte order mark, too.
    const json = line.trim();
    if (json === "") continue;
    if (records.length >= limit) break;
    const where = `${file}, line ${index + 1}`;
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch {
      throw new UserError(`${where}: not JSON`, "write one JSON object per line");
    }
    const { success, data, error } = schema.safeParse(value);
    if (!success) {
      const [issue] = error.issues;
      throw new UserError(
        `${where}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "wrong shape"}`,
        `the format of ${what} is described in docs/quality.md`,
      );
    }
    records.push(data);
  }
  if (records.length === 0)
    throw new UserError(`${file} holds no ${what}`, "write one JSON object per line");
  return records;
}
