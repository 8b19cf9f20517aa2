/** The two forms in which the OpenAI protocol asks and is answered. */
import { randomUUID } from "node:crypto";
import type { SSEMessage } from "hono/streaming";
import { z } from "zod";
import type { CorrectiveRagResult } from "../corrective-rag.js";
import { filterSetting } from "../settings/filter.js";

/** The name of the agent among the models. */
export const MODEL = "corrective-rag";

const Part = z.looseObject({ type: z.string(), text: z.string().optional() });
const Message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: z.union([z.string(), z.array(Part)], "must be a text or a list of parts").nullish(),
});
export type Message = z.output<typeof Message>;

/** What every request for an answer may have. */
const Options = z.looseObject({
  model: z.string().default(MODEL),
  stream: z.boolean().nullish(),
  /** These two narrow the documents; they are not part of the protocol. */
  filter: filterSetting.nullish(),
  knowledge_base: z.string().nullish(),
});
export type Asked = z.output<typeof Options> & { messages: readonly Message[] };

export interface Answered {
  /** All that was sent: the answer, and the sources below it. */
  text: string;
  /** With their place in the text, and a link that opens. */
  citations: { start_index: number; end_index: number; title: string; url: string }[];
  tokens: { input: number; output: number; total: number };
  /** How the run ended, which the protocol has no words for. */
  ending: { status: string; passages: CorrectiveRagResult["passages"] };
}

/** Writes one answer, in one piece or as events. */
export interface Writer {
  whole(answered: Answered): object;
  begin(): SSEMessage[];
  delta(text: string): SSEMessage[];
  end(answered: Answered): SSEMessage[];
  failure(problem: { error: object }): SSEMessage;
}

const now = (): number => Math.floor(Date.now() / 1000);

export const ChatRequest = Options.extend({
  messages: z.array(Message).min(1, "is empty"),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
});

export function chatWriter({
  model,
  stream_options: options,
}: z.output<typeof ChatRequest>): Writer {
  const head = { id: `chatcmpl-${randomUUID()}`, created: now(), model };
  const chunk = (fields: object): SSEMessage => ({
    data: JSON.stringify({ ...head, object: "chat.completion.chunk", ...fields }),
  });
  const part = (delta: object, finish: string | null = null): SSEMessage =>
    chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
  const usageOf = ({ tokens: { input, output, total } }: Answered) => ({
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: total,
  });
  const endingOf = ({ citations, ending }: Answered) => ({
    annotations: citations.map((each) => ({ type: "url_citation", url_citation: each })),
    corrective_rag: ending,
  });
  return {
    whole: (answered) => {
      const message = { role: "assistant", content: answered.text, ...endingOf(answered) };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      return { ...head, object: "chat.completion", choices, usage: usageOf(answered) };
    },
    begin: () => [part({ role: "assistant", content: "" })],
    delta: (content) => [part({ content })],
    end: (answered) => [
      part(endingOf(answered)),
      part({}, "stop"),
      ...(options?.include_usage ? [chunk({ choices: [], usage: usageOf(answered) })] : []),
      { data: "[DONE]" },
    ],
    failure: (problem) => ({ data: JSON.stringify(problem) }),
  };
}

export const ResponseRequest = Options.extend({
  // Calls of the client's tools, their results and reasoning have no role.
  input: z.union([z.string(), z.array(Message.partial()).min(1)]),
  previous_response_id: z.null("no response is kept; send all of `input`").optional(),
}).transform(({ input, ...options }) => {
  const items = typeof input === "string" ? [{ role: "user" as const, content: input }] : input;
  const messages = items.flatMap(({ role, content }) => (role ? [{ role, content }] : []));
  return { ...options, messages };
});

export function responseWriter({ model }: Asked): Writer {
  const head = {
    id: `resp_${randomUUID()}`,
    object: "response",
    created_at: now(),
    model,
    ...{ error: null, incomplete_details: null, instructions: null, metadata: {} },
    ...{ parallel_tool_calls: false, temperature: null, top_p: null, tool_choice: "auto" },
    ...{ tools: [], store: false },
  };
  const itemId = `msg_${randomUUID()}`;
  const place = { output_index: 0, item_id: itemId, content_index: 0 };
  const item = (status: string, content: object[]) => {
    return { id: itemId, type: "message", role: "assistant", status, content };
  };
  const textPart = (text: string, annotations: object[]) => {
    return { type: "output_text", text, annotations, logprobs: [] };
  };
  const written = ({ text, citations }: Answered) => {
    const annotations = citations.map((each) => ({ type: "url_citation", ...each }));
    return item("completed", [textPart(text, annotations)]);
  };
  const whole = (answered: Answered) => ({
    ...head,
    status: "completed",
    output: [written(answered)],
    usage: {
      input_tokens: answered.tokens.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: answered.tokens.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: answered.tokens.total,
    },
    corrective_rag: answered.ending,
  });
  let sequence = 0;
  const event = (type: string, fields: object): SSEMessage => ({
    event: type,
    data: JSON.stringify({ ...fields, type, sequence_number: sequence++ }),
  });
  const begun = { ...head, status: "in_progress", output: [], usage: null };
  return {
    whole,
    begin: () => [
      event("response.created", { response: begun }),
      event("response.in_progress", { response: begun }),
      event("response.output_item.added", { output_index: 0, item: item("in_progress", []) }),
      event("response.content_part.added", { ...place, part: textPart("", []) }),
    ],
    delta: (delta) => [event("response.output_text.delta", { ...place, delta, logprobs: [] })],
    end: (answered) => {
      const done = written(answered);
      return [
        event("response.output_text.done", { ...place, text: answered.text, logprobs: [] }),
        event("response.content_part.done", { ...place, part: done.content[0] }),
        event("response.output_item.done", { output_index: 0, item: done }),
        event("response.completed", { response: whole(answered) }),
      ];
    },
    failure: ({ error }) => event("error", error),
  };
}
