import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { z } from "zod";
import { UserError } from "../../settings/user-error.js";
import type { Family } from "./evidence-set.js";

const LabelledSetSchema = z.object({
  id: z.coerce.string(),
  question: z.string(),
  answerable: z.boolean(),
  passages: z.array(
    z.object({
      title: z
        .string()
        .nullish()
        .transform((title) => title ?? ""),
      headings: z.array(z.string()).optional(),
      text: z.string(),
      relevant: z.boolean(),
    }),
  ),
});

/** Reads labelled questions with their passages, one JSON object a line; the file's name names the family. Throws `UserError` with file and line. */
export function readFamily(file: string): Family {
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(
      `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`,
      "give files of labelled evidence",
    );
  }
  const sets = content
    .replace(/^\ufeff/u, "")
    .split("\n")
    .flatMap((line, index) =>
      line.trim() === "" ? [] : [readSet(line, `${file}, line ${index + 1}`)],
    );
  if (sets.length === 0)
    throw new UserError(`${file} holds no labelled questions`, "one JSON object a line");
  return { name: basename(file).replace(/\.jsonl$/u, ""), sets };
}

function readSet(line: string, where: string): z.infer<typeof LabelledSetSchema> {
  const hint =
    'each line is {"id", "question", "answerable", "passages": [{"title", "text", "relevant"}]}';
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new UserError(`${where}: not JSON`, hint);
  }
  const parsed = LabelledSetSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UserError(
    `${where}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "wrong shape"}`,
    hint,
  );
}
