/** The user's own LangChain tools, MCP tools included: what they return becomes evidence. */
import type { StructuredToolInterface } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { isInteropZodSchema } from "@langchain/core/utils/types";
import type { EvidenceSource } from "../state/evidence.js";
import { isRecord } from "../support/is-record.js";
import { textsOf } from "../support/tool-result.js";
import { evidenceId, makeEvidence } from "./make-evidence.js";
import type { AgentTool } from "./tool.js";
import { counted } from "../text/words.js";

/** Pieces of evidence from one call at most. */
const MAX_PIECES = 10;
const MAX_DESCRIPTION_CHARACTERS = 1_000;

/**
 * Wraps one tool. Its arguments leave the agent, so that it counts as external: no text of evidence
 * may be in them.
 */
export function userTool(tool: StructuredToolInterface): AgentTool {
  const { name } = tool;
  return {
    name,
    description: tool.description.slice(0, MAX_DESCRIPTION_CHARACTERS),
    external: true,
    parameters: parametersOf(tool),
    tracesItself: true,
    async run({ args, round, scope, signal }) {
      // Callbacks, tracing and interrupts reach the tool; the run's limits and context do not.
      const { callbacks, tags, metadata, configurable } = scope.config;
      const config = { signal, callbacks, tags, metadata, configurable };
      const result: unknown = await tool.invoke(args, config);
      const texts = textsOf(result).slice(0, MAX_PIECES);
      return {
        evidence: texts.map(({ text, title = name, url }) => {
          const id = evidenceId("tool", name, url ?? "", text);
          const source: EvidenceSource =
            url === undefined ? { kind: "tool", path: name } : { kind: "web", url, provider: name };
          return makeEvidence({ id, text, title, source }, { tool: name, round });
        }),
        summary: counted(texts.length, "result"),
      };
    },
  };
}

/** JSON schema of the arguments, from zod or as it is; an open object where it cannot be told. */
function parametersOf({ schema }: StructuredToolInterface): Record<string, unknown> {
  const open = { type: "object", properties: {} };
  try {
    const json: unknown = isInteropZodSchema(schema) ? toJsonSchema(schema) : schema;
    return isRecord(json) ? json : open;
  } catch {
    return open;
  }
}
