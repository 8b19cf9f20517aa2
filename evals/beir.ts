/** Reader of BEIR's layout: `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { UserError } from "../src/support/errors.js";

export interface RetrievalQuery {
  id: string;
  text: string;
  /** Grade of each judged document, 0 for irrelevant. */
  grades: ReadonlyMap<string, number>;
}

export interface RetrievalSet {
  /** Path of the file with the documents. */
  corpus: string;
  split: string;
  /** Those with at least one relevant document, in the order of the file. */
  queries: RetrievalQuery[];
}

/**
 * Reads queries and judgements; the corpus stays on disk.
 * @param split name of a file in `qrels/`; by default `test`, else `dev`, else the first there is
 * @throws UserError when the directory is not in this layout
 */
export function readRetrievalSet(directory: string, split?: string): RetrievalSet {
  const corpus = path.join(directory, "corpus.jsonl");
  const queries = path.join(directory, "queries.jsonl");
  for (const file of [corpus, queries]) {
    if (!existsSync(file))
      throw new UserError(
        `There is no ${file}`,
        "Name a directory in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv.",
      );
  }
  const folder = path.join(directory, "qrels");
  const splits = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".tsv"))
        .map((name) => name.slice(0, -4))
        .sort()
    : [];
  const chosen = split ?? ["test", "dev"].find((name) => splits.includes(name)) ?? splits[0];
  if (chosen === undefined || !splits.includes(chosen)) {
    throw new UserError(
      `There is no split ${chosen ?? ""} in ${folder}`,
      splits.length > 0 ? `There are: ${splits.join(", ")}.` : "Each split is a file SPLIT.tsv.",
    );
  }
  const grades = readGrades(path.join(folder, `${chosen}.tsv`));
  return {
    corpus,
    split: chosen,
    queries: readQueries(queries).flatMap(({ id, text }) => {
      const judged = grades.get(id);
      return judged !== undefined && [...judged.values()].some((grade) => grade > 0)
        ? [{ id, text, grades: judged }]
        : [];
    }),
  };
}

function readGrades(file: string): Map<string, Map<string, number>> {
  const grades = new Map<string, Map<string, number>>();
  for (const line of readFileSync(file, "utf8").split("\n").slice(1)) {
    const [query, document, grade] = line.trim().split("\t");
    if (query === undefined || document === undefined || grade === undefined) continue;
    const judged = grades.get(query) ?? new Map<string, number>();
    grades.set(query, judged.set(document, Number(grade)));
  }
  return grades;
}

function readQueries(file: string): { id: string; text: string }[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, index) => {
      if (line.trim() === "") return [];
      const value: unknown = JSON.parse(line);
      if (
        typeof value !== "object" ||
        value === null ||
        !("_id" in value) ||
        !("text" in value) ||
        typeof value.text !== "string"
      ) {
        throw new UserError(`${file}:${index + 1} is not a record with _id and text`);
      }
      return [{ id: String(value._id), text: value.text }];
    });
}
