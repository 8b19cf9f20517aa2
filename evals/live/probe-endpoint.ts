/** What an endpoint can do, one thing at a time, each with a reason where it cannot. */
import { z } from "zod";
import { finishReason } from "../../src/model/call-model.js";
import { createChatModel } from "../../src/model/chat-model.js";
import { endpointOf, type ChatModel } from "../../src/model/endpoint.js";
import { classifyError } from "../../src/model/model-error.js";
import { jsonSchemaOf, parseWith } from "../../src/model/read-json.js";
import { responseFormat } from "../../src/model/structured-call.js";

export interface LiveStep {
  step: string;
  ok: boolean;
  took_ms: number;
  /** What was seen, or why it failed. */
  note: string;
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
      'Question: What color is the sky?\n\n<source id="1">\nThe sky is blue.\n</source>\n\n<source id="2">\nSheep eat grass.\n</source>',
  },
];
const READY = [{ role: "user", content: "Reply with the single word: ready" }];
/** Tokens of the texts in which the endpoint is asked for their first line. A context that is too small is often cut without a word. */
const LENGTHS = [2_000, 6_000, 12_000];
const LINE = "Nothing of note was seen on the road that day. "; // 11 tokens

/** It answered, but not with what was looked for. */
class NotSeenError extends Error {}

/** Runs the steps in order; later ones also where an earlier one failed, unless the endpoint does not answer at all. */
export async function probeEndpoint(options: {
  model: string;
  baseUrl?: string;
  apiKey?: string;
  timeoutInMs: number;
}): Promise<LiveStep[]> {
  const model = await createChatModel({ ...options, maxTokens: 3000 });
  const steps: LiveStep[] = [];
  const step = async (name: string, run: () => Promise<string>): Promise<boolean> => {
    const startedAt = Date.now();
    const result = await run().then(
      (note) => ({ ok: true, note }),
      (error: unknown) => ({
        ok: false,
        note:
          error instanceof NotSeenError
            ? error.message
            : classifyError(error, endpointOf(model)).message,
      }),
    );
    steps.push({ step: name, ...result, took_ms: Date.now() - startedAt });
    return result.ok;
  };
  if (!(await step("answers", () => answers(model)))) return steps;
  await step("reports its tokens", () => reportsTokens(model));
  await step("streams", () => streams(model));
  await step("keeps a JSON schema", async () => {
    const format: object = {
      response_format: responseFormat("relevance_scores", jsonSchemaOf(FORM)),
    };
    return readable((await model.invoke(TASK, format)).text);
  });
  await step("writes plain JSON", async () => readable((await model.invoke(TASK)).text));
  await step("answers without thinking", () => answersAtOnce(model));
  for (const tokens of LENGTHS)
    if (!(await step(`reads ${tokens} tokens`, () => reads(model, tokens)))) break;
  return steps;
}

async function answers(model: ChatModel): Promise<string> {
  const { text } = await model.invoke(READY);
  if (text.trim() === "") throw new NotSeenError("it answered with nothing");
  return `"${text.trim().slice(0, 60)}"`;
}

async function reportsTokens(model: ChatModel): Promise<string> {
  const { usage_metadata: usage } = await model.invoke(READY);
  if (usage === undefined || usage.input_tokens === 0)
    throw new NotSeenError("no usage: tokens are estimated");
  return `${usage.input_tokens} in, ${usage.output_tokens} out`;
}

async function streams(model: ChatModel): Promise<string> {
  const startedAt = Date.now();
  let first = 0;
  let pieces = 0;
  const count = [{ role: "user", content: "Count from one to twenty in words." }];
  for await (const chunk of await model.stream(count)) {
    if (chunk.text === "") continue;
    pieces += 1;
    first ||= Date.now() - startedAt;
  }
  if (pieces < 2) throw new NotSeenError(`it came in ${pieces} piece${pieces === 1 ? "" : "s"}`);
  return `first of ${pieces} pieces after ${first} ms`;
}

/** Thinking is no fault: it costs time and tokens, and needs room. */
async function answersAtOnce(model: ChatModel): Promise<string> {
  const message = await model.invoke([
    { role: "user", content: "Which is more, 9.11 or 9.9? Reply with the number only." },
  ]);
  const reasoned = message.usage_metadata?.output_token_details?.reasoning ?? 0;
  const apart = message.additional_kwargs["reasoning_content"];
  const thinks =
    reasoned > 0 || (typeof apart === "string" && apart !== "") || /<\/think>/.test(message.text);
  if (finishReason(message) === "length" && message.text.trim() === "")
    throw new NotSeenError("it thought for 3,000 tokens without an answer");
  if (thinks)
    throw new NotSeenError(
      `it thinks first${reasoned > 0 ? `, ${reasoned} tokens here` : ""}: it is given room for that`,
    );
  return `"${message.text.trim().slice(0, 40)}"`;
}

async function reads(model: ChatModel, tokens: number): Promise<string> {
  const text = LINE.repeat(Math.ceil(tokens / 11));
  const { text: said } = await model.invoke([
    {
      role: "user",
      content: `The password is larkspur.\n${text}\nWhat is the password? One word.`,
    },
  ]);
  if (!/larkspur/i.test(said))
    throw new NotSeenError(
      "the beginning of the text was lost: raise the server's context length, or lower CRAG_CONTEXT_TOKENS",
    );
  return "the first line was found";
}

function readable(text: string): string {
  const parsed = parseWith(FORM, text);
  if (!parsed.success || parsed.value.scores.length !== 2)
    throw new NotSeenError(`no two scores in: ${text.slice(0, 80) || "(nothing)"}`);
  return `scores ${parsed.value.scores.join(", ")}`;
}
