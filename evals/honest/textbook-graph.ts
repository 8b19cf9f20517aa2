/**
 * Corrective RAG as LangGraph's tutorial has it: one grading call for each document; if one is not relevant the question is rewritten and searched
 * for on the web; the answer is written from what is left of the documents and from the web.
 */
import type { ChatModel } from "../../src/model/endpoint.js";

export async function runTextbookGraph({
  model,
  question,
  history,
  documents,
  webSearch,
}: {
  model: ChatModel;
  question: string;
  history: readonly string[];
  documents: (query: string) => Promise<readonly string[]>;
  webSearch: (query: string) => Promise<readonly string[]>;
}): Promise<string> {
  const ask = async (task: string, system: string, user: string): Promise<string> => {
    const content = `# Task: ${task}\n${system}`;
    const message = await model.invoke([
      { role: "system", content },
      { role: "user", content: user },
    ]);
    return message.text;
  };
  const standalone =
    history.length === 0
      ? question
      : await ask(
          "textbook_condense",
          "Rephrase the follow-up as a standalone question.",
          `Chat history:\n${history.join("\n")}\n\nFollow-up: ${question}`,
        );
  const relevant: string[] = [];
  let needsWeb = false;
  for (const document of await documents(standalone)) {
    const grade = await ask(
      "textbook_grade",
      "You are a grader assessing relevance of a retrieved document to a user question. If the document contains keywords or semantic meaning related to the question, grade it as relevant. Give a binary score 'yes' or 'no' as JSON with the key binary_score.",
      `User question: ${standalone}\n\nDocument:\n${document}`,
    );
    if (/yes/i.test(grade)) relevant.push(document);
    else needsWeb = true;
  }
  if (needsWeb || relevant.length === 0) {
    const query = await ask(
      "textbook_rewrite",
      "You are a question re-writer that converts an input question to a better version that is optimized for web search. Look at the input and try to reason about the underlying semantic intent.",
      `Here is the initial question:\n\n${standalone}\n\nFormulate an improved question.`,
    );
    relevant.push(...(await webSearch(query)));
  }
  return ask(
    "textbook_answer",
    "You are an assistant for question-answering tasks. Use the following pieces of retrieved context to answer the question. If you don't know the answer, just say that you don't know. Use three sentences maximum and keep the answer concise.",
    `Question: ${standalone}\n\nContext:\n\n---\n\n${relevant.join("\n\n---\n\n")}`,
  );
}
