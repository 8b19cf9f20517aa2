/** `/v1/responses` of the OpenAI protocol, as far as a question and its answer need it. */
import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import type { CorrectiveRag, CorrectiveRagResult } from "../corrective-rag.js";
import { sourcesBelow } from "../state/answer.js";
import { HttpProblem, openAiError, parsed, problemOf } from "./http-problem.js";
import {
  AnswerRequest,
  citationsOf,
  Message,
  originOf,
  sendAnswer,
  startAnswer,
} from "./openai.js";

/** Calls of the client's tools, their results and reasoning have no role. */
const Item = z.union([
  Message,
  z.looseObject({ type: z.string(), role: z.undefined().optional() }),
]);
const Request = AnswerRequest.extend({
  input: z.union([z.string(), z.array(Item).min(1)]),
  previous_response_id: z.string().nullish(),
});

export function responseRoutes(agent: Pick<CorrectiveRag, "events">): Hono {
  const routes = new Hono();
  routes.post("/v1/responses", async (context) => {
    const body: unknown = await context.req.json().catch(() => undefined);
    const asking = parsed(Request, body, 400);
    if (typeof asking.previous_response_id === "string")
      throw new HttpProblem(400, "previous_response_id: no response is kept; send all of `input`");
    const messages = messagesOf(asking.input);
    const { answering, left } = startAnswer(agent, { ...asking, messages }, context.req.raw.signal);
    const response = responseOf(asking.model, originOf(context));
    if (asking.stream !== true) {
      const result = await sendAnswer(answering, () => Promise.resolve());
      return context.json(response.completed(result, result.answer + sourcesBelow(result.sources)));
    }
    return streamSSE(
      context,
      async (sse) => {
        sse.onAbort(() => left.abort());
        let sequence = 0;
        const send = (type: string, fields: object) =>
          sse.writeSSE({
            event: type,
            data: JSON.stringify({ type, sequence_number: sequence++, ...fields }),
          });
        const item = { output_index: 0, item_id: response.itemId };
        const part = { ...item, content_index: 0 };
        await send("response.created", { response: response.begun });
        await send("response.in_progress", { response: response.begun });
        await send("response.output_item.added", { output_index: 0, item: response.item() });
        await send("response.content_part.added", { ...part, part: textPart("", []) });
        let text = "";
        const result = await sendAnswer(answering, async (delta) => {
          text += delta;
          await send("response.output_text.delta", { ...part, delta, logprobs: [] });
        });
        const completed = response.completed(result, text);
        const [message] = completed.output;
        await send("response.output_text.done", { ...part, text, logprobs: [] });
        await send("response.content_part.done", { ...part, part: message?.content[0] });
        await send("response.output_item.done", { output_index: 0, item: message });
        await send("response.completed", { response: completed });
      },
      (error, sse) => {
        const { error: problem } = openAiError(problemOf(error));
        return sse.writeSSE({
          event: "error",
          data: JSON.stringify({ ...problem, type: "error", sequence_number: 0 }),
        });
      },
    );
  });
  return routes;
}

function messagesOf(input: z.output<typeof Request>["input"]): Message[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  return input.filter((item): item is Message => item.role !== undefined);
}

/** The forms of one response, which share their ids. */
function responseOf(model: string, origin: string) {
  const head = {
    id: `resp_${randomUUID()}`,
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    model,
    ...{ error: null, incomplete_details: null, instructions: null, metadata: {} },
    ...{ parallel_tool_calls: false, temperature: null, top_p: null, tool_choice: "auto" },
    ...{ tools: [], store: false },
  };
  const itemId = `msg_${randomUUID()}`;
  const item = (...content: ReturnType<typeof textPart>[]) => {
    const status = content.length === 0 ? "in_progress" : "completed";
    return { id: itemId, type: "message", role: "assistant", status, content };
  };
  return {
    itemId,
    item,
    begun: { ...head, status: "in_progress", output: [], usage: null },
    completed: (result: CorrectiveRagResult, text: string) => ({
      ...head,
      status: "completed",
      output: [item(textPart(text, annotationsOf(result, text, origin)))],
      usage: usageOf(result),
      corrective_rag: { status: result.outcome.status, passages: result.passages },
    }),
  };
}

function textPart(text: string, annotations: object[]) {
  return { type: "output_text", text, annotations, logprobs: [] };
}

/** The citations' places in the text, which ends with the answer and its sources. */
function annotationsOf(result: CorrectiveRagResult, text: string, origin: string) {
  const before = text.length - (result.answer + sourcesBelow(result.sources)).length;
  return citationsOf(result, origin).map(({ start_index: start, end_index: end, ...citation }) => ({
    type: "url_citation",
    ...citation,
    start_index: before + start,
    end_index: before + end,
  }));
}

function usageOf({ details }: CorrectiveRagResult) {
  const { input_tokens: input = 0, output_tokens: output = 0 } = details?.usage ?? {};
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
