/** The OpenAI protocol, spoken by the official client to the running server. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import OpenAI from "openai";
import type { CorrectiveRag } from "../../src/index.js";
import { openAiRoutes } from "../../src/server/openai.js";
import { UserError } from "../../src/support/errors.js";
import { runExample } from "../examples/run-example.js";
import { startServe, type Served } from "./dev-server.js";
import { foundedIn, TOWN_FILES } from "./towns.js";

let server: Served;
let openai: OpenAI;

beforeAll(async () => {
  server = await startServe(TOWN_FILES, {
    CRAG_API_KEYS: "anna:first-key",
    CRAG_READER: "trained",
  });
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "first-key", maxRetries: 0 });
});

afterAll(() => server?.stop());

const messages = [{ role: "user" as const, content: "When was Dunmore founded?" }];

it("examples/chat-client.ts lists the models and streams an answer", async () => {
  const { code, stdout } = await runExample("chat-client", {
    env: { AGENT_URL: `${server.url}/v1`, AGENT_KEY: "first-key" },
  });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^models: corrective-rag, .*\n.+/);
});

describe("/v1/models", () => {
  it("lists the agent under each of its profiles", async () => {
    const { data } = await openai.models.list();
    expect(data.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["corrective-rag", "corrective-rag:signals"]),
    );
  });

  it("describes one, and names those that there are in place of an unknown one", async () => {
    expect(await openai.models.retrieve("corrective-rag:signals")).toMatchObject({
      id: "corrective-rag:signals",
      object: "model",
    });
    await expect(openai.models.retrieve("gpt-5")).rejects.toMatchObject({
      status: 404,
      code: "model_not_found",
    });
  });
});

describe("/v1/chat/completions", () => {
  it("answers with the sources in the text and as annotations", async () => {
    const { choices, usage } = await openai.chat.completions.create({
      model: "corrective-rag",
      messages,
    });
    const message = choices[0]?.message;
    expect(message?.content).toContain(foundedIn("Dunmore"));
    expect(message?.content).toMatch(/Sources:\n\[1\] .*dunmore\.md/);
    expect(message?.annotations?.[0]).toMatchObject({
      type: "url_citation",
      url_citation: { url: `${server.url}/app#document=notes%2Fdunmore.md&line=3` },
    });
    expect(usage?.total_tokens).toBe(0);
  });

  it("links to https behind a proxy with TLS", async () => {
    const { choices } = await openai.chat.completions.create(
      { model: "corrective-rag", messages },
      { headers: { "x-forwarded-proto": "https" } },
    );
    const url = `${server.url.replace("http:", "https:")}/app#document=notes%2Fdunmore.md&line=3`;
    expect(choices[0]?.message.annotations?.[0]).toMatchObject({ url_citation: { url } });
  });

  it("streams the same text in chunks, with usage on request", async () => {
    const stream = await openai.chat.completions.create({
      model: "corrective-rag:signals",
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let finish: string | null | undefined;
    let usage: unknown;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      finish = chunk.choices[0]?.finish_reason ?? finish;
      usage = chunk.usage ?? usage;
    }
    expect(text).toContain(foundedIn("Dunmore"));
    expect(text).toContain("Sources:");
    expect(finish).toBe("stop");
    expect(usage).toMatchObject({ total_tokens: 0 });
  });

  it("ignores the calls of a client's own tools, and their results", async () => {
    const call = { name: "clock", arguments: "{}" };
    const { choices } = await openai.chat.completions.create({
      model: "corrective-rag",
      messages: [
        { role: "user", content: "What time is it?" },
        { role: "assistant", tool_calls: [{ id: "1", type: "function", function: call }] },
        { role: "tool", tool_call_id: "1", content: "Noon." },
        ...messages,
      ],
    });
    expect(choices[0]?.message.content).toContain(foundedIn("Dunmore"));
  });

  it("understands conversations and content in parts", async () => {
    const { choices } = await openai.chat.completions.create({
      model: "corrective-rag",
      messages: [
        ...messages,
        { role: "assistant", content: "In 1803." },
        { role: "user", content: [{ type: "text", text: "And Ashford?" }] },
      ],
    });
    expect(choices[0]?.message.content).toContain(foundedIn("Ashford"));
  });

  it.each([
    ["an unknown model", { model: "gpt-5", messages }, 404],
    ["no messages", { model: "corrective-rag", messages: [] }, 400],
    ["messages of another shape", { model: "corrective-rag", messages: [4] }, 400],
    ["an unknown role", { messages: [{ role: "wizard", content: "x" }] }, 400],
    ["an answer in place of a question", { messages: [{ role: "assistant", content: "x" }] }, 400],
    ["an empty question", { messages: [{ role: "user", content: null }] }, 400],
  ])("names what is wrong with %s", async (_name, body, status) => {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer first-key", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { message: expect.any(String), type: "invalid_request_error" },
    });
  });

  it("refuses a question with a picture in one clear line, and passes over earlier ones", async () => {
    const picture = { type: "image_url" as const, image_url: { url: "data:image/png;base64," } };
    const seen = [{ type: "text" as const, text: "When was it founded?" }, picture];
    const asked = openai.chat.completions.create({
      model: "corrective-rag",
      messages: [{ role: "user", content: seen }],
    });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(
        "a part of type image_url; this agent reads text only: leave it out, and ask in words",
      ),
    });
    const { choices } = await openai.chat.completions.create({
      model: "corrective-rag",
      messages: [{ role: "user", content: seen }, ...messages],
    });
    expect(choices[0]?.message.content).toContain(foundedIn("Dunmore"));
  });

  it.each([
    [[], "messages: is empty"],
    [[{ role: "user", content: 42 }], "messages.0.content: must be a text or a list of parts"],
  ])("says in words what is wrong with the messages %j", async (wrong, message) => {
    const asked = openai.chat.completions.create({
      model: "corrective-rag",
      messages: wrong as [],
    });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  });

  it("asks for a key like every other route", async () => {
    const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "wrong", maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 });
  });

  it.each([
    [new UserError("the disk is full"), "the disk is full"],
    [new TypeError("Cannot read properties of null"), "the server failed"],
  ])("reports a failure in the middle of a stream to the client: %s", async (error, message) => {
    const agent = {
      async *events(): ReturnType<CorrectiveRag["events"]> {
        await Promise.resolve();
        throw error;
      },
    };
    const client = new OpenAI({
      baseURL: "http://agent/v1",
      apiKey: "any",
      maxRetries: 0,
      fetch: async (url, init) => openAiRoutes(agent).fetch(new Request(url, init)),
    });
    const stream = await client.chat.completions.create({
      model: "corrective-rag",
      messages,
      stream: true,
    });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow(message);
  });
});

describe("/v1/responses", () => {
  const input = "When was Dunmore founded?";
  const model = "corrective-rag";

  it("answers a question, or a conversation with calls of the client's tools in it", async () => {
    const { output_text: text, output, usage } = await openai.responses.create({ model, input });
    expect(text).toContain(foundedIn("Dunmore"));
    expect(text).toMatch(/Sources:\n\[1\] .*dunmore\.md/);
    const [message] = output;
    const part = message?.type === "message" ? message.content[0] : undefined;
    const [cited] = part?.type === "output_text" ? part.annotations : [];
    if (cited?.type !== "url_citation") throw new Error("nothing is cited");
    expect(cited.url).toContain("dunmore.md");
    expect(text.slice(cited.start_index, cited.end_index)).toBe("[1]");
    expect(usage?.total_tokens).toBe(0);

    const later = await openai.responses.create({
      model,
      instructions: "Be short.",
      input: [
        { role: "user", content: [{ type: "input_text", text: input }] },
        { type: "function_call", call_id: "1", name: "clock", arguments: "{}" },
        { type: "function_call_output", call_id: "1", output: "Noon." },
        { role: "user", content: "When was Ashford founded?" },
      ],
    });
    expect(later.output_text).toContain(foundedIn("Ashford"));
  });

  it("streams its text in events that the client adds up to the same response", async () => {
    const stream = openai.responses.stream({ model: "corrective-rag:signals", input });
    let text = "";
    const types = new Set<string>();
    for await (const event of stream) {
      types.add(event.type);
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    const response = await stream.finalResponse();
    expect(response).toMatchObject({ status: "completed", output_text: text });
    expect(text).toContain(foundedIn("Dunmore"));
    expect([...types].at(0)).toBe("response.created");
    expect([...types].at(-1)).toBe("response.completed");
  });

  it.each([
    ["no input", { model }, 400, /^input/],
    ["an unknown model", { model: "gpt-5", input }, 404, /there is no model/],
    [
      "an answer in place of a question",
      { input: [{ role: "assistant", content: "x" }] },
      400,
      /last/,
    ],
    ["a response that was not kept", { input, previous_response_id: "resp_1" }, 400, /send all of/],
  ])("names what is wrong with %s", async (_name, body, status, message) => {
    const response = await fetch(`${server.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: "Bearer first-key", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringMatching(message), type: "invalid_request_error" },
    });
  });
});
