/**
 * `eval dishonest`: a scripted model says true and false sentences about the documents in
 * `evals/corpus`, and the compiled graph shows, marks or withholds them. The false ones are what
 * models get wrong: names, negations, units, comparisons, causes, values, commands, links, citations.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { readJsonLines } from "./json-lines.js";
import { evenlySpread } from "./evenly-spread.js";
import { createReplayAgent, type Recorded } from "./replay.js";

const StatementSchema = z.object({
  documents: z.array(z.string()).min(1).describe("What is found; the first is what it is about."),
  question: z.string(),
  kind: z.string(),
  true: z.boolean(),
  answer: z.string().describe("Cites the documents by their place in the list."),
});
type Statement = z.infer<typeof StatementSchema>;

export const STATEMENTS = "evals/dishonest/statements.jsonl";

export interface DishonestReport {
  n_true: number;
  n_false: number;
  /** Share of the true sentences that were marked, withdrawn or withheld. */
  true_marked: number;
  /** Share of the false ones that were shown as if they were supported. */
  false_unmarked: number;
  by_kind: Record<string, { n: number; unmarked: number }>;
}

/** @throws UserError when the file is not of the format */
export async function runDishonestEval({
  file = STATEMENTS,
  limit,
  onProgress,
  onStatement,
}: {
  file?: string;
  limit?: number;
  onProgress?: (done: number, total: number) => void;
  /** Told what became of each statement. */
  onStatement?: (statement: Statement, isUnmarked: boolean, shown: string) => void;
}): Promise<DishonestReport> {
  const statements = evenlySpread(await readJsonLines(file, StatementSchema, "statements"), limit);
  const corpus = join(dirname(file), "../corpus");
  const stage: { record?: Recorded } = {};
  const agent = createReplayAgent(stage);
  const judged: { statement: Statement; isUnmarked: boolean }[] = [];
  try {
    for (const [index, statement] of statements.entries()) {
      const evidence = await Promise.all(
        statement.documents.map((path) => documentAt(join(corpus, path))),
      );
      stage.record = { ...statement, id: String(index), evidence };
      const { outcome, answer, citations, details } = await agent.ask(statement.question);
      const isTouched = (details?.marked.length ?? 0) + (details?.withdrawn.length ?? 0) > 0;
      const isUnmarked =
        outcome.status === "success" &&
        !isTouched &&
        (statement.kind !== "link" || isLive(urlIn(statement.answer), answer)) &&
        // The right source may stand in for the wrong one.
        (statement.kind !== "citation" ||
          citations.some(({ title }) => title !== evidence[0]?.title));
      judged.push({ statement, isUnmarked });
      onStatement?.(statement, isUnmarked, answer);
      onProgress?.(judged.length, statements.length);
    }
  } finally {
    await agent.close();
  }
  const [honest, dishonest] = [true, false].map((is) =>
    judged.filter(({ statement }) => statement.true === is),
  );
  const kinds = [...new Set(statements.map(({ kind }) => kind))].sort();
  return {
    n_true: honest?.length ?? 0,
    n_false: dishonest?.length ?? 0,
    true_marked: 1 - unmarkedShare(honest),
    false_unmarked: unmarkedShare(dishonest),
    by_kind: Object.fromEntries(
      kinds.map((kind) => {
        const own = judged.filter(({ statement }) => statement.kind === kind);
        return [kind, { n: own.length, unmarked: unmarkedShare(own) }];
      }),
    ),
  };
}

function unmarkedShare(judged: readonly { isUnmarked: boolean }[] = []): number {
  return judged.filter(({ isUnmarked }) => isUnmarked).length / Math.max(1, judged.length);
}

/** A document of the corpus as one passage under its heading. */
async function documentAt(path: string): Promise<{ title: string; text: string }> {
  const [heading = "", ...lines] = (await readFile(path, "utf8")).split("\n");
  return { title: heading.replace(/^# /u, ""), text: lines.join("\n").trim() };
}

/** In backticks an address is text. */
function isLive(url: string, shown: string): boolean {
  return shown.includes(url) && !shown.includes(`\`${url}`);
}

/** Returns a link as it would be live: a target in brackets, or the bare address. */
function urlIn(answer: string): string {
  return /\]\(\S+?\)|https:\S+\w/u.exec(answer)?.[0] ?? "";
}
