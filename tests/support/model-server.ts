/**
 * A local server that speaks OpenAI's chat completions and embeddings over real HTTP, with scripted answers. It stands for the endpoints that people
 * have: one that keeps JSON schemas, one that knows tools only, one that refuses both, one that ignores both. And it can fail in every way they do.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { defaultAnswer } from "./model-server-answers.js";

/** `plain` refuses schemas; `careless` accepts them and answers in prose with JSON somewhere in it. */
export type Temperament = "json_schema" | "plain" | "careless";

export type Fault =
  | { kind: "unauthorised" }
  | { kind: "unknown_model" }
  | { kind: "rate_limit"; retryAfterInSeconds?: number }
  | { kind: "server_error" }
  | { kind: "hang" }
  /** The stream breaks off after so many characters (the connection is destroyed), or politely without a finish reason. */
  | { kind: "cut_stream"; after: number; politely?: boolean }
  | { kind: "nonsense" }
  | { kind: "empty" }
  /** Refuses a parameter by its name, as OpenAI's newer models do. */
  | { kind: "refuse_parameter"; name: string };

export interface RecordedRequest {
  task: string;
  model: string;
  form: "json_schema" | "none";
  streamed: boolean;
  system: string;
  user: string;
  body: Record<string, unknown>;
  authorization: string | undefined;
  inputTokens: number;
  outputTokens: number;
  /** What was done with it: `answered`, or the fault's kind, or `refused`. */
  outcome: string;
  /** The client went away before the answer was complete. */
  abandoned: boolean;
}

/** An answer: text for `answer` and `chat`, a value for everything that has a form, or what makes one from the request. */
export type Scripted = string | Record<string, unknown> | ((request: RecordedRequest) => unknown);

export interface ModelServer {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly requests: RecordedRequest[];
  /** Requests that were answered, of one task or of all. */
  answered(task?: string): number;
  tokens(): number;
  /** Requests that were open at the same time, at most. */
  mostAtOnce(): number;
  /** Scripts every further answer to a task. */
  script(task: string, answer: Scripted): void;
  /** Lets the next requests fail: so many times (default: for ever), of one task or of all. */
  fail(fault: Fault, options?: { times?: number; task?: string }): void;
  /** Forgets scripts, faults and requests. */
  reset(): void;
  close(): Promise<void>;
}

export async function startModelServer({
  temperament = "json_schema",
  delayBetweenChunksInMs = 0,
}: { temperament?: Temperament; delayBetweenChunksInMs?: number } = {}): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const scripts = new Map<string, Scripted>();
  let open = 0;
  let mostOpen = 0;
  let faults: { fault: Fault; left: number; task: string | undefined }[] = [];

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) send(response, 500, { error: { message: String(error) } });
      else response.destroy();
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (request.url?.endsWith("/embeddings") === true) return embeddings(body, response);
    if (request.url?.endsWith("/models") === true)
      return send(response, 200, { object: "list", data: [{ id: "test-model", object: "model" }] });
    const recorded = record(body, request.headers.authorization);
    requests.push(recorded);
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.on("close", () => {
      open -= 1;
      recorded.abandoned = !response.writableFinished;
    });
    const fault = takeFault(recorded.task);
    if (fault !== undefined && refuse(fault, recorded, response)) return;
    if (recorded.form === "json_schema" && temperament === "plain") {
      recorded.outcome = "refused";
      return send(response, 400, {
        error: {
          message: "response_format is not supported by this server",
          type: "invalid_request_error",
        },
      });
    }
    const answer =
      fault?.kind === "nonsense"
        ? "Well, that depends."
        : fault?.kind === "empty"
          ? ""
          : await answerTo(recorded);
    recorded.outcome =
      fault === undefined || fault.kind === "refuse_parameter" ? "answered" : fault.kind;
    const text =
      typeof answer === "string"
        ? answer
        : temperament === "careless" || recorded.form === "none"
          ? inProse(answer)
          : JSON.stringify(answer);
    recorded.outputTokens = tokensOf(text);
    const cut = fault?.kind === "cut_stream" ? fault : undefined;
    if (recorded.streamed) await stream(response, recorded, text, cut);
    else if (cut !== undefined && cut.politely !== true) response.destroy();
    else send(response, 200, completion(recorded, text));
  }

  function record(
    body: Record<string, unknown>,
    authorization: string | undefined,
  ): RecordedRequest {
    const messages = Array.isArray(body["messages"]) ? body["messages"] : [];
    const contentOf = (role: string): string =>
      messages
        .filter((each) => each.role === role)
        .map((each) => String(each.content))
        .join("\n");
    const [system, user] = [contentOf("system"), contentOf("user")];
    return {
      task: /^# Task: (\S+)/m.exec(system)?.[1] ?? "unknown",
      model: String(body["model"]),
      form: body["response_format"] === undefined ? "none" : "json_schema",
      streamed: body["stream"] === true,
      system,
      user,
      body,
      authorization,
      inputTokens: tokensOf(system + user),
      outputTokens: 0,
      outcome: "pending",
      abandoned: false,
    };
  }

  function takeFault(task: string): Fault | undefined {
    const found = faults.find(
      (each) => each.left > 0 && (each.task === undefined || each.task === task),
    );
    if (found !== undefined) found.left -= 1;
    return found?.fault;
  }

  /** True when the request is done with. */
  function refuse(fault: Fault, recorded: RecordedRequest, response: ServerResponse): boolean {
    recorded.outcome = fault.kind;
    const error = (status: number, message: string, headers: Record<string, string> = {}): true => {
      send(
        response,
        status,
        { error: { message, type: "error", param: null, code: null } },
        headers,
      );
      return true;
    };
    switch (fault.kind) {
      case "unauthorised":
        return error(401, "Incorrect API key provided: sk-secret-1234567890.");
      case "unknown_model":
        return error(404, `The model '${recorded.model}' does not exist`);
      case "rate_limit":
        return error(
          429,
          "Rate limit reached",
          fault.retryAfterInSeconds === undefined
            ? {}
            : { "retry-after": String(fault.retryAfterInSeconds) },
        );
      case "server_error":
        return error(500, "The server had an error");
      case "refuse_parameter":
        return fault.name in recorded.body
          ? error(400, `Unsupported parameter: '${fault.name}' is not supported with this model.`)
          : false;
      case "hang":
        return true;
      case "cut_stream":
      case "nonsense":
      case "empty":
        return false;
      default:
        return fault satisfies never;
    }
  }

  function answerTo(recorded: RecordedRequest): unknown {
    const scripted = scripts.get(recorded.task);
    if (scripted === undefined) return defaultAnswer(recorded.task, recorded.user);
    return typeof scripted === "function" ? scripted(recorded) : scripted;
  }

  async function stream(
    response: ServerResponse,
    recorded: RecordedRequest,
    text: string,
    cut: { after: number; politely?: boolean } | undefined,
  ): Promise<void> {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (
      delta: Record<string, unknown>,
      finish: string | null = null,
      usage?: unknown,
    ): void => {
      const choices = usage === undefined ? [{ index: 0, delta, finish_reason: finish }] : [];
      response.write(
        `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: recorded.model, choices, usage })}\n\n`,
      );
    };
    chunk({ role: "assistant", content: "" });
    const shown = cut === undefined ? text : text.slice(0, cut.after);
    for (const piece of shown.match(/[\s\S]{1,6}/g) ?? []) {
      if (response.destroyed) return;
      chunk({ content: piece });
      if (delayBetweenChunksInMs > 0)
        await new Promise((resolve) => setTimeout(resolve, delayBetweenChunksInMs));
    }
    if (cut !== undefined) {
      if (cut.politely === true) response.end();
      else {
        // The pieces must be out before the connection breaks, else there is no stream to cut.
        await new Promise((resolve) => setTimeout(resolve, 20));
        response.destroy();
      }
      return;
    }
    chunk({}, "stop");
    if (recorded.body["stream_options"] !== undefined) chunk({}, null, usageOf(recorded));
    response.end("data: [DONE]\n\n");
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const { port } = address;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    answered: (task) =>
      requests.filter(
        (each) => each.outcome === "answered" && (task === undefined || each.task === task),
      ).length,
    tokens: () => requests.reduce((sum, each) => sum + each.inputTokens + each.outputTokens, 0),
    mostAtOnce: () => mostOpen,
    script: (task, answer) => void scripts.set(task, answer),
    fail: (fault, { times = Number.POSITIVE_INFINITY, task } = {}) =>
      void faults.push({ fault, left: times, task }),
    reset() {
      requests.length = 0;
      mostOpen = 0;
      scripts.clear();
      faults = [];
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function completion(recorded: RecordedRequest, text: string): unknown {
  const message = { role: "assistant", content: text };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: recorded.model,
    choices,
    usage: usageOf(recorded),
  };
}

/** Deterministic vectors: one dimension for each hashed word, so that equal words mean nearness. */
function embeddings(body: Record<string, unknown>, response: ServerResponse): void {
  const inputs = Array.isArray(body["input"]) ? body["input"].map(String) : [String(body["input"])];
  const data = inputs.map((input, index) => {
    const vector = Array.from({ length: 64 }, () => 0);
    for (const word of input.toLowerCase().match(/\p{L}+/gu) ?? []) {
      const slot = Array.from(word).reduce(
        (hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 64,
        7,
      );
      vector[slot] = (vector[slot] ?? 0) + 1;
    }
    const norm = Math.hypot(...vector) || 1;
    return { object: "embedding", index, embedding: vector.map((value) => value / norm) };
  });
  send(response, 200, {
    object: "list",
    model: body["model"],
    data,
    usage: { prompt_tokens: tokensOf(inputs.join(" ")), total_tokens: tokensOf(inputs.join(" ")) },
  });
}

function usageOf(recorded: RecordedRequest): unknown {
  const { inputTokens, outputTokens } = recorded;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

function inProse(answer: unknown): string {
  return `Here is my answer:\n\n\`\`\`json\n${JSON.stringify(answer, null, 1)}\n\`\`\`\nI hope that helps.`;
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  const text = Buffer.concat(parts).toString("utf8");
  return text === "" ? {} : JSON.parse(text);
}
