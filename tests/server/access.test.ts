import { describe, expect, it } from "@jest/globals";
import { judgeRequest } from "../../src/server/gate.js";

const OPEN = { allowedOrigins: ["https://smith.langchain.com"], allowedHosts: [] as string[] };

function judged(
  headers: Record<string, string>,
  { method = "POST", path = "/runs/wait", policy = OPEN } = {},
) {
  const all = { host: "localhost:2024", ...headers };
  return judgeRequest(new Request(`http://server${path}`, { method, headers: all }), policy);
}

const STATUS = (refusal: string | undefined) => (refusal === undefined ? 200 : 403);

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

  it("shows only the page to users who follow a link from another site", () => {
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect(STATUS(judged(link, { method: "GET", path: "/app/" }))).toBe(200);
    expect(STATUS(judged(link, { method: "GET", path: "/app/about" }))).toBe(403);
    expect(STATUS(judged(link, { method: "GET", path: "/threads/x/state" }))).toBe(403);
  });

  it("serves the configured origins and hosts", () => {
    const policy = {
      allowedOrigins: ["https://chat.example.com"],
      allowedHosts: ["rag.example.com"],
    };
    const headers = { host: "rag.example.com", origin: "https://chat.example.com" };
    expect(STATUS(judged(headers, { policy }))).toBe(200);
  });

  it("answers health checks from anyone", () => {
    expect(STATUS(judged({ host: "probe" }, { path: "/ok" }))).toBe(200);
  });
});
