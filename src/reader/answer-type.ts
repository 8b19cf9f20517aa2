/** The kind of answer that a question expects, by its first question word. */
import { LANGUAGES } from "../text/languages/languages.js";

export const ANSWER_TYPES = ["person", "place", "date", "number"] as const;
export type AnswerType = (typeof ANSWER_TYPES)[number] | "other";

/**
 * Returns the type whose question word stands first: in "Which order fled when the abbey was
 * sacked?" the "when" asks for nothing. `other` where no question word narrows it down.
 */
export function expectedAnswerType(question: string): AnswerType {
  const plain = ` ${question.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  let first: { type: AnswerType; at: number; length: number } = {
    type: "other",
    at: Infinity,
    length: 0,
  };
  for (const { unspaced, questionWords } of LANGUAGES)
    for (const type of [...ANSWER_TYPES, "other"] as const)
      for (const words of questionWords[type] ?? []) {
        const at = plain.indexOf(unspaced ? words : ` ${words} `);
        if (at < 0 || at > first.at || (at === first.at && words.length <= first.length)) continue;
        first = { type, at, length: words.length };
      }
  return first.type;
}
