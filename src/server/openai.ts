/**
 * The OpenAI protocol (`/v1/chat/completions`, `/v1/models`) for chat clients that know nothing of
 * LangGraph. A model's name stands for a profile: `corrective-rag`, `corrective-rag:holistic`, ….
 */
import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { streamSSE, type SSEStreamingApi } from "hono/streaming";
import { z } from "zod";
import { placeOf } from "../state/evidence.js";
import { sourceList } from "../state/answer.js";
import type { RecordedEvent } from "../observability/events.js";
import { filterSetting } from "../settings/filter.js";
import { PROFILE_NAMES } from "../settings/run-settings.js";
import { reasonOf } from "../support/errors.js";
import { problemOf } from "./http-problem.js";
import type { CorrectiveRag, CorrectiveRagResult } from "../corrective-rag.js";

const NAME = "corrective-rag";
const MODELS = [NAME, ...PROFILE_NAMES.map((profile) => `${NAME}:${profile}`)];

const Part = z.looseObject({ type: z.string(), text: z.string().optional() });
const Message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: z.union([z.string(), z.array(Part)]).nullish(),
});
type Message = z.output<typeof Message>;
const RequestSchema = z.looseObject({
  model: z.string().default(NAME),
  messages: z.array(Message).min(1),
  stream: z.boolean().nullish(),
  /** An extension of ours: narrows the documents. */
  filter: filterSetting.nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
});

export function openAiRoutes(agent: Pick<CorrectiveRag, "ask" | "events">): Hono {
  const routes = new Hono();
  // Clients of the protocol understand errors as JSON only.
  routes.onError((error, context) => {
    const { problem } = problemOf(error);
    if (problem.status !== 429) return context.json(serverError(error), 500);
    context.header("retry-after", String(problem.retryAfter));
    const told = { message: problem.message, type: "rate_limit_error", param: null, code: null };
    return context.json({ error: told }, 429);
  });
  routes.get("/v1/models", (context) =>
    context.json({
      object: "list",
      data: MODELS.map((id) => ({ id, object: "model", created: 0, owned_by: NAME })),
    }),
  );
  routes.post("/v1/chat/completions", async (context) => {
    const parsed = RequestSchema.safeParse(await context.req.json().catch(() => undefined));
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0] ?? { path: [], message: "" };
      const said =
        path.length === 0 ? "the body is not a JSON object" : `${path.join(".")}: ${message}`;
      return context.json(mistake(said), 400);
    }
    const { model, messages, stream, filter, stream_options: wanted } = parsed.data;
    const refusal = whyNoQuestion(messages.at(-1));
    if (refusal !== undefined) return context.json(mistake(`messages: ${refusal}`), 400);
    if (!MODELS.includes(model))
      return context.json(
        mistake(
          `there is no model "${model}"; choose one of ${MODELS.join(", ")}`,
          "model_not_found",
        ),
        404,
      );
    const profile = PROFILE_NAMES.find((name) => model === `${NAME}:${name}`);
    const aborter = new AbortController();
    const { signal } = context.req.raw;
    signal.addEventListener("abort", () => aborter.abort(), { once: true });
    const question = { messages: plainMessages(messages) };
    const settings = { ...(profile && { profile }), ...(filter && { filter }) };
    const options = { signal: aborter.signal, context: settings };
    const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model };
    if (stream !== true) return context.json(completion(head, await agent.ask(question, options)));
    const answer = async (sse: SSEStreamingApi): Promise<void> => {
      sse.onAbort(() => aborter.abort());
      const send = (chunk: object) =>
        sse.writeSSE({
          data: JSON.stringify({ ...head, object: "chat.completion.chunk", ...chunk }),
        });
      const part = (delta: object, finish: string | null = null) =>
        send({ choices: [{ index: 0, delta, finish_reason: finish }] });
      await part({ role: "assistant", content: "" });
      const result = await streamed(agent.events(question, options), (content) =>
        part({ content }),
      );
      await part({ annotations: annotationsOf(result), ...endingOf(result) });
      await part({}, "stop");
      if (wanted?.include_usage === true) await send({ choices: [], usage: usageOf(result) });
      await sse.writeSSE({ data: "[DONE]" });
    };
    return streamSSE(context, answer, (error, sse) =>
      sse.writeSSE({ data: JSON.stringify(serverError(error)) }),
    );
  });
  return routes;
}

/**
 * Sends the answer as it is written. The protocol cannot retract text, so if the guard changed the
 * draft, the checked answer follows it, announced as such.
 */
async function streamed(
  events: AsyncGenerator<RecordedEvent, CorrectiveRagResult>,
  send: (text: string) => Promise<void>,
): Promise<CorrectiveRagResult> {
  let sent = "";
  let step = await events.next();
  for (; step.done !== true; step = await events.next())
    if (step.value.type === "answer_delta") {
      sent += step.value.text;
      await send(step.value.text);
    }
  const { answer, sources } = step.value;
  const rest = answer.startsWith(sent)
    ? answer.slice(sent.length)
    : `\n\n---\nChecked against the sources, the answer is:\n\n${answer}`;
  await send(rest + sourceList(sources));
  return step.value;
}

function completion(
  head: { id: string; created: number; model: string },
  result: CorrectiveRagResult,
) {
  const content = result.answer + sourceList(result.sources);
  return {
    ...head,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content,
          annotations: annotationsOf(result),
          ...endingOf(result),
        },
        finish_reason: "stop",
      },
    ],
    usage: usageOf(result),
  };
}

/** Returns the citations in the protocol's form: their place in the text, and their target. */
function annotationsOf({ answer, sources }: CorrectiveRagResult): object[] {
  return sources.flatMap(({ marker, title, source }) => {
    const start = answer.indexOf(`[${marker}]`);
    const place = { start_index: start, end_index: start + `[${marker}]`.length, title };
    return start < 0
      ? []
      : [{ type: "url_citation", url_citation: { ...place, url: placeOf(source) } }];
  });
}

/** The ending as data, beside the protocol: its text tells it, too. */
function endingOf({ outcome, passages }: CorrectiveRagResult) {
  return { corrective_rag: { status: outcome.status, passages } };
}

function usageOf({ details }: CorrectiveRagResult) {
  const { input_tokens: input = 0, output_tokens: output = 0 } = details?.usage ?? {};
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

/** Refuses a last message that is not a question in text: the agent reads no images. */
function whyNoQuestion(last: Message | undefined): string | undefined {
  if (last?.role !== "user" || textOf(last).trim() === "")
    return "the last one must be a text from the user";
  const parts = typeof last.content === "object" ? (last.content ?? []) : [];
  const other = parts.find(({ text }) => text === undefined);
  return other && `a part of type ${other.type} cannot be read, only text`;
}

/** Drops the calls of the client's own tools and their results. */
function plainMessages(messages: readonly Message[]): { role: string; content: string }[] {
  return messages
    .filter(({ role }) => role !== "tool" && role !== "function")
    .map((message) => ({ role: message.role, content: textOf(message) }));
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("\n");
}

function mistake(message: string, code: string | null = null) {
  return { error: { message, type: "invalid_request_error", param: null, code } };
}

function serverError(error: unknown) {
  return { error: { message: reasonOf(error), type: "server_error", param: null, code: null } };
}
