/**
 * The OpenAI protocol (`/v1/chat/completions`, `/v1/models`; see also `/v1/responses`) for
 * chat clients that know nothing of LangGraph. A model's name chooses a profile:
 * `corrective-rag`, `corrective-rag:holistic`, ….
 */
import { randomUUID } from "node:crypto";
import { Hono, type Context } from "hono";
import { streamSSE, type SSEStreamingApi } from "hono/streaming";
import { z } from "zod";
import { addressOf, type EvidenceSource } from "../state/evidence.js";
import { sourcesBelow } from "../state/answer.js";
import type { RecordedEvent } from "../observability/events.js";
import { filterSetting } from "../settings/filter.js";
import { PROFILE_NAMES } from "../settings/run-settings.js";
import { HttpProblem, openAiError, parsed, problemOf } from "./http-problem.js";
import type { CorrectiveRag, CorrectiveRagResult } from "../corrective-rag.js";

const NAME = "corrective-rag";
const MODELS = [NAME, ...PROFILE_NAMES.map((profile) => `${NAME}:${profile}`)];

const Part = z.looseObject({ type: z.string(), text: z.string().optional() });
export const Message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: z.union([z.string(), z.array(Part)], "must be a text or a list of parts").nullish(),
});
export type Message = z.output<typeof Message>;
/** What every request for an answer may have. */
export const AnswerRequest = z.looseObject({
  model: z.string().default(NAME),
  stream: z.boolean().nullish(),
  /** These two narrow the documents; they are not part of the protocol. */
  filter: filterSetting.nullish(),
  knowledge_base: z.string().nullish(),
});
const Request = AnswerRequest.extend({
  messages: z.array(Message).min(1, "is empty"),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
});

export function openAiRoutes(agent: Pick<CorrectiveRag, "events">): Hono {
  const routes = new Hono();
  routes.get("/v1/models", (context) =>
    context.json({ object: "list", data: MODELS.map(described) }),
  );
  routes.get("/v1/models/:id", (context) => {
    const id = context.req.param("id");
    requireModel(id);
    return context.json(described(id));
  });
  routes.post("/v1/chat/completions", async (context) => {
    const body: unknown = await context.req.json().catch(() => undefined);
    const asking = parsed(Request, body, 400);
    const { model, messages, stream, stream_options: options } = asking;
    const { answering, left } = startAnswer(agent, { ...asking, messages }, context.req.raw.signal);
    const origin = originOf(context);
    const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model };
    if (stream !== true) {
      const result = await sendAnswer(answering, () => Promise.resolve());
      return context.json({ ...head, ...completion(result, origin) });
    }
    const answer = async (sse: SSEStreamingApi): Promise<void> => {
      sse.onAbort(() => left.abort());
      const send = (chunk: object) =>
        sse.writeSSE({
          data: JSON.stringify({ ...head, object: "chat.completion.chunk", ...chunk }),
        });
      const part = (delta: object, finish: string | null = null) =>
        send({ choices: [{ index: 0, delta, finish_reason: finish }] });
      await part({ role: "assistant", content: "" });
      const result = await sendAnswer(answering, (content) => part({ content }));
      await part(endingOf(result, origin));
      await part({}, "stop");
      if (options?.include_usage === true) await send({ choices: [], usage: usageOf(result) });
      await sse.writeSSE({ data: "[DONE]" });
    };
    return streamSSE(context, answer, (error, sse) =>
      sse.writeSSE({ data: JSON.stringify(openAiError(problemOf(error))) }),
    );
  });
  return routes;
}

/**
 * Begins the run of a request. `left` ends it, as does the client's signal.
 * @throws HttpProblem for an unknown model, and for a last message that is no question
 */
export function startAnswer(
  agent: Pick<CorrectiveRag, "events">,
  asking: z.output<typeof AnswerRequest> & { messages: readonly Message[] },
  signal: AbortSignal,
) {
  const { model, messages, filter, knowledge_base: named } = asking;
  requireQuestion(messages.at(-1));
  requireModel(model);
  const profile = PROFILE_NAMES.find((name) => model === `${NAME}:${name}`);
  const left = new AbortController();
  signal.addEventListener("abort", () => left.abort(), { once: true });
  const answering = agent.events(
    { messages: plainMessages(messages) },
    {
      signal: left.signal,
      context: { profile, ...(filter && { filter }), ...(named && { knowledge_base: named }) },
    },
  );
  return { answering, left };
}

/** Returns the server's address as its client sees it, also behind a proxy with TLS. */
export function originOf({ req }: Context): string {
  const { origin } = new URL(req.url);
  // Anybody may send this header; it misleads nobody but its sender.
  return req.header("x-forwarded-proto") === "https" ? origin.replace("http:", "https:") : origin;
}

function described(id: string) {
  return { id, object: "model", created: 0, owned_by: NAME };
}

function requireModel(id: string): void {
  if (MODELS.includes(id)) return;
  const message = `there is no model "${id}"; choose one of ${MODELS.join(", ")}`;
  throw new HttpProblem(404, message, { code: "model_not_found" });
}

/**
 * Sends the answer as it is written. The protocol cannot retract text, so if the guard changed the
 * draft, the checked answer follows it, announced as such.
 */
export async function sendAnswer(
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
  await send(rest + sourcesBelow(sources));
  return step.value;
}

function completion(result: CorrectiveRagResult, origin: string) {
  const content = result.answer + sourcesBelow(result.sources);
  const message = { role: "assistant", content, ...endingOf(result, origin) };
  const choice = { index: 0, message, finish_reason: "stop" };
  return { object: "chat.completion", choices: [choice], usage: usageOf(result) };
}

/** The citations in the protocol's form, and, beside the protocol, how the run ended. */
function endingOf(result: CorrectiveRagResult, origin: string) {
  const annotations = citationsOf(result, origin).map((citation) => ({
    type: "url_citation",
    url_citation: citation,
  }));
  const { outcome, passages } = result;
  return { annotations, corrective_rag: { status: outcome.status, passages } };
}

/** The citations, with their place in the answer and a link that opens. */
export function citationsOf({ answer, sources }: CorrectiveRagResult, origin: string) {
  return sources.flatMap(({ marker, title, source }) => {
    const start = answer.indexOf(`[${marker}]`);
    const end = start + `[${marker}]`.length;
    const url = linkTo(source, origin);
    return start < 0 ? [] : [{ start_index: start, end_index: end, title, url }];
  });
}

/** Leads to the web, or to the document on the page of this server. */
function linkTo(source: EvidenceSource, origin: string): string {
  if (source.kind !== "file") return addressOf(source);
  const { path, start_line: line, page } = source;
  const place = {
    document: path,
    ...(line && { line: `${line}` }),
    ...(page && { page: `${page}` }),
  };
  return `${origin}/app#${new URLSearchParams(place).toString()}`;
}

function usageOf({ details }: CorrectiveRagResult) {
  const { input_tokens: input = 0, output_tokens: output = 0 } = details?.usage ?? {};
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

/**
 * Refuses a last message that is no question in words. Of earlier messages the text counts; but an
 * answer that passes over the picture that was just asked about would mislead.
 */
function requireQuestion(last: Message | undefined): void {
  const parts = typeof last?.content === "object" ? (last.content ?? []) : [];
  const other = parts.find(({ text }) => text === undefined);
  if (other !== undefined) {
    const what = `the question has a part of type ${other.type}; this agent reads text only`;
    throw new HttpProblem(400, `messages: ${what}: leave it out, and ask in words`);
  }
  if (last?.role !== "user" || textOf(last).trim() === "")
    throw new HttpProblem(400, "messages: the last one must be a text from the user");
}

/** Drops the calls of the client's tools, and their results. */
function plainMessages(messages: readonly Message[]): { role: string; content: string }[] {
  return messages
    .filter(({ role }) => role !== "tool" && role !== "function")
    .map((message) => ({ role: message.role, content: textOf(message) }));
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("\n");
}
