/** A scripted model that knows the truth, and says of it only what stands in the sources that it is shown. */
import { z } from "zod";
import { contentTerms } from "../../src/text/analyse.js";
import type { ModelServer, RecordedRequest } from "../../tests/support/model-server.js";

export const HonestQuestionSchema = z.object({
  id: z.string(),
  /** Standing alone. */
  question: z.string(),
  /** As it was asked, if it follows on `history`. */
  asked: z.string().optional(),
  /** Turns before it, the user's first. */
  history: z.array(z.string()).default([]),
  from: z.enum(["documents", "web", "none"]),
  /** Texts without which there is no answer; `||` between texts of which one is enough. */
  needs: z.array(z.string()),
  /** With `{n}` where the source of the nth need is cited. */
  answer: z.string(),
  /** What a right answer contains. */
  parts: z.array(z.string()),
  web: z.object({ title: z.string(), url: z.string(), text: z.string() }).optional(),
});
export type HonestQuestion = z.output<typeof HonestQuestionSchema>;

/** What a grader gives a passage that states the answer, and one that merely shares words with the question. */
export const STYLES = {
  strict: { answering: 0.95, neighbour: 0.1 },
  natural: { answering: 1, neighbour: 0.4 },
} as const;
export type Style = keyof typeof STYLES;

/** True if one of the need's texts stands in the passage. */
export function holds(text: string, need: string): boolean {
  return need.split(" || ").some((each) => text.includes(each));
}

/** The answer from texts in order, their numbers cited; undefined if one that is needed is not among them. */
export function answerFrom(
  { needs, answer }: HonestQuestion,
  texts: readonly string[],
): string | undefined {
  const places = needs.map((need) => texts.findIndex((text) => holds(text, need)));
  if (places.length === 0 || places.includes(-1)) return undefined;
  return answer.replaceAll(/(?:\{\d\})+/g, (markers) => {
    const cited = [...markers.matchAll(/\d/g)].map(([n]) => (places[Number(n) - 1] ?? 0) + 1);
    return [...new Set(cited)].map((n) => `[${n}]`).join("");
  });
}

/** Lets the server grade and answer the question at hand in the style. */
export function scriptHonestModel(
  server: ModelServer,
  style: Style,
  current: () => HonestQuestion,
): void {
  const { answering, neighbour } = STYLES[style];
  const textsIn = ({ user }: RecordedRequest): string[] =>
    [...user.matchAll(/<source id="\d+">\n([\s\S]*?)\n<\/source>/g)].map(([, text = ""]) => text);
  const grade = (text: string): number => {
    const { needs, question } = current();
    if (needs.some((need) => holds(text, need))) return answering;
    const terms = new Set(contentTerms(text));
    return contentTerms(question).some((term) => terms.has(term)) ? neighbour : 0;
  };
  const gradeSet = (texts: readonly string[]): number => {
    if (answerFrom(current(), texts) !== undefined) return answering;
    const best = Math.max(0, ...texts.map(grade));
    return best === answering ? (answering + neighbour) / 2 : best;
  };
  server.script("standalone_question", () => ({ standalone_question: current().question }));
  server.script("relevance_scores", (request) => ({ scores: textsIn(request).map(grade) }));
  server.script("relevance_score", (request) => ({
    score: Math.max(...textsIn(request).map(grade)),
  }));
  server.script("relevance_verdict", (request) => ({
    relevance_score: gradeSet(textsIn(request)),
    relevance_label: null,
    confidence: 0.8,
    reasoning: "As far as it goes.",
  }));
  server.script("adequacy_verdict", (request) => ({
    score: gradeSet(textsIn(request)),
    tool_needed: null,
    hints: [],
    reasoning: "As far as it goes.",
  }));
  server.script("tool_calls", { calls: [] });
  server.script("web_query", () => ({ query: contentTerms(current().question).join(" ") }));
  server.script(
    "answer",
    (request) =>
      answerFrom(current(), textsIn(request)) ?? "UNANSWERABLE: the sources do not say it.",
  );
  server.script("textbook_grade", ({ user }) => ({
    binary_score: grade(user.slice(user.indexOf("Document:"))) > neighbour ? "yes" : "no",
  }));
  server.script("textbook_rewrite", () => current().question);
  server.script("textbook_condense", () => current().question);
  server.script("textbook_answer", ({ user }) => {
    const texts = user.slice(user.indexOf("Context:")).split("\n\n---\n\n");
    return answerFrom(current(), texts) ?? "I don't know.";
  });
}
