/** Corpora in the layout of the BEIR benchmark: one JSON record `{_id, title, text}` a line, each a document of its own. */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";

export interface CorpusRecord {
  id: string;
  title: string;
  text: string;
  /** From 1. */
  line: number;
  bytes: number;
}

/** How much of a file is read to see whether it is a corpus. */
const SNIFFED_BYTES = 256 * 1024;

/** Whether a file is a corpus: its first line that is not empty is a record with `_id` and `text`. */
export async function isCorpus(file: string): Promise<boolean> {
  if (!/\.(?:jsonl|ndjson)$/i.test(file)) return false;
  const handle = await open(file);
  try {
    const buffer = Buffer.alloc(SNIFFED_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, SNIFFED_BYTES, 0);
    const text = buffer.toString("utf8", 0, bytesRead).replace(/^\uFEFF/, "");
    const first = text.split("\n").find((line) => line.trim() !== "");
    if (first === undefined) return false;
    // A first record longer than what was read cannot be parsed; its beginning tells enough.
    return (
      parseRecord(first, 1) !== undefined ||
      (!text.includes("\n") && /"_id"\s*:/.test(first) && /"text"\s*:/.test(first))
    );
  } finally {
    await handle.close();
  }
}

/** Reads the records one by one, however large the file; a line that is not a record is given as `undefined` with its number. */
export async function* corpusRecords(
  file: string,
): AsyncGenerator<{ line: number; record: CorpusRecord | undefined }> {
  const lines = createInterface({ input: createReadStream(file, "utf8"), crlfDelay: Infinity });
  let line = 0;
  for await (const text of lines) {
    line++;
    if (text.trim() !== "") yield { line, record: parseRecord(text, line) };
  }
}

function parseRecord(text: string, line: number): CorpusRecord | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof value !== "object" || value === null || !("_id" in value) || !("text" in value))
      return undefined;
    const { _id: id, text: body } = value;
    if ((typeof id !== "string" && typeof id !== "number") || typeof body !== "string")
      return undefined;
    const title = "title" in value && typeof value.title === "string" ? value.title : "";
    return { id: String(id), title, text: body, line, bytes: Buffer.byteLength(text) };
  } catch {
    return undefined;
  }
}
