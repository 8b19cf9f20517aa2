/** What real endpoints and gateways send, over HTTP: understood, or reported for what it is. */
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { createChatModel } from "../../src/model/chat-model.js";
import { createModelReasoner } from "../../src/model/model-reasoner.js";
import type { Reasoner } from "../../src/reasoning/reasoner.js";
import {
  startChatEndpoint,
  type ChatEndpoint,
  type ChatReply,
  type ChatRequest,
} from "../support/chat-endpoint.js";
import { createTestScope, type TestScope } from "../support/test-scope.js";
import { answerInput, fixedModels, gradeInput, STAND_IN } from "./fixtures.js";

const ANSWER = "Paris is the capital of France [1].";
const SCORES = '{"scores": [0.9, 0.2, 0.1]}';
const said = ({ task }: ChatRequest): ChatReply => ({
  content: task === "answer" ? ANSWER : SCORES,
});
type Says = (request: ChatRequest, nth: number) => ChatReply;

const json = (value: unknown): ChatReply["raw"] => ({
  type: "application/json",
  text: JSON.stringify(value),
});
const completion = (message: object, finish_reason = "stop"): ChatReply => ({
  raw: json({
    id: "c",
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason }],
  }),
});
const refused = (status: number, error: unknown): ChatReply => ({ status, raw: json({ error }) });
const chunk = (delta: object, finish_reason: string | null = null): object => ({
  id: "c",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});
/** The answer in two chunks, and whatever comes before, between and after. */
const streamed = (
  { before = [], after = [] }: { before?: object[]; after?: object[] },
  { newline = "\n", data = "data: ", end }: { newline?: string; data?: string; end?: string } = {},
): ChatReply => {
  const chunks = [
    ...before,
    chunk({ role: "assistant", content: ANSWER.slice(0, 9) }),
    chunk({ content: ANSWER.slice(9) }, "stop"),
    ...after,
  ];
  const text = chunks.map((each) => `${data}${JSON.stringify(each)}${newline}${newline}`).join("");
  return {
    raw: { type: "text/event-stream", text: text + (end ?? `${data}[DONE]${newline}${newline}`) },
  };
};

let endpoint: ChatEndpoint;
afterEach(() => endpoint.close());

async function asked<T>(
  says: Says,
  ask: (reasoner: Reasoner, scope: TestScope) => Promise<T>,
): Promise<{ value: T; scope: TestScope; warnings: string; requests: number }> {
  endpoint = await startChatEndpoint(says);
  const model = await createChatModel({
    model: "m",
    baseUrl: endpoint.baseUrl,
    apiKey: "sk-secret-1234567890",
    maxTokens: 500,
  });
  const source = fixedModels({ answer: model, grade: model });
  const reasoner = createModelReasoner({ source, embedded: STAND_IN, timeoutInMs: 5_000 });
  const scope = createTestScope();
  const value = await ask(reasoner, scope);
  return { value, scope, warnings: scope.warnings.join("\n"), requests: endpoint.requests.length };
}
const answer = (says: Says) =>
  asked(says, (reasoner, scope) => reasoner.answer(answerInput(), scope));
const grade = (says: Says) => asked(says, (reasoner, scope) => reasoner.grade(gradeInput(), scope));

describe("a stream", () => {
  it.each<[string, ChatReply]>([
    ["with CRLF", streamed({}, { newline: "\r\n" })],
    ["without a blank after data:", streamed({}, { data: "data:" })],
    ["without a line break at its end", streamed({}, { end: "data: [DONE]" })],
    ["without [DONE]", streamed({}, { end: "" })],
    ["with comments", streamed({}, { data: ": PROCESSING\n\ndata: " })],
    ["that begins without choices", streamed({ before: [{ choices: [] }, { object: "ping" }] })],
    [
      "whose usage comes last",
      streamed({ after: [{ choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } }] }),
    ],
    [
      "that thinks in a field of its own",
      streamed({ before: [chunk({ reasoning: "Lyon [3]?" })] }),
    ],
  ])("%s is read", async (_name, reply) => {
    const { value, warnings, requests } = await answer(() => reply);
    expect([value.text, value.by, warnings, requests]).toEqual([ANSWER, "model", "", 1]);
  });

  it.each<[string, ChatReply]>([
    ["is answered with a whole completion", completion({ role: "assistant", content: ANSWER })],
    [
      "holds content in blocks",
      streamed({ before: [chunk({}, "stop")] }, { data: "data: {}\n\n: " }),
    ],
    ["has nothing in it", { content: "" }],
  ])("that %s is asked for again in one piece", async (_name, reply) => {
    const { value, warnings, requests } = await answer((request) =>
      request.streamed ? reply : said(request),
    );
    expect([value.text, value.by, requests]).toEqual([ANSWER, "model", 2]);
    expect(warnings).toMatch(/sent an empty stream; the answer was asked for again/);
  });

  it("whose connection breaks after its finish reason is complete", async () => {
    const { value, warnings, requests } = await answer(() => ({
      ...streamed({}, { end: "" }),
      resets: true,
    }));
    expect([value.text, value.by, warnings, requests]).toEqual([ANSWER, "model", "", 1]);
  });

  it("of something else than JSON prints nothing, and is reported in one line", async () => {
    const printed = jest.spyOn(console, "error").mockReturnValue(undefined);
    const raw = { type: "text/event-stream", text: "data: {{{\n\n" };
    const { value, warnings } = await answer(() => ({ raw }));
    expect([value.by, printed.mock.calls]).toEqual(["embedded", []]);
    expect(warnings).toMatch(/sent something that is not JSON; answering was done without it/);
    printed.mockRestore();
  });

  it("whose provider failed in the middle is asked for again", async () => {
    const reply: ChatReply = { content: "Paris is the cap", finish: "error" };
    const { value, warnings } = await answer((request, nth) => (nth === 0 ? reply : said(request)));
    expect([value.text, value.by]).toEqual([ANSWER, "model"]);
    expect(warnings).toMatch(/broke off; the answer was asked for again/);
  });

  it("whose provider fails in the second answer too leaves only the quotes on the screen", async () => {
    const reply: ChatReply = { content: "Paris is the cap", finish: "error" };
    const { value, scope } = await answer(() => reply);
    expect(value.by).toBe("embedded");
    const retracted = scope.of("answer_retracted").map(({ id }) => id);
    const left = scope.of("answer_delta").filter(({ id }) => !retracted.includes(id));
    expect(left.map(({ text }) => text).join("")).toBe(value.text);
  });

  it("that begins with an error is asked for again, which the error's own number allows", async () => {
    const error = { error: { message: "Provider disconnected", code: 502 } };
    const { value, requests } = await answer((request, nth) =>
      nth === 0 ? streamed({ before: [error] }) : said(request),
    );
    expect([value.text, value.by, requests]).toEqual([ANSWER, "model", 2]);
  });
});

describe("a refusal to answer", () => {
  it("by a content filter is reported", async () => {
    const { value, warnings, requests } = await answer(() => ({ finish: "content_filter" }));
    expect(value.by).toBe("embedded");
    expect(warnings).toMatch(/gave no answer: its content filter stopped it/);
    expect(requests).toBe(1);
  });
});

describe("a request that an endpoint cannot serve as it is", () => {
  it.each<[string, (request: ChatRequest) => boolean, ChatReply]>([
    [
      "a temperature that is deprecated",
      ({ body }) => "temperature" in body,
      refused(400, { message: "`temperature` is deprecated for this model." }),
    ],
    [
      "a system turn that the template has no place for",
      ({ body }) => JSON.stringify(body["messages"]).includes('"system"'),
      refused(500, { message: "Error in template: System role not supported" }),
    ],
    [
      "a developer instruction",
      ({ body }) => JSON.stringify(body["messages"]).includes('"system"'),
      refused(400, { message: "Developer instruction is not enabled for models/gemma-3" }),
    ],
    [
      "a system turn between which and the user's the roles do not alternate",
      ({ body }) => JSON.stringify(body["messages"]).includes('"system"'),
      refused(400, { message: "Conversation roles must alternate user/assistant/user/…" }),
    ],
    [
      "a temperature of zero",
      ({ body }) => body["temperature"] === 0,
      refused(422, { message: "Input validation error: `temperature` must be strictly positive" }),
    ],
    [
      "a limit of tokens that the context has no room for",
      ({ limit }) => limit !== undefined,
      refused(400, {
        message:
          "'max_tokens' or 'max_completion_tokens' is too large: 500. This model's maximum context length is 512 tokens",
      }),
    ],
    [
      "a schema whose grammar fails",
      ({ form }) => form === "json_schema",
      refused(500, { message: "failed to load model vocabulary required for grammar" }),
    ],
  ])("%s: is asked otherwise", async (_name, isRefused, reply) => {
    const { value, warnings } = await grade((request) =>
      isRefused(request) ? reply : { content: SCORES },
    );
    expect(value).toEqual({ judge: "batch", scores: { a: 0.9, b: 0.2, c: 0.1 } });
    expect(warnings).toBe("");
  });

  it("keeps the system text where there is no system turn", async () => {
    const says: Says = ({ body }) =>
      JSON.stringify(body["messages"]).includes('"system"')
        ? refused(400, { message: "System role not supported" })
        : { content: SCORES };
    await grade(says);
    expect(endpoint.requests.at(-1)?.user).toMatch(/^# Task: relevance_scores\n[^]*\n\nToday is/);
  });

  it("for its content keeps the form that it is asked in", async () => {
    const refusal = refused(400, { message: "Filtered by our content management policy" });
    const { value } = await asked(
      (request, nth) => (nth < 2 ? refusal : said(request)),
      async (reasoner, scope) => {
        await reasoner.grade(gradeInput(), createTestScope());
        return reasoner.grade(gradeInput(), scope);
      },
    );
    expect(value.judge).toBe("batch");
    expect(endpoint.requests.at(-1)?.form).toBe("json_schema");
  });
});

describe("a completion", () => {
  const { raw } = completion({ content: SCORES });

  it("with nonsense for its usage is counted by its length", async () => {
    const usage = { prompt_tokens: "12", completion_tokens: -5 };
    const { scope } = await grade(() => ({ raw: json({ ...JSON.parse(raw?.text ?? ""), usage }) }));
    expect(scope.budget.spent.input_tokens).toBeGreaterThan(100);
    expect(scope.budget.spent.output_tokens).toBeGreaterThan(5);
  });
});

describe("a failure", () => {
  it.each<[string, ChatReply]>([
    ["a connection that was closed", { resets: true }],
    ["an overloaded server (529)", refused(529, { message: "Overloaded" })],
    ["a model that is still loading (503)", refused(503, { message: "Loading model" })],
  ])("that passes is tried again: %s", async (_name, reply) => {
    const { value, warnings, requests } = await grade((request, nth) =>
      nth === 0 ? reply : said(request),
    );
    expect([value.judge, warnings, requests]).toEqual(["batch", "", 2]);
  });

  it.each<[string, ChatReply, RegExp, number]>([
    [
      "an error that is sent as a success",
      refused(200, { message: "No such model", code: 404 }),
      /is not there \(404\)/,
      1,
    ],
    [
      "an error beside no choices",
      { raw: json({ choices: [], error: { message: "Invalid key", code: 401 } }) },
      /refused the key \(401\)/,
      1,
    ],
    [
      "an error in words alone",
      refused(200, "Unexpected endpoint or method. (POST /chat/completions)"),
      /failed with status 502: "?Unexpected endpoint/,
      2,
    ],
    [
      "a proxy's page, whatever stands in it",
      { status: 502, raw: { type: "text/html", text: "<html>\n<!-- schema.org --></html>" } },
      /failed with status 502; grading/,
      2,
    ],
    [
      "an error in a list",
      { status: 400, raw: json([{ error: { code: 400, message: "API key not valid." } }]) },
      /refused the key \(400\)/,
      1,
    ],
    ["an empty account", refused(402, { message: "Insufficient Balance" }), /no credit left/, 1],
    [
      "a spent quota",
      refused(429, { message: "You exceeded your quota", code: "insufficient_quota" }),
      /out of quota \(429\)/,
      1,
    ],
    [
      "too much at once (413)",
      refused(413, { message: "Too large" }),
      /refused the text as too long/,
      1,
    ],
    [
      "a reason that has no name here, without the key in it",
      refused(409, { message: "The key sk-secret-1234567890 is asleep." }),
      /refused the request with status 409: The key \[redacted\] is asleep; grading was/,
      1,
    ],
    [
      "half an answer",
      { raw: { type: "application/json", text: '{"choices": [{"message": {"content": "unte' } },
      /grader's answer could not be read/,
      2,
    ],
  ])("is named: %s", async (_name, reply, says, most) => {
    const { warnings, requests } = await grade(() => reply);
    expect(warnings).toMatch(says);
    expect(warnings).not.toContain("secret");
    expect(requests).toBeLessThanOrEqual(most);
  });
});

it("an endpoint's address may hold a name and a password, for a proxy in front of it", async () => {
  endpoint = await startChatEndpoint(() => completion({ content: "yes" }));
  const baseUrl = endpoint.baseUrl.replace("//", "//ann:p%40ss@");
  const sent: (string | undefined)[] = [];
  for (const apiKey of [undefined, "sk-1234"]) {
    const model = await createChatModel({ model: "m", baseUrl, apiKey });
    expect((await model.invoke(["Are you there?"])).text).toBe("yes");
    sent.push(endpoint.requests.at(-1)?.authorization);
  }
  expect(sent).toEqual([`Basic ${Buffer.from("ann:p@ss").toString("base64")}`, "Bearer sk-1234"]);
});
