/** A chat completions endpoint on loopback that says, over real HTTP, whatever a function of the request says. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface ChatRequest {
  /** The task named in the system text, else `unknown`. */
  task: string;
  system: string;
  user: string;
  streamed: boolean;
  form: "json_schema" | "none";
  /** `max_tokens` or `max_completion_tokens`. */
  limit: number | undefined;
  authorization?: string;
  body: Record<string, unknown>;
}

export interface ChatReply {
  content?: string;
  /** Sent apart from the content, as servers do that know of thinking. */
  reasoning?: string;
  finish?: string;
  status?: number;
  /** Closes the connection, after `raw` if there is one. */
  resets?: boolean;
  headers?: Record<string, string>;
  /** In place of a completion. */
  raw?: { type: string; text: string };
  /** Characters of a delta when streamed. */
  pieceSize?: number;
  /** Sends these deltas in turn until the client goes away. */
  endless?: readonly Record<string, unknown>[];
}

export interface ChatEndpoint {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly requests: ChatRequest[];
  tokens(): number;
  close(): Promise<void>;
}

export async function startChatEndpoint(
  reply: (request: ChatRequest, nth: number) => ChatReply | Promise<ChatReply>,
): Promise<ChatEndpoint> {
  const requests: ChatRequest[] = [];
  let tokens = 0;
  const server = createServer((incoming, response) => {
    respond(incoming, response).catch(() => response.destroy());
  });
  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(Buffer.from(part));
    const { authorization } = incoming.headers;
    const asked = requestOf(JSON.parse(Buffer.concat(parts).toString("utf8") || "{}"));
    const request = { ...asked, authorization };
    requests.push(request);
    const said = await reply(request, requests.length - 1);
    const usage = usageOf(request, said);
    tokens += usage.total_tokens;
    if (said.raw !== undefined) {
      response.writeHead(said.status ?? 200, { "content-type": said.raw.type, ...said.headers });
      if (said.resets === true) response.write(said.raw.text, () => response.destroy());
      else response.end(said.raw.text);
    } else if (said.resets === true) response.destroy();
    else if (said.status !== undefined) {
      response.writeHead(said.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: said.content ?? "refused" } }));
    } else if (request.streamed) await stream(response, said, usage);
    else {
      const choices = [
        { index: 0, message: messageOf(said), finish_reason: said.finish ?? "stop" },
      ];
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: "c", object: "chat.completion", choices, usage }));
    }
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    tokens: () => tokens,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function requestOf(body: Record<string, unknown>): ChatRequest {
  const messages: unknown[] = Array.isArray(body["messages"]) ? body["messages"] : [];
  const textOf = (role: string): string =>
    messages
      .filter(
        (each) => typeof each === "object" && each !== null && Reflect.get(each, "role") === role,
      )
      .map((each) => String(Reflect.get(Object(each), "content")))
      .join("\n");
  const system = textOf("system");
  const limit = body["max_tokens"] ?? body["max_completion_tokens"];
  return {
    task: /^# Task: (\S+)/m.exec(system)?.[1] ?? "unknown",
    system,
    user: textOf("user"),
    streamed: body["stream"] === true,
    form: body["response_format"] === undefined ? "none" : "json_schema",
    limit: typeof limit === "number" ? limit : undefined,
    body,
  };
}

function messageOf({ content = "", reasoning }: ChatReply): object {
  const thoughts = reasoning === undefined ? {} : { reasoning_content: reasoning };
  return { role: "assistant", content, ...thoughts };
}

async function stream(response: ServerResponse, said: ChatReply, usage: object): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish_reason: string | null = null, more: object = {}): boolean =>
    response.write(
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`,
    );
  const pieces = (text: string): string[] =>
    text.match(new RegExp(`[\\s\\S]{1,${said.pieceSize ?? 6}}`, "g")) ?? [];
  for (const piece of pieces(said.reasoning ?? "")) send({ reasoning_content: piece });
  for (const piece of pieces(said.content ?? "")) send({ content: piece });
  if (said.endless !== undefined) {
    const deltas = said.endless;
    const more = (): void => {
      while (!response.destroyed && deltas.map((delta) => send(delta)).every((isSent) => isSent));
    };
    response.on("drain", more);
    more();
    return;
  }
  send({}, said.finish ?? "stop", { usage });
  response.end("data: [DONE]\n\n");
}

function usageOf(
  { system, user }: ChatRequest,
  { content = "", reasoning = "" }: ChatReply,
): {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  completion_tokens_details: object;
} {
  const tokensOf = (text: string): number => Math.ceil(text.length / 4);
  const prompt_tokens = tokensOf(system + user);
  const completion_tokens = tokensOf(content + reasoning);
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    completion_tokens_details: { reasoning_tokens: tokensOf(reasoning) },
  };
}
