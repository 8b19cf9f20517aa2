import type { Reader, SetRelevance } from "../../reader/reader.js";
import { asPassage, type Evidence } from "../../state/evidence.js";
import { questionParts } from "../rules/question-parts.js";

/**
 * The reader on a question that may be two in one: what answers one of them is worth as much as if
 * that alone had been asked.
 */
export async function judgeParts({
  reader,
  question,
  evidence,
  signal,
}: {
  reader: Reader;
  question: string;
  evidence: readonly Pick<Evidence, "title" | "source" | "text">[];
  signal?: AbortSignal;
}): Promise<{ set: number; passages: number[] }> {
  const passages = evidence.map(asPassage);
  const parts = questionParts(question);
  const asked = parts.length === 1 ? [question] : [question, ...parts];
  const judged = await Promise.all(
    asked.map((each): Promise<SetRelevance> =>
      reader.relevance({ question: each, passages, signal }),
    ),
  );
  return {
    passages: passages.map((_, index) =>
      Math.max(...judged.map((each) => each.passages[index]?.value ?? 0)),
    ),
    set: Math.max(...judged.map(({ value }) => value)),
  };
}
