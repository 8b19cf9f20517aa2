/** Claims and whether their evidence supports them: one JSON object a line. */
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { readJsonLines } from "./json-lines.js";

/** The evidence of a claim stands beside it, or is an article in `NAME-articles.jsonl`. */
const ClaimLineSchema = z.object({
  id: z.coerce.string(),
  question: z.string().nullish(),
  claim: z.string(),
  evidence: z.array(z.string()).optional(),
  article: z.string().optional(),
  supported: z.boolean(),
});
const ArticleSchema = z.object({ id: z.string(), title: z.string().nullish(), text: z.string() });

export interface LabeledClaim {
  readonly id: string;
  readonly question: string;
  readonly claim: string;
  readonly evidence: readonly { readonly title: string; readonly text: string }[];
  readonly supported: boolean;
}

/** @throws UserError naming file and line */
export async function readClaims(file: string): Promise<LabeledClaim[]> {
  const records = await readJsonLines(file, ClaimLineSchema, "labeled claims");
  const articles = records.some(({ article }) => article !== undefined)
    ? await readArticles(file)
    : undefined;
  return records.map(({ id, question, claim, evidence = [], article = "", supported }) => ({
    id,
    question: question ?? "",
    claim,
    evidence: [...evidence.map((text) => ({ title: "", text })), ...(articles?.get(article) ?? [])],
    supported,
  }));
}

async function readArticles(
  claims: string,
): Promise<Map<string, { title: string; text: string }[]>> {
  const file = join(dirname(claims), `${basename(claims, ".jsonl")}-articles.jsonl`);
  const articles = await readJsonLines(file, ArticleSchema, "articles");
  return new Map(articles.map(({ id, title, text }) => [id, [{ title: title ?? "", text }]]));
}
