/** The reader's vectors of passages, kept in the system's temporary folder by content and encoder. */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Embedder, Vector } from "../src/reader/embedder.js";
import type { Reader } from "../src/reader/reader.js";
import { readerEmbedder } from "../src/retrieval/embedders.js";

export function cachedEmbedder(
  reader: Reader,
  folder = join(tmpdir(), "corrective-rag-vectors"),
): Embedder | undefined {
  const embedder = readerEmbedder(reader);
  if (embedder === undefined) return undefined;
  const fileOf = (text: string): string => {
    const key = createHash("sha256").update(`${embedder.model}\n${text}`).digest("hex");
    return join(folder, key.slice(0, 2), key);
  };
  const kept = async (text: string): Promise<Vector | undefined> => {
    const bytes = await readFile(fileOf(text)).catch(() => undefined);
    return (
      bytes &&
      new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
    );
  };
  const keep = async (text: string, vector: Vector): Promise<void> => {
    const file = fileOf(text);
    await mkdir(join(file, ".."), { recursive: true });
    // Another process may read the file meanwhile.
    await writeFile(`${file}.${process.pid}`, new Uint8Array(Float32Array.from(vector).buffer));
    await rename(`${file}.${process.pid}`, file);
  };
  return {
    ...embedder,
    async embedDocuments(texts, signal) {
      const found = await Promise.all(texts.map(kept));
      const missing = texts.filter((_, index) => found[index] === undefined);
      const made = missing.length === 0 ? [] : await embedder.embedDocuments(missing, signal);
      await Promise.all(missing.map((text, index) => keep(text, made[index] ?? [])));
      let next = 0;
      return found.map((vector) => vector ?? made[next++] ?? []);
    },
  };
}
