/** The user's own LangChain tools, MCP tools included, as tools of the agent: what they return becomes evidence and is graded like any other. */
import type { StructuredToolInterface } from "@langchain/core/tools";
import { isInteropZodSchema } from "@langchain/core/utils/types";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import type { Evidence } from "../state/evidence.js";
import { isRecord } from "../support/is-record.js";
import { evidenceId, makeEvidence, type FoundBy } from "./make-evidence.js";
import { textsOf, type ToolText } from "./tool-result.js";
import { counted, type AgentTool } from "./tool.js";

/** Pieces of evidence from one call at most. */
const MAX_PIECES = 10;
const MAX_DESCRIPTION_CHARACTERS = 1_000;

/**
 * Wraps one tool. Its arguments leave the agent, so that it counts as external: no text of evidence may be in them.
 * @param timeoutInMs the round does not wait longer, whether or not the tool heeds its signal
 */
export function fromLangChainTool(
  tool: StructuredToolInterface,
  { timeoutInMs = 30_000 }: { timeoutInMs?: number } = {},
): AgentTool {
  return {
    name: tool.name,
    description: tool.description.slice(0, MAX_DESCRIPTION_CHARACTERS),
    external: true,
    parameters: parametersOf(tool),
    timeoutInMs,
    tracesItself: true,
    async run({ args, round, scope, signal }) {
      // Callbacks, tracing and interrupts reach the tool; the run's limits and context do not.
      const { callbacks, tags, metadata, configurable } = scope.config;
      const result: unknown = await tool.invoke(args, {
        signal,
        ...(callbacks && { callbacks }),
        ...(tags && { tags }),
        ...(metadata && { metadata }),
        ...(configurable && { configurable }),
      });
      const texts = textsOf(result).slice(0, MAX_PIECES);
      return {
        evidence: texts.map((text) => evidenceFromText(text, { tool: tool.name, round })),
        summary: counted(texts.length, "result"),
      };
    },
  };
}

/** The same result found twice is one piece of evidence. */
function evidenceFromText({ text, title, url }: ToolText, by: FoundBy): Evidence {
  const { tool } = by;
  return makeEvidence(
    {
      id: evidenceId("tool", tool, url ?? "", text),
      text,
      title: title ?? tool,
      source:
        url === undefined ? { kind: "tool", path: tool } : { kind: "web", url, provider: tool },
    },
    by,
  );
}

/** JSON schema of the arguments, whether the tool brings zod or JSON schema; an open object where it cannot be told. */
function parametersOf({ schema }: StructuredToolInterface): Record<string, unknown> {
  const open = { type: "object", properties: {} };
  try {
    const json: unknown = isInteropZodSchema(schema) ? toJsonSchema(schema) : schema;
    return isRecord(json) ? json : open;
  } catch {
    return open;
  }
}
