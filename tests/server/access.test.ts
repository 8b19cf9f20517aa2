import { describe, expect, it } from "@jest/globals";
import { accessPolicy, judgeBody, judgeRequest } from "../../src/server/access.js";

const OPEN = accessPolicy({});
const LOCKED = accessPolicy({ CRAG_API_KEYS: "anna:first-key, second-key" });

function judged(
  headers: Record<string, string>,
  { method = "POST", path = "/runs/wait", policy = OPEN } = {},
) {
  const all: Record<string, string> = { host: "localhost:2024", ...headers };
  return judgeRequest({ method, path, header: (name) => all[name] }, policy);
}

const STATUS = (verdict: ReturnType<typeof judgeRequest>) =>
  verdict.allowed ? 200 : verdict.status;

describe("where a request comes from", () => {
  const FOREIGN: [string, Record<string, string>][] = [
    ["a page of another origin", { origin: "http://evil.example" }],
    ["a page of another port of this machine", { origin: "http://localhost:9999" }],
    ["a sandboxed frame", { origin: "null" }],
    ["an origin that begins like Studio's", { origin: "https://smith.langchain.com.evil.example" }],
    ["Studio's name without encryption", { origin: "http://smith.langchain.com" }],
    ["an image or a script of another site", { "sec-fetch-site": "cross-site" }],
    ["a page of a sibling domain", { "sec-fetch-site": "same-site" }],
    [
      "a form that navigates here",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", origin: "null" },
    ],
    ["a name that rebinds to loopback", { host: "evil.example:2024" }],
    [
      "a rebinding name with Studio's header",
      { host: "evil.example", "x-auth-scheme": "langsmith" },
    ],
    ["a name that holds localhost", { host: "localhost.evil.example" }],
    ["a host that is no host", { host: "local host" }],
  ];
  it.each(FOREIGN)("refuses %s", (_name, headers) => {
    expect(STATUS(judged(headers))).toBe(403);
  });

  it.each(["/threads/search", "/runs/stream", "/v1/chat/completions", "/mcp"])(
    "refuses a foreign origin on %s",
    (path) => {
      expect(STATUS(judged({ origin: "http://evil.example" }, { path }))).toBe(403);
    },
  );

  const OWN: [string, Record<string, string>][] = [
    ["a program, which names no origin", {}],
    ["the page itself", { origin: "http://localhost:2024", "sec-fetch-site": "same-origin" }],
    ["Studio", { origin: "https://smith.langchain.com", "sec-fetch-site": "cross-site" }],
    ["a literal address, which cannot rebind", { host: "192.168.1.5:2024" }],
    ["a literal IPv6 address", { host: "[::1]:2024" }],
    ["an address typed by hand", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }],
  ];
  it.each(OWN)("serves %s", (_name, headers) => {
    expect(STATUS(judged(headers))).toBe(200);
  });

  it("offers nobody the route that empties the server's store", () => {
    expect(STATUS(judged({}, { path: "/internal/truncate" }))).toBe(403);
    const anna = { "x-api-key": "first-key" };
    expect(STATUS(judged(anna, { path: "/internal/truncate", policy: LOCKED }))).toBe(403);
  });

  it("shows only the page to users who follow a link from another site", () => {
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect(STATUS(judged(link, { method: "GET", path: "/app/" }))).toBe(200);
    expect(STATUS(judged(link, { method: "GET", path: "/app/about" }))).toBe(403);
    expect(STATUS(judged(link, { method: "GET", path: "/threads/x/state" }))).toBe(403);
  });

  it("serves the configured origins and hosts", () => {
    const policy = accessPolicy({
      CRAG_ALLOWED_ORIGINS: "https://chat.example.com/",
      CRAG_ALLOWED_HOSTS: "rag.example.com",
    });
    const headers = { host: "rag.example.com", origin: "https://chat.example.com" };
    expect(STATUS(judged(headers, { policy }))).toBe(200);
  });

  it("answers health checks from anyone", () => {
    expect(STATUS(judged({ host: "probe" }, { path: "/ok", policy: LOCKED }))).toBe(200);
  });
});

describe("keys", () => {
  it("are required on every route except the health check and the page's own files", () => {
    for (const path of [
      "/runs/wait",
      "/app/about",
      "/threads/search",
      "/v1/models",
      "/app/../runs",
    ])
      expect(STATUS(judged({}, { path, policy: LOCKED }))).toBe(401);
    for (const path of ["/app", "/app/", "/app/main.js", "/app/lib/preact.js"])
      expect(STATUS(judged({}, { method: "GET", path, policy: LOCKED }))).toBe(200);
  });

  it("identify the client, as x-api-key or as a bearer token", () => {
    expect(judged({ "x-api-key": "first-key" }, { policy: LOCKED })).toEqual({
      allowed: true,
      identity: "anna",
    });
    expect(judged({ authorization: "Bearer second-key" }, { policy: LOCKED })).toMatchObject({
      allowed: true,
      identity: expect.stringMatching(/^key-[0-9a-f]{8}$/),
    });
  });

  it.each(["", "first-ke", "first-key2", "anna:first-key", "Bearer"])(
    "refuses the key %j",
    (key) => {
      expect(STATUS(judged({ "x-api-key": key }, { policy: LOCKED }))).toBe(401);
    },
  );

  it("do not admit a foreign origin", () => {
    const headers = { "x-api-key": "first-key", origin: "http://evil.example" };
    expect(STATUS(judged(headers, { policy: LOCKED }))).toBe(403);
  });
});

describe("what a request holds", () => {
  const long = "-".repeat(OPEN.maxTextBytes + 1);
  const TOO_LARGE: [string, unknown][] = [
    ["a long question", { input: { question: long } }],
    ["a long question in a batch", [{ input: { question: long } }]],
    ["a long message", { input: { messages: [{ role: "user", content: long }] } }],
    [
      "a long content block",
      { input: { messages: [{ content: [{ type: "text", text: long }] }] } },
    ],
    ["a long question inside a state update", { values: { question: long } }],
    ["many messages", { input: { messages: Array.from({ length: 201 }, () => "a") } }],
    ["a batch of many runs", Array.from({ length: 201 }, () => ({}))],
  ];
  it.each(TOO_LARGE)("refuses %s with 413", (_name, body) => {
    expect(STATUS(judgeBody(body, OPEN))).toBe(413);
  });

  it("counts bytes, not characters", () => {
    expect(STATUS(judgeBody({ question: "\u00e9".repeat(10_000) }, OPEN))).toBe(413);
  });

  it("refuses a body by its declared length before reading it", () => {
    expect(STATUS(judged({ "content-length": "1048577" }))).toBe(413);
  });

  it.each([
    "http://127.0.0.1:9/hook",
    "http://10.0.0.1/",
    "/runs/wait",
    "https://public.example/hook",
    "file:///etc/passwd",
  ])("refuses the webhook %s, which is not configured", (webhook) => {
    expect(STATUS(judgeBody({ assistant_id: "agent", webhook }, OPEN))).toBe(403);
    expect(STATUS(judgeBody([{ payload: { webhook } }], OPEN))).toBe(403);
  });

  it("admits a webhook to a configured origin", () => {
    const policy = accessPolicy({ CRAG_WEBHOOK_ORIGINS: "https://hooks.example.com" });
    expect(STATUS(judgeBody({ webhook: "https://hooks.example.com/done" }, policy))).toBe(200);
    const imitation = { webhook: "https://hooks.example.com.evil.example/" };
    expect(STATUS(judgeBody(imitation, policy))).toBe(403);
  });
});
