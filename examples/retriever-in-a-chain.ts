/** Any retriever, corrected: what does not answer the question never reaches the prompt. */
import { Document } from "@langchain/core/documents";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { BaseRetriever } from "@langchain/core/retrievers";
import { RunnablePassthrough, RunnableSequence } from "@langchain/core/runnables";
import { CorrectiveRetriever } from "corrective-rag";

/** Stands for yours: it returns everything it has, whatever is asked. */
class Handbook extends BaseRetriever {
  lc_namespace = ["examples"];
  override async _getRelevantDocuments(): Promise<Document[]> {
    return [
      "The pump has a warranty of two years from the day of purchase.",
      "The canteen opens at noon.",
    ].map((pageContent) => new Document({ pageContent, metadata: { source: "handbook.md" } }));
  }
}

const retriever = new CorrectiveRetriever({ retriever: new Handbook() });
const chain = RunnableSequence.from([
  {
    context: retriever.pipe((found) => found.map(({ pageContent }) => pageContent).join("\n")),
    question: new RunnablePassthrough(),
  },
  ChatPromptTemplate.fromTemplate("Answer from this:\n{context}\n\n{question}"),
  // Your model would follow here.
]);

const prompt = await chain.invoke("How long is the warranty of the pump?");
console.log(prompt.toString());
