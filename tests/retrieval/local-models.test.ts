import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { loadTransformers } from "../../src/retrieval/onnx/load-transformers.js";
import { writeCrossEncoder, writeEmbeddingModel } from "../support/tiny-models.js";

const Result = z.object({
  model: z.string(),
  query: z.array(z.number()),
  documents: z.array(z.array(z.number())),
  reranker: z.string(),
  scores: z.array(z.number()),
  broken: z.string(),
  missing: z.string(),
  offline: z.string(),
  attempts: z.array(z.string()),
});

/** An optional peer, 400 MB with its native runtime: CI installs it, a quick checkout need not. */
const installed = isInstalled("@huggingface/transformers");
const root = path.resolve(import.meta.dirname, "../..");

(installed ? describe : describe.skip)("ONNX models in folders, made here, run offline", () => {
  let folder: string;
  let sizes: number[];
  let result: z.infer<typeof Result>;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "models-"));
    const [embeddings, crossEncoder, broken] = [
      "tiny-embeddings",
      "tiny-cross-encoder",
      "broken",
    ].map((name) => path.join(folder, name));
    sizes = [
      await writeEmbeddingModel(embeddings ?? ""),
      await writeCrossEncoder(crossEncoder ?? ""),
    ];
    await mkdir(broken ?? "");
    await writeFile(path.join(broken ?? "", "config.json"), "{}");
    const script = path.join(root, "tests/support/run-tiny-models.ts");
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--import", "tsx", script, embeddings ?? "", crossEncoder ?? "", broken ?? ""],
      { cwd: root },
    );
    result = Result.parse(JSON.parse(stdout));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const cosineWithQuery = (index: number) =>
    result.query.reduce(
      (sum, value, position) => sum + value * (result.documents[index]?.[position] ?? 0),
      0,
    );

  it("are a few kilobytes each", () => {
    for (const size of sizes) expect(size).toBeLessThan(8_000);
  });

  it("give vectors of length 1, one for each text in order, across batches and padding", () => {
    expect(result.documents).toHaveLength(5);
    for (const vector of [result.query, ...result.documents.slice(0, 4)])
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    expect(result.model).toBe("local:tiny-embeddings");
  });

  it("find that a car is an automobile, and neither glass nor honey", () => {
    expect(cosineWithQuery(2)).toBeGreaterThan(0.6);
    expect(cosineWithQuery(1)).toBeLessThan(cosineWithQuery(2));
    expect(cosineWithQuery(3)).toBeCloseTo(0, 5);
  });

  it("score question and text together, as probabilities, in order", () => {
    const sigmoid = (logit: number) => 1 / (1 + Math.exp(-logit));
    expect(result.reranker).toBe("cross-encoder:tiny-cross-encoder");
    for (const [index, logit] of [-3, -1, 1, -3].entries())
      expect(result.scores[index]).toBeCloseTo(sigmoid(logit), 5);
  });

  it("say in one line what is wrong with a folder, and never look for it anywhere else", () => {
    expect(result.broken).toMatch(/^The local model broken cannot be loaded: .+/);
    expect(result.missing).toBe("There is no model in /nowhere/model");
    expect(result.offline).toMatch(/^The local model somebody\/some-model cannot be loaded: /);
    expect(result.attempts).toEqual([]);
  });
});

(installed ? it.skip : it)(
  "without the optional package a local model says what to install",
  async () => {
    await expect(loadTransformers()).rejects.toMatchObject({
      hint: expect.stringContaining("npm install @huggingface/transformers"),
    });
  },
);

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
