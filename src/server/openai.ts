/**
 * The routes of the OpenAI protocol for chat clients that know nothing of LangGraph: models, chat
 * completions and responses. A model's name chooses a profile: `corrective-rag`,
 * `corrective-rag:holistic`, ….
 */
import { Hono, type Context } from "hono";
import { streamSSE, type SSEMessage } from "hono/streaming";
import type { z } from "zod";
import { addressOf, type EvidenceSource } from "../state/evidence.js";
import { sourcesBelow } from "../state/answer.js";
import { PROFILE_NAMES } from "../settings/run-settings.js";
import { HttpProblem, openAiError, parsed, problemOf } from "./http-problem.js";
import * as forms from "./openai-forms.js";
import type { Answered, Asked, Message, Writer } from "./openai-forms.js";
import type { CorrectiveRag } from "../corrective-rag.js";

const MODELS = [forms.MODEL, ...PROFILE_NAMES.map((profile) => `${forms.MODEL}:${profile}`)];

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

  const serve = <Request extends Asked>(
    path: string,
    request: z.ZodType<Request>,
    writer: (asked: Request) => Writer,
  ): void => {
    routes.post(path, async (context) => {
      const asked = parsed(request, await context.req.json().catch(() => undefined), 400);
      requireQuestion(asked.messages.at(-1));
      requireModel(asked.model);
      const answer = (send: (text: string) => Promise<void>) =>
        answered(agent, asked, { send, context });
      const writing = writer(asked);
      if (asked.stream !== true)
        return context.json(writing.whole(await answer(() => Promise.resolve())));
      return streamSSE(
        context,
        async (sse) => {
          const send = async (events: SSEMessage[]): Promise<void> => {
            for (const event of events) await sse.writeSSE(event);
          };
          await send(writing.begin());
          await send(writing.end(await answer((text) => send(writing.delta(text)))));
        },
        (error, sse) => sse.writeSSE(writing.failure(openAiError(problemOf(error)))),
      );
    });
  };
  serve("/v1/chat/completions", forms.ChatRequest, forms.chatWriter);
  serve("/v1/responses", forms.ResponseRequest, forms.responseWriter);
  return routes;
}

function described(id: string) {
  return { id, object: "model", created: 0, owned_by: forms.MODEL };
}

function requireModel(id: string): void {
  if (MODELS.includes(id)) return;
  const message = `there is no model "${id}"; choose one of ${MODELS.join(", ")}`;
  throw new HttpProblem(404, message, { code: "model_not_found" });
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

/**
 * Asks, and sends the answer as it is written. The protocol cannot retract text, so if the guard
 * changed the draft, the checked answer follows it, announced as such.
 */
async function answered(
  agent: Pick<CorrectiveRag, "events">,
  { model, messages, filter, knowledge_base: named }: Asked,
  { send, context }: { send: (text: string) => Promise<void>; context: Context },
): Promise<Answered> {
  const profile = PROFILE_NAMES.find((name) => model === `${forms.MODEL}:${name}`);
  const events = agent.events(
    { messages: plainMessages(messages) },
    {
      signal: context.req.raw.signal,
      context: { profile, ...(filter && { filter }), ...(named && { knowledge_base: named }) },
    },
  );
  let text = "";
  const add = (more: string): Promise<void> => {
    text += more;
    return send(more);
  };
  let step = await events.next();
  for (; step.done !== true; step = await events.next())
    if (step.value.type === "answer_delta") await add(step.value.text);
  const { answer, sources, outcome, passages, details } = step.value;
  if (answer.startsWith(text)) await add(answer.slice(text.length));
  else await add(`\n\n---\nChecked against the sources, the answer is:\n\n${answer}`);
  const start = text.length - answer.length;
  await add(sourcesBelow(sources));
  const origin = originOf(context);
  const citations = sources.flatMap(({ marker, title, source }) => {
    const place = answer.indexOf(`[${marker}]`);
    const [from, to] = [start + place, start + place + `[${marker}]`.length];
    const url = linkTo(source, origin);
    return place < 0 ? [] : [{ start_index: from, end_index: to, title, url }];
  });
  const { input_tokens: input = 0, output_tokens: output = 0 } = details?.usage ?? {};
  return {
    text,
    citations,
    tokens: { input, output, total: input + output },
    ending: { status: outcome.status, passages },
  };
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

/** Returns the server's address as its client sees it, also behind a proxy with TLS. */
function originOf({ req }: Context): string {
  const { origin } = new URL(req.url);
  // Anybody may send this header; it misleads nobody but its sender.
  return req.header("x-forwarded-proto") === "https" ? origin.replace("http:", "https:") : origin;
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
