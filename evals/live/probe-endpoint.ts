/** What an endpoint can do, one thing at a time, each with a reason where it cannot. */
import { z } from "zod";
import type { Embedder } from "../../src/retrieval/knowledge-base.js";
import { createChatModel } from "../../src/model/chat-model.js";
import { classifyError } from "../../src/model/model-error.js";
import { endpointOf } from "../../src/model/endpoint.js";
import type { FunctionTool } from "../../src/model/endpoint.js";
import { parseWith } from "../../src/model/structured-call.js";

export interface LiveStep {
  step: string;
  ok: boolean;
  tookMs: number;
  /** What was seen, or why it failed. */
  note: string;
}

export interface ProbeOptions {
  model: string;
  baseUrl?: string;
  apiKey?: string;
  timeoutInMs: number;
  /** Tried too, when one is configured. */
  embedder?: Embedder;
}

const FORM = z.object({ scores: z.array(z.number()) });
const TASK = [
  {
    role: "system",
    content:
      '# Task: relevance_scores\nGive each of the 2 sources a number from 0.0 to 1.0. Answer with JSON like {"scores": [0.0, 0.0]} and nothing else.',
  },
  {
    role: "user",
    content:
      'Question: What colour is the sky?\n\n<source id="1">\nThe sky is blue.\n</source>\n\n<source id="2">\nSheep eat grass.\n</source>',
  },
];

/** Runs the steps in order; a later step runs also when an earlier one failed, unless the endpoint does not answer at all. */
export async function probeEndpoint({ embedder, ...options }: ProbeOptions): Promise<LiveStep[]> {
  const model = await createChatModel({ ...options, maxTokens: 500 });
  const endpoint = endpointOf(model);
  const steps: LiveStep[] = [];
  const step = async (name: string, run: () => Promise<string>): Promise<boolean> => {
    const startedAt = Date.now();
    const result = await run().then(
      (note) => ({ ok: true, note }),
      (error: unknown) => ({
        ok: false,
        note: error instanceof NotSeenError ? error.message : classifyError(error, endpoint).message,
      }),
    );
    steps.push({ step: name, ...result, tookMs: Date.now() - startedAt });
    return result.ok;
  };
  const readable = (text: string): string => {
    const parsed = parseWith(FORM, text);
    if (!parsed.success || parsed.value.scores.length !== 2)
      throw new NotSeenError(`no two scores in: ${text.slice(0, 80) || "(nothing)"}`);
    return `scores ${parsed.value.scores.join(", ")}`;
  };
  const schema = z.toJSONSchema(FORM);

  const answers = await step("answers at all", async () => {
    const message = await model.invoke([{ role: "user", content: "Reply with the single word: ready" }]);
    if (message.text.trim() === "")
      throw new NotSeenError(
        "it answered with nothing: a thinking model may need more tokens (CRAG_MAX_ANSWER_TOKENS)",
      );
    return `"${message.text.trim().slice(0, 60)}"`;
  });
  if (!answers) return steps;
  await step("reports its tokens", async () => {
    const { usage_metadata: usage } = await model.invoke([{ role: "user", content: "Reply with the single word: ready" }]);
    if (usage === undefined || usage.input_tokens === 0)
      throw new NotSeenError("no usage: tokens are estimated");
    return `${usage.input_tokens} in, ${usage.output_tokens} out`;
  });
  await step("streams", async () => {
    const startedAt = Date.now();
    let first = 0;
    let pieces = 0;
    for await (const chunk of await model.stream([{ role: "user", content: "Count from one to twenty in words." }])) {
      if (chunk.text === "") continue;
      pieces += 1;
      first ||= Date.now() - startedAt;
    }
    if (pieces < 2) throw new NotSeenError(`it came in ${pieces} piece${pieces === 1 ? "" : "s"}`);
    return `first of ${pieces} pieces after ${first} ms`;
  });
  await step("keeps a JSON schema", async () => {
    const message = await model.invoke(TASK, responseFormat(schema));
    return readable(message.text);
  });
  await step("calls a function", async () => {
    const tool: FunctionTool = {
      type: "function",
      function: { name: "relevance_scores", description: "Gives the scores.", parameters: schema },
    };
    const message = await model
      .bindTools?.([tool], { tool_choice: "relevance_scores" })
      .invoke(TASK);
    const call = message?.tool_calls?.[0];
    if (call === undefined) throw new NotSeenError("it answered without calling the function");
    return readable(JSON.stringify(call.args));
  });
  await step("writes plain JSON", async () => readable((await model.invoke(TASK)).text));
  if (embedder !== undefined) {
    await step(`embeds (${embedder.model})`, async () => {
      const [near = [], same = [], far = []] = await embedder.embedDocuments([
        "The sky is blue.",
        "The sky is blue.",
        "Sheep eat grass.",
      ]);
      if (near.length === 0 || cosine(near, same) < 0.99)
        throw new NotSeenError("equal texts have unequal vectors");
      return `${near.length} dimensions; cosine of two unlike sentences ${cosine(near, far).toFixed(2)}`;
    });
  }
  return steps;
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  return dot / (Math.hypot(...a) * Math.hypot(...b) || 1);
}

/** It answered, but not with what was looked for. */
class NotSeenError extends Error {}

/** As a call option; the types of a chat model of any make do not know it. */
function responseFormat(schema: Record<string, unknown>): object {
  const format = {
    type: "json_schema",
    json_schema: { name: "relevance_scores", schema, strict: true },
  };
  // As in structured-call.ts: the client must not parse, and throw the text away.
  return {
    response_format: Object.defineProperty(format, "$parseRaw", {
      value: () => null,
      enumerable: false,
    }),
  };
}
