/** Every route, walked as two clients and as nobody. */
import { Client } from "@langchain/langgraph-sdk";
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { generateKeyPair, exportJWK, SignJWT, type JWK } from "jose";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createGatekeeper } from "../../src/server/identity.js";
import { ROUTES, type Who } from "../../src/server/gate.js";
import { startServe, type Served } from "./dev-server.js";
import { TOWN_FILES } from "./towns.js";

const KEYS = { anna: "first-key", ben: "second-key" };

let server: Served;
/** What belongs to Anna. */
let thread: string;
let run: string;
let checkpoint: string;

const clientOf = (name: keyof typeof KEYS): Client =>
  new Client({ apiUrl: server.url, apiKey: KEYS[name] });

beforeAll(async () => {
  server = await startServe(
    {
      ...TOWN_FILES,
      "notes/board/folder.meta.yaml": "users: [anna]\n",
      "notes/board/plan.md": "# The canary plan\n\nThe canary plan was founded in 1999.\n",
    },
    { CRAG_API_KEYS: "anna:first-key,ben:second-key", CRAG_ADMINS: "anna" },
  );
  const anna = clientOf("anna");
  thread = (await anna.threads.create({ metadata: { title: "Anna's" } })).thread_id;
  await anna.runs.wait(thread, "agent", { input: { question: "When was Dunmore founded?" } });
  run = (await anna.runs.list(thread))[0]!.run_id;
  checkpoint = (await anna.threads.getState(thread)).checkpoint.checkpoint_id ?? "";
});
afterAll(() => server?.stop());

const RUN = { assistant_id: "agent", input: { question: "When was Elmstead founded?" } };
/** A valid body for each route that reads one, so that only the owner can be the reason. */
const BODIES: Record<string, unknown> = {
  "PATCH /threads/:thread_id": { metadata: { title: "taken" } },
  "POST /threads/:thread_id/state": { values: { messages: [] } },
  "POST /threads/:thread_id/runs": RUN,
  "POST /threads/:thread_id/runs/stream": { ...RUN, if_not_exists: "create" },
  "POST /threads/:thread_id/runs/wait": RUN,
  "PUT /threads/:thread_id/runs/:run_id/feedback": { score: 1 },
};

async function send(route: string, key?: string, query = ""): Promise<Response> {
  const [method = "", path = ""] = route.split(" ");
  const place = path
    .replace(":thread_id", thread)
    .replace(":run_id", run)
    .replace(":checkpoint_id", checkpoint)
    .replace(":assistant_id", "agent")
    .replace(":name", "main.js");
  const takesBody = method === "POST" || method === "PUT" || method === "PATCH";
  return fetch(`${server.url}${place}${query}`, {
    method: method === "ALL" ? "POST" : method,
    redirect: "manual",
    headers: { "content-type": "application/json", ...(key && { "x-api-key": key }) },
    ...(takesBody && { body: JSON.stringify(BODIES[route] ?? {}) }),
  });
}

const routes = (...who: Who[]): string[] =>
  Object.entries(ROUTES)
    .filter(([, each]) => who.includes(each))
    .map(([route]) => route);
/** Routes on a thread or run that may also make one. */
const MAKING = routes("client").filter((route) => /:thread_id|:run_id/.test(route));

describe("nobody", () => {
  it.each(routes("client", "owner", "admin"))("is refused by %s", async (route) => {
    const response = await send(route);
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain("Dunmore");
  });

  it.each(["", "first-ke", "anna:first-key", "anna"])("is who sends the key %j", async (key) => {
    expect((await send("POST /threads/search", key)).status).toBe(401);
  });

  it.each(routes("anyone"))("may use %s, which tells nothing of anybody", async (route) => {
    const response = await send(route);
    expect([200, 302, 404]).toContain(response.status);
    expect(await response.text()).not.toContain("Dunmore");
  });

  it("gets the same answer for routes that are not there", async () => {
    const answers = ["/store/items", "/threads/x/commands"].map((path) =>
      fetch(`${server.url}${path}`),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401]);
  });
});

describe("a parameter that is in no schema", () => {
  it.each(routes("client", "owner", "admin"))("is refused by name at %s", async (route) => {
    // Routes of one document need a path; others know none.
    const response = await send(route, KEYS.anna, "?path=a.md&surprise=1");
    expect([400, 422]).toContain(response.status);
    expect(await response.text()).toContain("surprise");
  });
});

describe("another client", () => {
  it.each([...routes("owner"), ...MAKING])("finds nothing of Anna's at %s", async (route) => {
    const response = await send(route, KEYS.ben);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain("Dunmore");
  });

  it("sees none of her threads, and cannot take her ids", async () => {
    const ben = clientOf("ben");
    expect(await ben.threads.search({ limit: 100 })).toEqual([]);
    expect(await ben.threads.search({ ids: [thread] })).toEqual([]);
    expect(await ben.threads.count()).toBe(0);
    for (const ifExists of ["raise", "do_nothing"] as const)
      await expect(ben.threads.create({ threadId: thread, ifExists })).rejects.toThrow("409");
  });

  it("has changed nothing of hers", async () => {
    const anna = clientOf("anna");
    const found = await anna.threads.get(thread);
    expect(found.metadata).toMatchObject({ title: "Anna's" });
    expect(JSON.stringify(found.values)).toContain("Dunmore");
    expect(await anna.runs.list(thread)).toHaveLength(1);
  });
});

describe("a document for certain people", () => {
  const QUESTION = "When was the canary plan founded?";
  /** Everything that a client can read of documents, in one text. */
  async function allThatIsSeenBy(name: keyof typeof KEYS): Promise<string> {
    const headers = { "x-api-key": KEYS[name], "content-type": "application/json" };
    const read = async (path: string, body?: object): Promise<string> => {
      const init = body && { method: "POST", body: JSON.stringify(body) };
      return (await fetch(`${server.url}${path}`, { headers, ...init })).text();
    };
    const path = "notes/board/plan.md";
    const mcp = new McpClient({ name: "test", version: "1" });
    const url = new URL(`${server.url}/mcp`);
    await mcp.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const seen = [
      await read("/documents"),
      await read("/documents?words=canary"),
      await read(`/documents/show?path=${path}`),
      await read(`/documents/passage?path=${path}&line=3`),
      await read("/runs/wait", { assistant_id: "agent", input: { question: QUESTION } }),
      await read("/v1/chat/completions", { messages: [{ role: "user", content: QUESTION }] }),
      JSON.stringify(
        await mcp.callTool({ name: "search", arguments: { query: "canary plan founded" } }),
      ),
      JSON.stringify(await mcp.callTool({ name: "ask", arguments: { question: QUESTION } })),
      JSON.stringify(await mcp.callTool({ name: "read", arguments: { path } })),
    ];
    await mcp.close();
    return seen
      .map((text) => (/canary plan was|"title":"The canary/i.test(text) ? "x" : "-"))
      .join("");
  }

  it("is seen by them through every door, and by nobody else through any", async () => {
    expect(await allThatIsSeenBy("anna")).toBe("xxxxxxxxx");
    expect(await allThatIsSeenBy("ben")).toBe("---------");
  });

  it.each(routes("admin"))(
    "cannot be touched by %s of a client who is no administrator",
    async (route) => {
      const response = await send(route, KEYS.ben);
      expect(response.status).toBe(403);
      expect(await response.json()).toEqual({
        error: "only the clients that CRAG_ADMINS names may do this",
      });
    },
  );
});

describe("the owner", () => {
  it.each(
    routes("owner").filter((route) => route.startsWith("GET") && !route.endsWith("/feedback")),
  )("reads %s", async (route) => {
    expect((await send(route, KEYS.anna)).status).toBe(200);
  });
});

describe("tokens", () => {
  const ISSUER = "https://login.example.com";
  let jwks: Server;
  let url: string;
  let privateKey: Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];
  let strangersKey: typeof privateKey;

  beforeAll(async () => {
    const pair = await generateKeyPair("RS256");
    privateKey = pair.privateKey;
    strangersKey = (await generateKeyPair("RS256")).privateKey;
    const key: JWK = { ...(await exportJWK(pair.publicKey)), kid: "k1", alg: "RS256" };
    jwks = createServer((request, response) => {
      if (request.url === "/nothing") request.destroy();
      if (request.url === "/broken") response.statusCode = 500;
      response.end(request.url === "/text" ? "Hello" : JSON.stringify({ keys: [key] }));
    });
    await new Promise<void>((ready) => jwks.listen(0, "127.0.0.1", ready));
    url = `http://127.0.0.1:${(jwks.address() as AddressInfo).port}/jwks`;
  });
  afterAll(() => new Promise((closed) => jwks.close(closed)));

  const token = (claims: Record<string, unknown> = {}, key = privateKey): Promise<string> =>
    new SignJWT({ sub: "anna", groups: ["finance"], iss: ISSUER, aud: "rag", ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .setExpirationTime(claims["exp"] === undefined ? "5m" : Number(claims["exp"]))
      .sign(key);
  const identify = async (bearer: string, keys = url) =>
    createGatekeeper({
      admins: undefined,
      apiKeys: undefined,
      jwtJwksUrl: keys,
      jwtIssuer: ISSUER,
      jwtAudience: "rag",
      jwtAlgorithm: "RS256",
    }).identify(new Headers({ authorization: `Bearer ${bearer}` }));

  it("name their subject and its groups", async () => {
    expect(await identify(await token())).toEqual({
      isAdmin: true,
      owner: "token:anna",
      principal: { id: "anna", groups: ["finance"] },
    });
  });

  it.each([
    ["another issuer", { iss: "https://evil.example" }],
    ["another audience", { aud: "mail" }],
    ["the past", { exp: 1_000 }],
    ["no subject", { sub: "" }],
  ])("of %s are refused", async (_name, claims) => {
    expect(await identify(await token(claims))).toBeUndefined();
  });

  it("of a stranger, without a signature or of another algorithm are refused", async () => {
    expect(await identify(await token({}, strangersKey))).toBeUndefined();
    const [, claims] = (await token()).split(".");
    for (const alg of ["none", "HS256"]) {
      const head = Buffer.from(JSON.stringify({ alg })).toString("base64url");
      expect(await identify(`${head}.${claims}.`)).toBeUndefined();
      expect(await identify(`${head}.${claims}.c2ln`)).toBeUndefined();
    }
  });

  it.each(["/nothing", "/broken", "/text"])(
    "are not held for wrong when their keys cannot be read: %s",
    async (path) => {
      const away = new URL(path, url).href;
      await expect(identify(await token(), away)).rejects.toMatchObject({ status: 503 });
    },
  );

  it("need issuer and audience", () => {
    expect(() =>
      createGatekeeper({
        admins: undefined,
        apiKeys: undefined,
        jwtJwksUrl: url,
        jwtIssuer: undefined,
        jwtAudience: undefined,
        jwtAlgorithm: "RS256",
      }),
    ).toThrow("CRAG_JWT_ISSUER");
  });
});
