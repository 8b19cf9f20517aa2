/** Tracing by LangSmith's own environment variables, against a local server in its place: what would be sent, and under which run. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it } from "@jest/globals";
import { startModelServer } from "../support/model-server.js";

function textOf(body: Buffer, encoding: string | undefined): string {
  if (encoding === "gzip") return gunzipSync(body).toString("utf8");
  return body.toString("utf8");
}

it("shows nodes, searches with their documents and model calls under one trace, and no key", async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      bodies.push(textOf(Buffer.concat(parts), request.headers["content-encoding"]));
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify(
          request.url?.includes("info")
            ? {
                batch_ingest_config: {
                  use_multipart_endpoint: false,
                  size_limit: 100,
                  scale_up_qsize_trigger: 1000,
                  scale_up_nthreads_limit: 1,
                  scale_down_nempty_trigger: 4,
                  size_limit_bytes: 20971520,
                },
              }
            : {},
        ),
      );
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const model = await startModelServer();
  const folder = await mkdtemp(path.join(tmpdir(), "langsmith-"));
  try {
    const child = spawn(
      process.execPath,
      [path.resolve("scripts/run.js"), "ask", "When does the agent search again?", "--json"],
      {
        cwd: folder,
        env: {
          PATH: process.env["PATH"],
          LANGSMITH_TRACING: "true",
          LANGSMITH_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          LANGSMITH_API_KEY: "lsv2_test_key",
          OPENAI_BASE_URL: model.baseUrl,
          OPENAI_API_KEY: "sk-secret-of-the-user-123456",
          LLM_MODEL: "test-model",
          KB_AGENT_AUTO_APPROVE_MAX_ITEMS: "0",
          CRAG_READER: "lexical",
        },
      },
    );
    child.stdout.resume();
    let complaint = "";
    child.stderr.on("data", (part: Buffer) => (complaint += part.toString()));
    const code = await new Promise((ended) => child.on("close", ended));
    expect({ code, complaint: code === 0 ? "" : complaint }).toEqual({ code: 0, complaint: "" });
    const sent = bodies.join("\n");
    for (const name of [
      "rewrite_question",
      "analyze_and_route",
      "plan",
      "tools",
      "grade_evidence",
      "synthesize",
      "guard_answer",
      "keyword_search",
      "grade",
      "answer",
    ])
      expect(sent.includes(`"name":"${name}"`) ? name : `no run named ${name}`).toBe(name);
    expect(sent.match(/"run_type":"(?:llm|retriever)"/g)).toEqual(
      expect.arrayContaining([`"run_type":"llm"`, `"run_type":"retriever"`]),
    );
    expect(sent).toMatch(/"documents":\[\{"pageContent":"/);
    const traces = new Set(
      [...sent.matchAll(/"trace_id":"([0-9a-f-]{36})"/g)].map((match) => match[1]),
    );
    // The two checkpoints before the first run are updates of the thread, each a trace of its own.
    const updates = new Set(
      [...sent.matchAll(/"id":"([0-9a-f-]{36})","name":"\w*UpdateState"/g)].map(([, id]) => id),
    );
    expect(updates.size).toBe(2);
    expect([...traces].filter((id) => !updates.has(id))).toHaveLength(1);
    expect(sent.includes("secret-of-the-user")).toBe(false);
  } finally {
    server.close();
    await model.close();
    await rm(folder, { recursive: true });
  }
});
