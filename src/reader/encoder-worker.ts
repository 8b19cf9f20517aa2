/**
 * The encoder's thread: tokenizes texts, runs the encoder or the joint reader. Uses
 * `onnxruntime-node` if installed, which is about six times faster than `onnxruntime-web`.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import type * as Runtime from "onnxruntime-web";
import { once } from "../support/cache.js";
import { isRecord } from "../support/json.js";
import { normalized } from "./embedder.js";
import {
  EncoderThreadData,
  readEncoderConfig,
  type EncoderRequest,
  type EncoderResponse,
  type ModelFile,
} from "./encoder-files.js";
import { collate, layOut, padded, type JointPair, type JointScores } from "./joint-layout.js";

/** More threads than this gain nothing for a model of this size. */
const MOST_THREADS = 4;
/** More than tokens have on average: the rest is cut off before tokenizing. */
const CHARACTERS_PER_TOKEN = 8;

const { folder, first } = EncoderThreadData.parse(workerData);
const config = readEncoderConfig(folder);
const numThreads = Math.min(MOST_THREADS, availableParallelism());
const native = await loadNative().catch(() => undefined);
const runtime = native ?? (await loadWasm());
const encoder = once(() => load("model.onnx", config.sha256));
const jointReader = once(() => load("joint.onnx", config.joint?.sha256));
// The runtime compiles in other threads, so that the tokenizer is read meanwhile.
void (first === "model.onnx" ? encoder() : jointReader()).catch(() => undefined);
const tokenizer = await loadTokenizer();

let last: Promise<void> = Promise.resolve();
parentPort?.on("message", (request: EncoderRequest) => {
  // One after the other: a runtime that is busy refuses further work.
  last = last.then(() => answer(request));
});

async function answer(request: EncoderRequest): Promise<void> {
  let response: EncoderResponse;
  const isSingleThreaded = native === undefined;
  try {
    response =
      "texts" in request
        ? { vectors: await encode(request.texts), isSingleThreaded }
        : { readings: await readTogether(request.pairs), isSingleThreaded };
  } catch (error) {
    response = { error: String(error) };
  }
  parentPort?.postMessage(response);
}

async function loadNative(): Promise<typeof Runtime> {
  // In a variable, so that the code compiles without the package.
  const name = "onnxruntime-node";
  const loaded: unknown = await import(name);
  return runtimeIn(isRecord(loaded) && "default" in loaded ? loaded["default"] : loaded);
}

function runtimeIn(loaded: unknown): typeof Runtime {
  const isRuntime = (value: unknown): value is typeof Runtime =>
    isRecord(value) && "InferenceSession" in value && "Tensor" in value;
  if (isRuntime(loaded)) return loaded;
  throw new Error("the installed runtime is something else");
}

async function loadWasm(): Promise<typeof Runtime> {
  // V8's optimizing compiler takes more time for one question than it saves.
  setFlagsFromString("--wasm-tiering-budget=1000000000");
  // The part of it that the built package brings; in a clone the whole of it is installed.
  const builtIn = new URL("../runtime/ort.node.min.mjs", import.meta.url);
  const loaded = runtimeIn(await import(existsSync(builtIn) ? builtIn.href : "onnxruntime-web"));
  // More threads spin while they wait and gain nothing for texts of this size.
  loaded.env.wasm.numThreads = 1;
  return loaded;
}

interface TextTokenizer {
  encode(text: string, options?: { add_special_tokens?: boolean }): { ids: number[] };
}

/** The library's declarations do not resolve under NodeNext, so its type is declared here. */
async function loadTokenizer(): Promise<TextTokenizer> {
  const library: { Tokenizer: new (tokenizer: unknown, config: unknown) => TextTokenizer } =
    await import("@huggingface/tokenizers");
  return new library.Tokenizer(
    JSON.parse(readFileSync(join(folder, "tokenizer.json"), "utf8")),
    {},
  );
}

async function load(
  file: ModelFile,
  sha256: string | undefined,
): Promise<Runtime.InferenceSession> {
  const model = checkedFile(file, sha256);
  const { words } = config;
  const options: Runtime.InferenceSession.SessionOptions = {
    intraOpNumThreads: numThreads,
    extra: { session: { intra_op: { allow_spinning: "0" } } },
    // Further levels make loading slower and encoding no faster.
    graphOptimizationLevel: "basic",
    logSeverityLevel: 3,
  };
  if (words === undefined) return runtime.InferenceSession.create(model, options);
  const data = checkedFile(words.file, words.sha256);
  // The native runtime finds the word vectors beside the file, the other one is given them.
  return native === undefined
    ? runtime.InferenceSession.create(model, {
        ...options,
        externalData: [{ path: words.file, data }],
      })
    : runtime.InferenceSession.create(join(folder, file), options);
}

function checkedFile(name: string, expected: string | undefined): Buffer {
  const content = readFileSync(join(folder, name));
  const checksum = createHash("sha256").update(content).digest("hex");
  if (expected !== undefined && expected !== checksum)
    throw new Error(`${join(folder, name)} is damaged, its checksum is wrong`);
  return content;
}

async function readTogether(pairs: readonly JointPair[]): Promise<JointScores[]> {
  const limits = config.joint;
  if (limits === undefined) throw new Error("this encoder has no joint reader");
  const session = await jointReader();
  const [begin = 0, end = 0] = tokenizer.encode("").ids;
  const characters = limits.sentenceTokens * CHARACTERS_PER_TOKEN;
  const tokens = (text: string): number[] =>
    tokenizer.encode(text.slice(0, characters), { add_special_tokens: false }).ids;
  const windows = pairs.map((pair) => layOut(pair, tokens, [begin, end], limits));
  const rows = windows.flat();
  const { width, sentences, ids, mask, query, body, spans } = collate(rows);
  const shape = [rows.length, width];
  const outputs = await session.run({
    input_ids: new runtime.Tensor("int64", ids, shape),
    attention_mask: new runtime.Tensor("int64", mask, shape),
    query: new runtime.Tensor("float32", query, shape),
    body: new runtime.Tensor("float32", body, shape),
    spans: new runtime.Tensor("float32", spans, [rows.length, sentences, width]),
  });
  const [passage, sentence, support] = ["passage", "sentence", "support"].map((name) => {
    const data = outputs[name]?.data;
    if (!(data instanceof Float32Array)) throw new Error(`the joint reader gives no ${name}`);
    return data;
  });
  let at = 0;
  return windows.map((parts) => {
    const scores = parts.map((part) => {
      const index = at++;
      return {
        passage: passage?.[index] ?? NaN,
        sentences: part.sentences.map((_, each) => sentence?.[index * sentences + each] ?? NaN),
        support: support?.[index] ?? NaN,
      };
    });
    return {
      passage: Math.max(...scores.map((each) => each.passage)),
      sentences: scores.flatMap((each) => each.sentences),
      support: Math.max(...scores.map((each) => each.support)),
    };
  });
}

async function encode(texts: readonly string[]): Promise<Float32Array[]> {
  const session = await encoder();
  const rows = texts.map(tokenize);
  const { width, ids, mask } = padded(rows);
  const shape = [rows.length, width];
  const tensor = (data: BigInt64Array): Runtime.Tensor => new runtime.Tensor("int64", data, shape);
  const known: Readonly<Record<string, Runtime.Tensor>> = {
    input_ids: tensor(ids),
    attention_mask: tensor(mask),
    token_type_ids: tensor(new BigInt64Array(ids.length)),
  };
  const inputs = session.inputNames.flatMap((name) => {
    const input = known[name];
    return input === undefined ? [] : [[name, input] as const];
  });
  const outputs = await session.run(Object.fromEntries(inputs));
  const output = outputs[config.output ?? session.outputNames[0] ?? ""];
  if (!(output?.data instanceof Float32Array)) throw new Error("the model gives no vectors");
  return pool(output.data, output.dims, rows);
}

/** Returns token ids, cut to what the model reads; the last, which ends a text, stays. */
function tokenize(text: string): number[] {
  const { ids } = tokenizer.encode(text.slice(0, config.maxTokens * CHARACTERS_PER_TOKEN));
  return ids.length <= config.maxTokens
    ? ids
    : [...ids.slice(0, config.maxTokens - 1), ...ids.slice(-1)];
}

/** Pools token vectors into one per text, unless the model has done so. */
function pool(
  data: Float32Array,
  dims: readonly number[],
  rows: readonly (readonly number[])[],
): Float32Array[] {
  const size = dims.at(-1) ?? 0;
  if (dims.length === 2)
    return rows.map((_, row) => normalized(data.subarray(row * size, (row + 1) * size)));
  const width = dims[1] ?? 0;
  return rows.map(({ length }, row) => {
    const used = config.pooling === "cls" ? 1 : length;
    const sum = new Float32Array(size);
    for (let token = 0; token < used; token += 1)
      for (let at = 0; at < size; at += 1)
        sum[at] = (sum[at] ?? 0) + (data[(row * width + token) * size + at] ?? 0);
    return normalized(sum);
  });
}
