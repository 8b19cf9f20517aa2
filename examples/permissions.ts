/** Nothing leaves before a person has seen it: `webSearch: "ask"` pauses the run. */
import { createInterface } from "node:readline/promises";
import { MemorySaver } from "@langchain/langgraph";
import { createCorrectiveRag, type WebSearchProvider } from "corrective-rag";

/** Stands for Tavily, SearXNG, Brave, MediaWiki or a search of your own. */
const intranet: WebSearchProvider = {
  name: "intranet",
  search: async () => [
    {
      title: "Harbor news",
      url: "https://intranet.example/harbor",
      text: "The new harbor of Quellin opens on 3 June.",
      provider: "intranet",
    },
  ],
};

const agent = createCorrectiveRag({
  webSearch: intranet,
  settings: { webSearch: "ask" },
  checkpointer: new MemorySaver(),
  environment: process.env, // OPENAI_API_KEY and the like, where they are set
});
const question = "When does the new harbor of Quellin open?";
let result = await agent.ask(question);
while (result.interrupts.length > 0) {
  const { actionRequests } = result.interrupts[0]?.value as {
    actionRequests: { description: string }[];
  };
  const decisions = [];
  for (const { description } of actionRequests)
    decisions.push({ type: (await isAllowed(description)) ? "approve" : "reject" });
  result = await agent.ask({ resume: { decisions } }, { threadId: result.threadId });
}
console.log(result.answer);
await agent.close();

async function isAllowed(description: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const said = await lines.question(`${description} [y/n] `);
  lines.close();
  return said.trim().toLowerCase().startsWith("y");
}
