/**
 * Tools of MCP servers as the agent's own. A file names the servers in the form that other clients
 * use; they are started, or called, at the first question, and their results become evidence.
 */
import { readFileSync } from "node:fs";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { z } from "zod";
import { once } from "../support/cache.js";
import { reasonOf, UserError } from "../support/errors.js";
import { requirePackages } from "../support/require-packages.js";

const allow = z
  .array(z.string())
  .default([])
  .describe("Tools that may be called although their server does not call them read-only.");
const texts = z.record(z.string(), z.string());
const McpFile = z.object({
  mcpServers: z.record(
    z.string(),
    z.union([
      z.object({
        command: z.string().min(1),
        args: z.array(z.string()).default([]),
        env: texts.optional(),
        cwd: z.string().optional(),
        allow,
      }),
      z.object({ url: z.url(), headers: texts.optional(), allow }),
    ]),
  ),
});

interface McpTools {
  get(): Promise<readonly StructuredToolInterface[]>;
  /** Ends the servers that were started. */
  close(): Promise<void>;
}

/**
 * Takes what a server calls read-only, and what the file allows by name. A server that cannot be
 * reached is said and left out.
 * @param file `{ "mcpServers": { NAME: { "command", "args" } | { "url", "headers" } } }`
 * @throws UserError for a file that is missing or malformed, and without the adapters' package
 */
export function mcpTools(file: string, notice: (message: string) => void): McpTools {
  const { mcpServers } = readMcpFile(file);
  requirePackages(`the file of MCP servers ${file}`, ["@langchain/mcp-adapters"]);
  let client: MultiServerMCPClient | undefined;
  const load = once(async () => {
    const { MultiServerMCPClient } = await import("@langchain/mcp-adapters");
    client = new MultiServerMCPClient({
      // It leaves aside what it does not know: `allow` is ours.
      mcpServers,
      prefixToolNameWithServerName: true,
      // It must return nothing: the adapters check.
      onConnectionError: ({ serverName, error }) => {
        notice(`the MCP server ${serverName} cannot be reached: ${reasonOf(error)}`);
      },
    });
    const taken: StructuredToolInterface[] = [];
    for (const [name, { allow: named }] of Object.entries(mcpServers)) {
      const offered = await client.getTools(name);
      const allowed = new Set(named.map((tool) => `${name}__${tool}`));
      const kept = offered.filter((tool) => isReadOnly(tool) || allowed.has(tool.name));
      const left = offered.filter((tool) => !kept.includes(tool)).map((tool) => tool.name);
      if (left.length > 0)
        notice(`not called read-only by their MCP server, and left out: ${left.join(", ")}`);
      taken.push(...kept);
    }
    return taken;
  });
  return {
    get: load,
    async close() {
      await client?.close();
    },
  };
}

const Annotated = z.object({ annotations: z.object({ readOnlyHint: z.literal(true) }) });

function isReadOnly(tool: StructuredToolInterface): boolean {
  return Annotated.safeParse(Reflect.get(tool, "metadata")).success;
}

function readMcpFile(file: string): z.output<typeof McpFile> {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UserError(
      `the file of MCP servers ${file} cannot be read: ${reasonOf(error)}`,
      "CRAG_MCP_CONFIG names it",
    );
  }
  const parsed = McpFile.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UserError(
    `${file}: ${issue?.path.join(".") || "file"}: ${issue?.message ?? "not valid"}`,
    'it must be like { "mcpServers": { "name": { "command": "npx", "args": ["…"] } } }',
  );
}
