/**
 * Tools of MCP servers as tools of the agent. A file names the servers in the form that other
 * clients use; they are started, or called, at the first question.
 */
import type { StructuredToolInterface } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { z } from "zod";
import { redactText, secretsOf } from "../observability/redact.js";
import { once } from "../support/cache.js";
import { reasonOf } from "../support/errors.js";
import { readJsonFile } from "../support/json.js";
import { packageVersion, requirePackages } from "../support/packages.js";
import { oneLine } from "../text/words.js";
import { TimeLimitError, withinTime } from "../support/waiting.js";

const allow = z
  .array(z.string())
  .default([])
  .describe("Tools that may be called although their server does not declare them read-only.");
const texts = z.record(z.string(), z.string());
const Server = z.union([
  z.object({
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: texts.optional(),
    cwd: z.string().optional(),
    allow,
  }),
  z.object({ url: z.url(), headers: texts.optional(), allow }),
]);
type Server = z.output<typeof Server>;
const McpFile = z.object({ mcpServers: z.record(z.string(), Server) });

/** Beyond this a server's tools are left out: they would crowd the question out of the prompt. */
const MAX_TOOLS = 64;
const MAX_SCHEMA = 8_000;
const MAX_DESCRIPTION = 500;
/** How long a question waits; a program that `npx` must fetch first may take longer. */
const PATIENCE_IN_MS = 20_000;
/** For those after the first. */
const NO_PATIENCE_IN_MS = 50;

/**
 * Offers the tools that a server declares read-only, and those that the file allows by name.
 * Servers that cannot be reached are reported and left out; `close` ends those that were started.
 * @param file `{ "mcpServers": { NAME: { "command", "args" } | { "url", "headers" } } }`
 * @throws UserError for a file that is missing or malformed, and without the adapters' package
 */
export function mcpTools(
  file: string,
  notice: (message: string) => void,
  { patienceInMs = PATIENCE_IN_MS }: { patienceInMs?: number } = {},
) {
  const { mcpServers } = readJsonFile(file, McpFile, {
    what: "file of MCP servers",
    hint:
      "check CRAG_MCP_CONFIG; the file is like " +
      '{ "mcpServers": { "name": { "command": "npx", "args": ["…"] } } }',
  });
  requirePackages(`the file of MCP servers ${file}`, [
    "@langchain/mcp-adapters",
    "@modelcontextprotocol/sdk",
  ]);
  const secrets = [...secretsOf(process.env), ...Object.values(mcpServers).flatMap(secretsIn)];
  const failure = (error: unknown): string => redactText(reasonOf(error), secrets);
  const opened: Closable[] = [];
  const taken: StructuredToolInterface[] = [];
  let isClosed = false;
  async function take(name: string, server: Server): Promise<void> {
    const offered = await toolsOf(name, server, (client) => {
      if (isClosed) throw new Error("closed");
      opened.push(client);
    });
    const allowed = new Set(server.allow.map((tool) => `${name}__${tool}`));
    const permitted = offered.filter(
      (tool) => ReadOnly.safeParse(Reflect.get(tool, "metadata")).success || allowed.has(tool.name),
    );
    const left = offered.filter((tool) => !permitted.includes(tool)).map((tool) => tool.name);
    if (left.length > 0)
      notice(
        oneLine(
          `not declared read-only by their MCP server, and left out: ${left.join(", ")}`,
          500,
        ),
      );
    const names = new Set(taken.map((tool) => tool.name));
    const fitting = permitted
      .filter((tool) => isSmall(tool) && names.size < names.add(tool.name).size)
      .slice(0, MAX_TOOLS);
    if (fitting.length < permitted.length)
      notice(
        `${permitted.length - fitting.length} tools of the MCP server ${name} are left out: ` +
          "too many, too large, or of the same name",
      );
    for (const tool of fitting) disarm(tool, failure);
    taken.push(...fitting);
  }
  const load = once(() => {
    // Side by side, so that a silent one does not keep the others from starting.
    const starts = Object.entries(mcpServers).map(([name, server]) =>
      take(name, server).catch((error: unknown) => {
        if (!isClosed) notice(`the MCP server ${name} cannot be reached: ${failure(error)}`);
      }),
    );
    return Promise.all(starts);
  });
  let patience = patienceInMs;
  return {
    /** Returns those of the servers that have started: a later question has the others. */
    async get() {
      try {
        await withinTime(load, { timeoutInMs: patience });
      } catch (error) {
        if (!(error instanceof TimeLimitError)) throw error;
        patience = NO_PATIENCE_IN_MS;
        notice("MCP servers are still starting: answered without their tools");
      }
      return [...taken];
    },
    /** Waits for the programs to end: one that ignores it is killed after four seconds. */
    async close() {
      isClosed = true;
      await Promise.all(opened.splice(0).map((client) => client.close()));
    },
  };
}

interface Closable {
  close(): Promise<void>;
}

/** Connects to a server. A program is killed where this process ends without closing it. */
async function toolsOf(
  name: string,
  server: Server,
  opening: (client: Closable) => void,
): Promise<StructuredToolInterface[]> {
  const { loadMcpTools, MultiServerMCPClient } = await import("@langchain/mcp-adapters");
  const options = { prefixToolNameWithServerName: true };
  if ("url" in server) {
    const client = new MultiServerMCPClient({ mcpServers: { [name]: server }, ...options });
    opening(client);
    return client.getTools();
  }
  // The adapters keep a program that says nothing out of reach.
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const client = new Client({ name: "corrective-rag", version: packageVersion() });
  opening(client);
  // What a program says on stderr is not shown: it may hold commands for the terminal, or keys.
  const transport = new StdioClientTransport({ ...server, stderr: "ignore" });
  const kill = (): void => void (transport.pid && process.kill(transport.pid, "SIGKILL"));
  process.once("exit", kill);
  transport.onclose = () => process.off("exit", kill);
  await client.connect(transport);
  return loadMcpTools(name, client, options);
}

/** Values by which a server knows its client. */
function secretsIn(server: Server): string[] {
  const values = Object.values(("command" in server ? server.env : server.headers) ?? {});
  return values.flatMap((each) => [each, ...each.split(" ")]).filter((each) => each.length >= 8);
}

/**
 * Keeps what a server says in bounds: its description to one line; no patterns in its schema,
 * since checking arguments by them may take for ever; no keys in its errors.
 */
function disarm(tool: StructuredToolInterface, failure: (error: unknown) => string): void {
  tool.description = oneLine(tool.description, MAX_DESCRIPTION);
  const schema: unknown = JSON.parse(JSON.stringify(toJsonSchema(tool.schema)), (key, value) =>
    key === "patternProperties" || (key === "pattern" && typeof value === "string")
      ? undefined
      : (value as unknown),
  );
  const call = tool.invoke.bind(tool);
  Object.assign(tool, {
    schema,
    invoke: (...given: Parameters<typeof call>) =>
      call(...given).catch((error: unknown) => {
        throw new Error(failure(error));
      }),
  });
}

const ReadOnly = z.object({ annotations: z.object({ readOnlyHint: z.literal(true) }) });

function isSmall({ name, schema }: StructuredToolInterface): boolean {
  try {
    return (
      /^[\w.-]{1,128}$/.test(name) && JSON.stringify(toJsonSchema(schema)).length <= MAX_SCHEMA
    );
  } catch {
    return false;
  }
}
