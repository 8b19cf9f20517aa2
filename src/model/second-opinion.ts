/**
 * A second look at an answer: do two answers agree, and which claims do the sources not support?
 */
import { z } from "zod";
import { withoutMarkers } from "../answering/citations.js";
import { contentTerms } from "../text/analyse.js";
import { extractNumbers } from "../text/numbers.js";
import { DATA_RULE, jsonRule, prompt, type Prompt, type PromptInputs } from "./prompt.js";
import { formOf, type Asking } from "./structured-call.js";

const COMPARISON = formOf(
  "comparison",
  z.object({ agree: z.boolean(), difference: z.string().nullable().default(null) }),
);

export function comparePrompt({ question, answers }: PromptInputs["compare"]): Prompt {
  return prompt(
    COMPARISON.name,
    [
      "Two answers were given to one question. Do they agree on what was asked? Other wording, order or length is no disagreement;",
      "another number, name, date or verdict is. If they disagree say in one sentence on what.",
      jsonRule('{"agree": true, "difference": null}'),
    ],
    [`Question: ${question}`, `First answer: ${answers[0]}`, `Second answer: ${answers[1]}`],
  );
}

export async function compare(
  input: PromptInputs["compare"],
  { ask }: Asking,
): Promise<{ agree: boolean; difference?: string }> {
  const { agree, difference } = await ask({
    name: "compare",
    input,
    prompt: comparePrompt(input),
    form: COMPARISON,
  });
  return { agree, ...(agree || difference === null ? {} : { difference }) };
}

/** Overlap of content terms (Jaccard) from which two answers with the same numbers say the same. */
const SAME = 0.6;

/** Whether two answers agree, where their words alone show it, which saves a call. Pure. */
export function compareLexically(answers: readonly [string, string]): boolean | undefined {
  const [a, b] = [withoutMarkers(answers[0]), withoutMarkers(answers[1])];
  if (a.toLowerCase() === b.toLowerCase()) return true;
  if (a === "" || b === "") return false;
  const [left, right] = [new Set(contentTerms(a)), new Set(contentTerms(b))];
  const shared = [...left].filter((term) => right.has(term)).length;
  const isLike = shared >= SAME * (left.size + right.size - shared);
  const numbers = [a, b].map((text) =>
    extractNumbers(text)
      .map(({ value }) => value)
      .sort()
      .join(),
  );
  return isLike && numbers[0] === numbers[1] && isNegated(a) === isNegated(b) ? true : undefined;
}

function isNegated(text: string): boolean {
  return /\b(?:not|no|never|none|neither|nor|cannot)\b|n['’]t\b/i.test(text);
}

const UNSUPPORTED = formOf("unsupported_claims", z.object({ unsupported: z.array(z.number()) }));

/** Claims are numbered from 1 here. */
export function reviewPrompt({ question, claims, window }: PromptInputs["review"]): Prompt {
  return prompt(
    UNSUPPORTED.name,
    [
      "Check each claim against the sources. Give the numbers of the claims that no source states, and of those that a source contradicts: a wrong number, name, date, unit or negation is enough.",
      "What merely follows from the sources is supported. [] means that every claim is supported.",
      DATA_RULE,
      jsonRule('{"unsupported": [2]}'),
    ],
    [
      window.text,
      `Question: ${question}`,
      `Claims:\n${claims.map((claim, index) => `${index + 1}. ${claim}`).join("\n")}`,
    ],
  );
}

/** Indices of the claims without support, in order. */
export async function review(input: PromptInputs["review"], { ask }: Asking): Promise<number[]> {
  const prompt = reviewPrompt(input);
  const { unsupported } = await ask({ name: "review", input, prompt, form: UNSUPPORTED });
  return input.claims.flatMap((_claim, index) => (unsupported.includes(index + 1) ? [index] : []));
}
