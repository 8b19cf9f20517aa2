/**
 * The agent as an MCP server: ask, search, read and verify as tools. The protocol's library is an
 * optional peer, imported on first use.
 */
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { titledPlace } from "../state/evidence.js";
import { sourcesBelow } from "../state/answer.js";
import { verifyAnswer } from "../answering/verify-answer.js";
import type { CorrectiveRag } from "../corrective-rag.js";
import type { RecordedEvent } from "../observability/events.js";
import type { Hit } from "../retrieval/knowledge-base.js";
import { readFilter } from "../settings/filter.js";
import { UserError } from "../support/errors.js";
import { packageVersion, requirePackages } from "../support/packages.js";
import { sourceOf } from "../tools/make-evidence.js";

export interface Offered extends Pick<CorrectiveRag, "events" | "knowledgeBase" | "reader"> {
  /** Does work when it is the client's turn; without it, at once. */
  inTurn?: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
}

/** A longer document is cut when it is read; a client can search for the rest. */
const MAX_CHARACTERS = 100_000;
/** Of a question or an answer, and of all passages that it is checked against. */
const MAX_TEXT = 16_384;
const MAX_PASSAGES_TEXT = 200_000;
const MAX_MESSAGE_BYTES = 1_048_576;
const text = z.string().min(1).max(MAX_TEXT);
const READ_ONLY = { readOnlyHint: true, destructiveHint: false };

const narrowing = {
  filter: z
    .string()
    .max(MAX_TEXT)
    .optional()
    .describe('Narrows the documents: department = "hr" and date >= 2025-01-01'),
  knowledge_base: z.string().max(1_000).optional().describe("Which of several: hr, or hr, it"),
};

/** @throws UserError when the protocol's library is not installed */
async function createMcpServer(agent: Offered): Promise<McpServer> {
  requirePackages("the MCP server", ["@modelcontextprotocol/sdk"]);
  const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
  const server = new McpServer({ name: "corrective-rag", version: packageVersion() });

  const inTurn = agent.inTurn ?? ((work) => work());
  server.registerTool(
    "ask",
    {
      description:
        "Answers a question from the user's documents, with checked citations; where none could " +
        "be confirmed, with the closest passages or with nothing: see outcome.status.",
      inputSchema: { question: text.describe("A complete question."), ...narrowing },
      annotations: { ...READ_ONLY, openWorldHint: true },
    },
    async ({ question, ...context }, { signal, _meta, sendNotification }) => {
      const token = _meta?.progressToken;
      const events = agent.events(question, { signal, context });
      let step = await events.next();
      for (let progress = 1; step.done !== true; step = await events.next()) {
        const message = progressOf(step.value);
        if (token === undefined || message === undefined) continue;
        await sendNotification({
          method: "notifications/progress",
          params: { progressToken: token, progress: progress++, message },
        });
      }
      const { answer, citations, sources, passages, outcome } = step.value;
      return {
        content: textOf(answer + sourcesBelow(sources)),
        structuredContent: { answer, citations, passages, outcome },
      };
    },
  );

  server.registerTool(
    "search",
    {
      description: "Finds passages in the user's documents, best first, without answering.",
      inputSchema: {
        query: text,
        limit: z.number().int().min(1).max(50).default(5),
        ...narrowing,
      },
      annotations: READ_ONLY,
    },
    async ({ query, limit, filter, knowledge_base: named }, { signal }) => {
      const passing = filter === undefined ? undefined : readFilter(filter);
      const hits = await inTurn(async () => {
        const knowledgeBase = await agent.knowledgeBase({ filter: passing, knowledgeBase: named });
        return knowledgeBase.search(knowledgeBase.modes[0] ?? "keyword", { query, limit, signal });
      }, signal);
      const passages = hits.map(({ passage: { path, title, text }, scores }) => {
        return { path, title, text, score: scores[0]?.value ?? null };
      });
      const content = textOf(hits.map(described).join("\n\n") || "Nothing found.");
      return { content, structuredContent: { passages } };
    },
  );

  server.registerTool(
    "read",
    {
      description: "Reads a document of the knowledge base by the path that a search returned.",
      inputSchema: { path: text },
      annotations: READ_ONLY,
    },
    async ({ path }, { signal }) => {
      const document = async () => (await agent.knowledgeBase()).passagesOf(path);
      const passages = await inTurn(document, signal);
      const text = passages.map((passage) => passage.text).join("\n\n");
      if (text !== "") return { content: textOf(text.slice(0, MAX_CHARACTERS)) };
      return { content: textOf(`There is no document "${path}".`), isError: true };
    },
  );

  server.registerTool(
    "verify",
    {
      description: "Checks each sentence of an answer against passages that should support it.",
      inputSchema: {
        answer: text,
        passages: z
          .array(z.string())
          .min(1)
          .max(50)
          .refine(
            (all) => all.join("").length <= MAX_PASSAGES_TEXT,
            `at most ${MAX_PASSAGES_TEXT} characters in all`,
          ),
      },
      annotations: READ_ONLY,
    },
    async ({ answer, passages }, { signal }) => {
      const evidence = passages.map((text) => ({ text }));
      const reader = await agent.reader();
      const verify = () => verifyAnswer({ answer, evidence, reader, signal });
      const checked = (await inTurn(verify, signal)).sentences;
      const lines = checked.map(
        (each) => `${each.status} (${each.score.toFixed(2)}): ${each.text}`,
      );
      const sentences = checked.map(({ text: sentence, status, score }) => {
        return { sentence, status, score };
      });
      return { content: textOf(lines.join("\n")), structuredContent: { sentences } };
    },
  );
  return server;
}

/** Serves one HTTP request, without sessions, so that servers can share the load. */
export async function serveMcpRequest(agent: Offered, request: Request): Promise<Response> {
  const server = await createMcpServer(agent);
  const { WebStandardStreamableHTTPServerTransport } =
    await import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js");
  const transport = new WebStandardStreamableHTTPServerTransport();
  await server.connect(transport);
  // Nobody can fetch the answer later, so a client that leaves stops its run.
  request.signal.addEventListener("abort", () => void server.close(), { once: true });
  return transport.handleRequest(request);
}

/**
 * Serves on standard input and output until the client closes them.
 * @throws UserError for a message that is too long, since the protocol's library would collect it
 */
export async function serveMcpStdio(agent: Offered): Promise<void> {
  const server = await createMcpServer(agent);
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  const closed = new Promise<void>((done) => (server.server.onclose = done));
  let bytes = 0;
  process.stdin.on("data", (chunk: Buffer) => {
    const end = chunk.lastIndexOf("\n");
    bytes = end < 0 ? bytes + chunk.length : chunk.length - end - 1;
    if (bytes > MAX_MESSAGE_BYTES) process.stdin.destroy();
  });
  process.stdin.once("close", () => void server.close());
  process.stdin.once("end", () => void server.close());
  await server.connect(new StdioServerTransport());
  await closed;
  if (bytes > MAX_MESSAGE_BYTES)
    throw new UserError(`a message may have at most ${MAX_MESSAGE_BYTES} bytes`, undefined, 1);
}

function described({ passage }: Hit): string {
  return `${titledPlace(passage.title, sourceOf(passage))}\n${passage.text}`;
}

/** Returns a progress message; undefined for events of little interest. */
function progressOf(event: RecordedEvent): string | undefined {
  if (event.type === "planned")
    return `searching (${event.calls.map(({ tool }) => tool).join(", ")})`;
  if (event.type === "rag_iteration")
    return `graded ${event.label} ${event.eval_score.toFixed(2)}: ${event.action}`;
  if (event.type === "answer_retracted") return "searching once more: the draft was not supported";
  return undefined;
}

function textOf(text: string): { type: "text"; text: string }[] {
  return [{ type: "text", text }];
}
