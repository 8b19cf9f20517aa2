/**
 * Corrective RAG as the textbooks have it: one grading call for each document, the maximum decides, web results and mixed evidence are refined by a
 * call of their own. It runs on the same model server as ours, so that both are counted by the same counter.
 */
import type { ChatModel } from "../src/model/endpoint.js";

export interface TextbookInput {
  model: ChatModel;
  question: string;
  /** Present in a follow-up: one more call makes the question standalone, as the usual conversational chain does. */
  history?: readonly string[];
  documents: readonly string[];
  webSearch: (query: string) => Promise<readonly string[]>;
}

const CORRECT_ABOVE = 0.7;
const INCORRECT_BELOW = 0.3;

export async function runTextbook({
  model,
  question,
  history = [],
  documents,
  webSearch,
}: TextbookInput): Promise<string> {
  const ask = async (task: string, system: string, user: string): Promise<string> => {
    const message = await model.invoke([
      { role: "system", content: `# Task: ${task}\n${system}` },
      { role: "user", content: user },
    ]);
    return message.text;
  };
  const json = async (
    task: string,
    system: string,
    user: string,
  ): Promise<Record<string, unknown>> =>
    JSON.parse((await ask(task, system, user)).replaceAll(/^[^{]*|[^}]*$/g, ""));
  const refine = async (text: string): Promise<string> => {
    const system =
      'Extract the key information from the following text as concise bullet points. Focus on facts that would help answer a question. Respond with JSON: {"key_points": ["point1", "point2"]}';
    const { key_points: points } = await json("textbook_refine", system, text);
    return Array.isArray(points) ? points.map((point) => `• ${String(point)}`).join("\n") : "";
  };
  const searchWeb = async (query: string): Promise<string> => {
    const system =
      'You are a search query optimizer. Rewrite the query to get better web search results. Respond with JSON: {"rewritten_query": "<optimized query>"}';
    const { rewritten_query: rewritten } = await json(
      "textbook_rewrite",
      system,
      `Original query: ${query}`,
    );
    return refine((await webSearch(String(rewritten))).join("\n\n"));
  };

  const standalone =
    history.length === 0
      ? question
      : await ask(
          "textbook_condense",
          "Rephrase the follow-up as a standalone question.",
          `Chat history:\n${history.join("\n")}\n\nFollow-up: ${question}`,
        );

  const grading =
    'You are a relevance evaluator. Score how relevant the document is to the query from 0.0 to 1.0. Respond with JSON: {"relevance_score": <float>, "reason": "<short>"}';
  const scores: number[] = [];
  for (const document of documents) {
    const { relevance_score: score } = await json(
      "textbook_grade",
      grading,
      `Query: ${standalone}\n\nDocument: ${document}`,
    );
    scores.push(Number(score));
  }
  const best = Math.max(...scores);
  const bestDocument = documents[scores.indexOf(best)] ?? "";

  let knowledge: string;
  if (best > CORRECT_ABOVE) knowledge = bestDocument;
  else if (best < INCORRECT_BELOW) knowledge = await searchWeb(standalone);
  else
    knowledge = `Local Knowledge:\n${await refine(bestDocument)}\n\nWeb Knowledge:\n${await searchWeb(standalone)}`;
  return ask(
    "textbook_answer",
    "Answer the query from the knowledge. Cite your sources.",
    `Query: ${standalone}\n\nKnowledge:\n${knowledge}`,
  );
}
