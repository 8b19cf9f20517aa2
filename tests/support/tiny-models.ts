/** Two models small enough to be understood, in folders as the model hub lays them out. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { floats, integers, node, onnxModel } from "./onnx-writer.js";

const SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
/** Words of one line mean the same to the embedding model. */
const MEANINGS = [
  ["car", "automobile"],
  ["doctor", "physician"],
  ["bee", "bees"],
  ["honey", "nectar"],
  ["glass"],
  ["tin"],
  ["winter"],
  ["the", "a", "is", "of"],
];
const VOCABULARY = [...SPECIAL, ...MEANINGS.flat()];

async function writeFolder(
  folder: string,
  architecture: string,
  model: Uint8Array,
): Promise<number> {
  const id = (token: string) => VOCABULARY.indexOf(token);
  const special = SPECIAL.map((content) => ({
    id: id(content),
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  const files: Record<string, unknown> = {
    "config.json": {
      model_type: "bert",
      architectures: [architecture],
      hidden_size: MEANINGS.length,
      vocab_size: VOCABULARY.length,
    },
    "tokenizer_config.json": {
      tokenizer_class: "BertTokenizer",
      do_lower_case: true,
      model_max_length: 32,
      pad_token: "[PAD]",
      unk_token: "[UNK]",
      cls_token: "[CLS]",
      sep_token: "[SEP]",
    },
    "tokenizer.json": {
      version: "1.0",
      added_tokens: special,
      normalizer: {
        type: "BertNormalizer",
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: true,
      },
      pre_tokenizer: { type: "BertPreTokenizer" },
      decoder: { type: "WordPiece", prefix: "##", cleanup: true },
      post_processor: {
        type: "BertProcessing",
        sep: ["[SEP]", id("[SEP]")],
        cls: ["[CLS]", id("[CLS]")],
      },
      model: {
        type: "WordPiece",
        unk_token: "[UNK]",
        continuing_subword_prefix: "##",
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(VOCABULARY.map((token, index) => [token, index])),
      },
    },
  };
  await mkdir(path.join(folder, "onnx"), { recursive: true });
  for (const [name, content] of Object.entries(files))
    await writeFile(path.join(folder, name), JSON.stringify(content));
  await writeFile(path.join(folder, "onnx", "model.onnx"), model);
  return model.byteLength;
}

/** Each token becomes the unit vector of its meaning; unknown words point everywhere a little, special tokens nowhere. Returns the size of the model in bytes. */
export function writeEmbeddingModel(folder: string): Promise<number> {
  const rows = VOCABULARY.map((token) =>
    MEANINGS.map((words) => (words.includes(token) ? 1 : token === "[UNK]" ? 0.1 : 0)),
  );
  return writeFolder(
    folder,
    "BertModel",
    onnxModel({
      inputs: ["input_ids", "attention_mask", "token_type_ids"],
      constants: [floats("table", [VOCABULARY.length, MEANINGS.length], rows.flat())],
      nodes: [node("Gather", ["table", "input_ids"], "last_hidden_state", { axis: 0 })],
      output: { name: "last_hidden_state", dims: ["batch", "sequence", MEANINGS.length] },
    }),
  );
}

/** Reads question and text together: one logit, twice the number of content words that they share, less three. Returns the size in bytes. */
export function writeCrossEncoder(folder: string): Promise<number> {
  const size = VOCABULARY.length;
  const ignored = new Set([...SPECIAL, "the", "a", "is", "of"]);
  const oneHot = VOCABULARY.map((token, row) =>
    VOCABULARY.map((_, column) => (row === column && !ignored.has(token) ? 1 : 0)),
  );
  return writeFolder(
    folder,
    "BertForSequenceClassification",
    onnxModel({
      inputs: ["input_ids", "attention_mask", "token_type_ids"],
      constants: [
        floats("table", [size, size], oneHot.flat()),
        floats("one", [1], [1]),
        floats("two", [1], [2]),
        floats("three", [1], [3]),
        integers("last", [2]),
        integers("sequence", [1]),
      ],
      nodes: [
        node("Gather", ["table", "input_ids"], "tokens", { axis: 0 }),
        node("Cast", ["token_type_ids"], "second", { to: 1 }),
        node("Sub", ["one", "second"], "first"),
        node("Unsqueeze", ["first", "last"], "first_mask"),
        node("Unsqueeze", ["second", "last"], "second_mask"),
        node("Mul", ["tokens", "first_mask"], "question_tokens"),
        node("Mul", ["tokens", "second_mask"], "text_tokens"),
        node("ReduceSum", ["question_tokens", "sequence"], "question", { keepdims: 0 }),
        node("ReduceSum", ["text_tokens", "sequence"], "text", { keepdims: 0 }),
        node("Mul", ["question", "text"], "shared"),
        node("ReduceSum", ["shared", "sequence"], "count", { keepdims: 1 }),
        node("Mul", ["count", "two"], "doubled"),
        node("Sub", ["doubled", "three"], "logits"),
      ],
      output: { name: "logits", dims: ["batch", 1] },
    }),
  );
}
