/** A filter narrows what is searched, whichever way the question comes in. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { BaseRetriever } from "@langchain/core/retrievers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  correctiveRagTool,
  CorrectiveRetriever,
  createCorrectiveRag,
  type CorrectiveRag,
} from "../../src/index.js";
import { startServe, type Served } from "./dev-server.js";
import { foundedIn, TOWN_FILES } from "./towns.js";

const QUESTION = "When was Dunmore founded?";
const OTHER = 'path = "notes/ashford.md"';
const MEANT = 'path = "notes/dunmore.md"';
const FACT = `founded in ${foundedIn("Dunmore")}`;

let server: Served;
let agent: CorrectiveRag;
beforeAll(async () => {
  server = await startServe(TOWN_FILES);
  const kbDir = `${server.folder}/.corrective-rag/kb`;
  agent = createCorrectiveRag({ settings: { kbDir, reader: "lexical" } });
});
afterAll(async () => {
  await agent?.close();
  await server?.stop();
});

async function posted(path: string, body: object): Promise<string> {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.text();
}

class Towns extends BaseRetriever {
  lc_namespace = ["tests"];
  override async _getRelevantDocuments() {
    return Object.entries(TOWN_FILES).map(
      ([source, pageContent]) => new Document({ pageContent, metadata: { source } }),
    );
  }
}

const messages = [{ role: "user", content: QUESTION }];

const overMcp = (name: string, question: object) => async (filter: string) => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
  const call = { name, arguments: { ...question, filter } };
  return JSON.stringify(await client.callTool(call).finally(() => client.close()));
};

describe.each<[way: string, ask: (filter: string) => Promise<string>]>([
  ["code", async (filter) => JSON.stringify(await agent.ask(QUESTION, { context: { filter } }))],
  [
    "the tool",
    async (filter) =>
      JSON.stringify(await correctiveRagTool(agent).invoke({ question: QUESTION, filter })),
  ],
  [
    "the retriever",
    async (filter) =>
      JSON.stringify(
        await new CorrectiveRetriever({ retriever: new Towns(), filter }).invoke(QUESTION),
      ),
  ],
  [
    "/v1",
    (filter) => posted("/v1/chat/completions", { model: "corrective-rag", messages, filter }),
  ],
  [
    "LangGraph's API, as the page asks",
    (filter) =>
      posted("/runs/wait", { assistant_id: "agent", input: { messages }, context: { filter } }),
  ],
  ["MCP's ask", overMcp("ask", { question: QUESTION })],
  ["MCP's search", overMcp("search", { query: QUESTION })],
])("a filter given by %s", (_way, ask) => {
  it("holds", async () => {
    expect(await ask(MEANT)).toContain(FACT);
    expect(await ask(OTHER)).not.toContain(FACT);
  });

  it("that is malformed is refused with what is wrong", async () => {
    const said = await ask("path =").catch(String);
    expect(said).toContain("needs a value");
    expect(said).not.toContain(FACT);
  });
});
