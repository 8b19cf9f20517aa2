/** An agent of LangChain's that judges what its search tool found, and checks what it says. */
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { correctiveMiddleware } from "corrective-rag/langchain";
import { createAgent } from "langchain";
import { z } from "zod";

const search = tool(
  async () =>
    JSON.stringify([
      { text: "The pump has a warranty of two years from the day of purchase." },
      { text: "The canteen opens at noon." },
    ]),
  {
    name: "search",
    description: "Searches the handbook.",
    schema: z.object({ query: z.string() }),
  },
);
const agent = createAgent({
  model: new ChatOpenAI({
    model: process.env["LLM_MODEL"] ?? "gpt-5-mini",
    configuration: { baseURL: process.env["OPENAI_BASE_URL"] },
  }),
  tools: [search],
  middleware: [correctiveMiddleware({ tools: ["search"] })],
});
const { messages } = await agent.invoke({
  messages: [{ role: "user", content: "How long is the warranty of the pump?" }],
});
for (const message of messages) console.log(`${message.type}: ${message.text}`);
