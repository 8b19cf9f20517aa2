/** An MCP server on stdio with one tool that only reads and one that does not. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "town-tools", version: "1.0.0" });
const inputSchema = { query: z.string() };
const said = (text) => ({ content: [{ type: "text", text }] });

server.registerTool(
  "population",
  {
    description: "The population of a town",
    inputSchema,
    annotations: { readOnlyHint: true },
  },
  () => said(`The population of Dunmore is 12,400, as process ${process.pid} counted.`),
);
server.registerTool(
  "rename",
  { description: "Renames the population of a town", inputSchema },
  () => said("The town of Dunmore was renamed."),
);
await server.connect(new StdioServerTransport());
