/** Wraps the user's own LangChain and MCP tools: their results become evidence. */
import type { StructuredToolInterface } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import type { EvidenceSource } from "../state/evidence.js";
import { isRecord } from "../support/is-record.js";
import { textsOf } from "../support/tool-result.js";
import { evidenceId, makeEvidence } from "./make-evidence.js";
import type { AgentTool } from "./tool.js";
import { counted } from "../text/words.js";

const MAX_PIECES = 10;
const MAX_DESCRIPTION_CHARACTERS = 1_000;

/** Wraps one tool as an external one: no text of evidence may be in its arguments. */
export function userTool(tool: StructuredToolInterface): AgentTool {
  const { name } = tool;
  return {
    name,
    description: tool.description.slice(0, MAX_DESCRIPTION_CHARACTERS),
    origin: "user",
    parameters: parametersOf(tool),
    tracesItself: true,
    async run({ args, round, scope, signal }) {
      // Enough for callbacks, tracing and interrupts, without the run's limits and context.
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

/** Returns the JSON schema of the arguments, or an open object if there is none. */
function parametersOf({ schema }: StructuredToolInterface): Record<string, unknown> {
  const open = { type: "object", properties: {} };
  try {
    const json: unknown = toJsonSchema(schema);
    return isRecord(json) ? json : open;
  } catch {
    return open;
  }
}
