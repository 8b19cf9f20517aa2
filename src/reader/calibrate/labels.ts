/** Labeled data as `calibrate` and the evaluations read it: one JSON object a line. */
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { UserError } from "../../support/errors.js";

const Title = z
  .string()
  .nullish()
  .transform((title) => title ?? "");

/** `relevant` is null where only the set is labeled. */
const LabeledSetSchema = z.object({
  id: z.coerce.string(),
  question: z.string(),
  answerable: z.boolean(),
  passages: z.array(
    z.object({
      title: Title,
      headings: z.array(z.string()).optional(),
      text: z.string(),
      relevant: z.boolean().nullable(),
    }),
  ),
});
export type LabeledSet = z.output<typeof LabeledSetSchema>;

/** The evidence of a claim stands beside it, or is an article in `NAME-articles.jsonl`. */
const ClaimLineSchema = z.object({
  id: z.coerce.string(),
  question: z.string().nullish(),
  claim: z.string(),
  evidence: z.array(z.string()).optional(),
  article: z.string().optional(),
  supported: z.boolean(),
});

export interface LabeledClaim {
  readonly id: string;
  readonly question: string;
  readonly claim: string;
  readonly evidence: readonly { readonly title: string; readonly text: string }[];
  readonly supported: boolean;
}

const ArticleSchema = z.object({ id: z.string(), title: Title, text: z.string() });

/** What comes from one source: what is fitted on several must hold on one that was left out. */
export interface Family {
  readonly name: string;
  readonly sets: readonly LabeledSet[];
  readonly claims: readonly LabeledClaim[];
}

/** Reads one file of labeled sets or claims. Throws `UserError` with file and line. */
export function readFamily(file: string): Family {
  const lines = readLines(file);
  const name = basename(file, ".jsonl");
  const isClaims = typeof lines[0]?.value === "object" && "claim" in (lines[0]?.value ?? {});
  return isClaims
    ? { name, sets: [], claims: readClaims(file, lines) }
    : { name, sets: lines.map((line) => check(line, LabeledSetSchema, SET_HINT)), claims: [] };
}

const SET_HINT =
  'each line is {"id", "question", "answerable", "passages": [{"title", "text", "relevant"}]}';
const CLAIM_HINT = 'each line is {"id", "claim", "evidence": ["…"], "supported"}';

/** Reads a file of labeled claims. Throws `UserError` with file and line. */
export function readClaims(file: string, lines = readLines(file)): LabeledClaim[] {
  const records = lines.map((line) => check(line, ClaimLineSchema, CLAIM_HINT));
  const articles = records.some(({ article }) => article !== undefined)
    ? readArticles(file)
    : undefined;
  return records.map(({ id, question, claim, evidence = [], article = "", supported }) => ({
    id,
    question: question ?? "",
    claim,
    evidence: [...evidence.map((text) => ({ title: "", text })), ...(articles?.get(article) ?? [])],
    supported,
  }));
}

function readArticles(claims: string): Map<string, { title: string; text: string }[]> {
  const name = `${basename(claims, ".jsonl")}-articles.jsonl`;
  const lines = readLines(join(dirname(claims), name));
  const hint = 'each line is {"id", "title", "text"}';
  return new Map(
    lines.map((line) => {
      const { id, title, text } = check(line, ArticleSchema, hint);
      return [id, [{ title, text }]];
    }),
  );
}

interface Line {
  readonly value: unknown;
  readonly where: string;
}

function readLines(file: string): Line[] {
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError(
      `cannot read ${file}: ${why}`,
      "give files of labels, one JSON object a line",
    );
  }
  const found = content.split("\n").flatMap((line, index): Line[] => {
    // A mark of the byte order is white space to `trim`.
    const json = line.trim();
    if (json === "") return [];
    const where = `${file}, line ${index + 1}`;
    try {
      return [{ value: JSON.parse(json), where }];
    } catch {
      throw new UserError(`${where}: not JSON`, "one JSON object a line");
    }
  });
  if (found.length === 0) throw new UserError(`${file} holds no labels`, "one JSON object a line");
  return found;
}

function check<Schema extends z.ZodType>(
  { value, where }: Line,
  schema: Schema,
  hint: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UserError(
    `${where}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "wrong shape"}`,
    hint,
  );
}
