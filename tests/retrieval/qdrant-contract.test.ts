import { afterAll, describe, expect, it } from "@jest/globals";
import { openQdrantKnowledgeBase } from "../../src/retrieval/qdrant/open-qdrant-knowledge-base.js";
import { openApiCheck, openApiFile } from "../support/openapi-file.js";
import { contractProblems, type QdrantExchange } from "../support/qdrant-contract.js";
import { startQdrantServer, type QdrantTestServer } from "../support/qdrant-server.js";
import { termEmbedder } from "../support/term-embedder.js";
import { describeReading, describeWriting } from "./knowledge-base-contract.js";

const servers: QdrantTestServer[] = [];

async function open(withVectors: boolean) {
  const server = await startQdrantServer();
  servers.push(server);
  const embedder = withVectors ? termEmbedder() : undefined;
  const knowledgeBase = await openQdrantKnowledgeBase({
    url: server.url,
    collection: "library",
    embedder,
    mayBeMissing: true,
  });
  return { knowledgeBase, close: () => server.close() };
}

for (const [name, withVectors] of [
  ["Qdrant with vectors", true],
  ["Qdrant without vectors", false],
] as const) {
  describeReading(
    name,
    withVectors ? ["keyword", "vector", "hybrid"] : ["keyword"],
    async (documents) => {
      const opened = await open(withVectors);
      await opened.knowledgeBase.put(documents);
      return opened;
    },
  );
  describeWriting(name, () => open(withVectors));
}

it("sent nothing and took nothing that Qdrant's API description does not know, and filtered only by indexed fields", () => {
  expect(servers.flatMap(({ violations }) => violations)).toEqual([]);
  expect(servers.flatMap(({ unindexed }) => [...unindexed])).toEqual([]);
  expect(servers.flatMap(({ requests }) => requests).length).toBeGreaterThan(100);
});

it("exchanged nothing that a strict reading of Qdrant 1.18's published description does not allow", () => {
  const exchanges = servers.flatMap((server) => server.exchanges);
  expect(exchanges.flatMap(contractProblems)).toEqual([]);
  const routes = new Set(
    exchanges.map(
      ({ method, pathname }) => `${method} ${pathname.replace(/^\/collections\/library/, "")}`,
    ),
  );
  expect([...routes].sort()).toEqual([
    "GET ",
    "POST /points",
    "POST /points/batch",
    "POST /points/count",
    "POST /points/query/batch",
    "POST /points/scroll",
    "PUT ",
    "PUT /index",
    "PUT /points",
  ]);
});

// Opt-in, for whoever has the file: docs/redoc/VERSION/openapi.json of the repository qdrant/qdrant.
const downloaded = process.env["QDRANT_OPENAPI_FILE"];
if (downloaded !== undefined && downloaded !== "") {
  it("exchanged nothing that the published description itself does not allow", () => {
    const exchanges = servers.flatMap((server) => server.exchanges);
    expect(exchanges.length).toBeGreaterThan(100);
    expect(exchanges.flatMap(openApiFile(downloaded))).toEqual([]);
  });
}

describe("the checks themselves", () => {
  const POINTS = "/collections/library/points";
  const ID = "0f8fad5b-d9cb-5f9f-a165-70867728950e";
  const exchange = (
    method: string,
    pathname: string,
    request: unknown,
    result: unknown,
    more: Partial<QdrantExchange> = {},
  ): QdrantExchange => ({
    method,
    pathname,
    parameters: { wait: "true" },
    request,
    status: 200,
    answer: { usage: null, time: 0.1, status: "ok", result },
    ...more,
  });
  const upsert = (vector: unknown) => ({
    points: [{ id: ID, payload: {}, vector: { bm25: vector } }],
  });
  const done = { operation_id: 1, status: "completed" };
  const query = (limit: number) => ({
    searches: [
      { query: [0.5], using: "dense", filter: {}, limit, with_payload: true, with_vector: false },
    ],
  });

  it.each<[string, QdrantExchange, RegExp]>([
    [
      "indices twice",
      exchange("PUT", POINTS, upsert({ indices: [1, 1], values: [1, 2] }), done),
      /must be unique/,
    ],
    [
      "a value too few",
      exchange("PUT", POINTS, upsert({ indices: [1, 2], values: [1] }), done),
      /same length/,
    ],
    [
      "an index beyond 32 bits",
      exchange("PUT", POINTS, upsert({ indices: [2 ** 32], values: [1] }), done),
      /points/,
    ],
    [
      "an id that is no UUID",
      exchange("PUT", POINTS, { points: [{ id: "x", payload: {}, vector: {} }] }, done),
      /points/,
    ],
    [
      "a write that does not wait",
      exchange("PUT", POINTS, upsert({ indices: [1], values: [1] }), done, { parameters: {} }),
      /does not wait/,
    ],
    [
      "a limit of nothing",
      exchange("POST", `${POINTS}/query/batch`, query(0), [{ points: [] }], { parameters: {} }),
      /limit|searches/,
    ],
    [
      "an unknown status",
      exchange("PUT", POINTS, upsert({ indices: [1], values: [1] }), { ...done, status: "done" }),
      /status/,
    ],
    [
      "a score that is missing",
      exchange("POST", `${POINTS}/query/batch`, query(1), [{ points: [{ id: ID, version: 1 }] }]),
      /score/,
    ],
    [
      "an error without words",
      exchange("PUT", POINTS, upsert({ indices: [1], values: [1] }), null, { status: 400 }),
      /answer 400/,
    ],
    ["an endpoint that is not used", exchange("POST", `${POINTS}/search`, {}, []), /no endpoint/],
  ])("the contract notices %s", (_name, wrong, message) => {
    expect(contractProblems(wrong).join("\n")).toMatch(message);
  });

  it("the check against a file follows references, bounds, formats, null and unknown fields", () => {
    const check = openApiCheck({
      paths: {
        "/things/{name}": {
          post: {
            parameters: [{ name: "wait" }],
            requestBody: {
              content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
            },
            responses: {
              200: {
                content: {
                  "application/json": {
                    schema: { type: "array", items: { type: "string", format: "uuid" } },
                  },
                },
              },
              "4XX": {
                content: {
                  "application/json": {
                    schema: {
                      type: "object",
                      required: ["error"],
                      properties: { error: { type: "string" } },
                    },
                  },
                },
              },
            },
          },
        },
      },
      components: {
        schemas: {
          Thing: {
            type: "object",
            required: ["size"],
            properties: {
              size: { type: "integer", minimum: 1 },
              more: { anyOf: [{ type: "boolean" }, { nullable: true }] },
            },
          },
        },
      },
    });
    const post = (request: unknown, answer: unknown, status = 200, parameters = {}): string[] =>
      check({ method: "POST", pathname: "/things/a", parameters, request, status, answer });
    expect(post({ size: 1, more: null }, [ID], 200, { wait: "true" })).toEqual([]);
    expect(post({ size: 1, more: true }, { error: "no" }, 404)).toEqual([]);
    expect(post({ size: 0 }, [])).toEqual([
      "POST /things/a: request.size: expected a whole number from 1, got 0",
    ]);
    expect(post({}, [])).toEqual(["POST /things/a: request.size is missing"]);
    expect(post({ size: 1, sise: 2 }, [])).toEqual(["POST /things/a: request.sise is unknown"]);
    expect(post({ size: 1, more: {} }, [])).toHaveLength(1);
    expect(post({ size: 1 }, ["x"])).toEqual([
      'POST /things/a: answer[0]: expected a string of the form uuid, got "x"',
    ]);
    expect(post({ size: 1 }, {}, 404)).toEqual(["POST /things/a: answer.error is missing"]);
    expect(post({ size: 1 }, [], 200, { wit: "true" })).toEqual([
      "POST /things/a: parameter wit is unknown",
    ]);
    expect(
      check({
        method: "GET",
        pathname: "/things",
        parameters: {},
        request: undefined,
        status: 200,
        answer: [],
      }),
    ).toHaveLength(1);
  });
});

afterAll(() => Promise.all(servers.map((server) => server.close())));
