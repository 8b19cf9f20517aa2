/** The agent as an MCP server on stdio, as Claude Desktop, an IDE or an agent of yours starts it. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({ command: "node", args: ["scripts/run.js", "mcp"], stderr: "ignore" }),
);
const { tools } = await client.listTools();
console.log("tools:", tools.map(({ name }) => name).join(", "));
const { content } = await client.callTool({
  name: "ask",
  arguments: { question: "When does the agent search again instead of answering?" },
});
console.log(content);
await client.close();
