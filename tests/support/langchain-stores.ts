/** LangChain documents, embeddings and a vector store for tests. */
import { Document } from "@langchain/core/documents";
import { Embeddings } from "@langchain/core/embeddings";
import { VectorStore } from "@langchain/core/vectorstores";
import type { Passage } from "../../src/retrieval/knowledge-base.js";
import { termEmbedder } from "./term-embedder.js";

/** As a loader and a text splitter would have made it. */
export function documentOf({
  text,
  path,
  title,
  kind,
  startLine,
  endLine,
  modifiedAt,
}: Passage): Document {
  return new Document({
    pageContent: text,
    metadata: {
      source: path,
      title,
      kind,
      modifiedAt,
      loc: { lines: { from: startLine, to: endLine } },
    },
  });
}

export class TermEmbeddings extends Embeddings {
  private readonly embedder = termEmbedder();

  constructor() {
    super({});
  }
  override async embedQuery(text: string): Promise<number[]> {
    return Array.from(await this.embedder.embedQuery(text));
  }
  override async embedDocuments(texts: string[]): Promise<number[][]> {
    return (await this.embedder.embedDocuments(texts)).map((vector) => Array.from(vector));
  }
}

/** Gives distances, less is better, as FAISS and others do. */
export class DistanceStore extends VectorStore {
  private readonly rows: { vector: number[]; document: Document }[] = [];

  override _vectorstoreType(): string {
    return "distances";
  }
  override addVectors(vectors: number[][], documents: Document[]): Promise<void> {
    this.rows.push(
      ...documents.map((document, index) => ({ document, vector: vectors[index] ?? [] })),
    );
    return Promise.resolve();
  }
  override async addDocuments(documents: Document[]): Promise<void> {
    await this.addVectors(
      await this.embeddings.embedDocuments(documents.map(({ pageContent }) => pageContent)),
      documents,
    );
  }
  override similaritySearchVectorWithScore(
    query: number[],
    k: number,
  ): Promise<[Document, number][]> {
    const distance = (vector: readonly number[]) => {
      const dot = (a: readonly number[], b: readonly number[]) =>
        a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
      return 1 - dot(query, vector) / Math.sqrt(dot(query, query) * dot(vector, vector));
    };
    const scored = this.rows.map(({ document, vector }): [Document, number] => [
      document,
      distance(vector),
    ]);
    return Promise.resolve(scored.sort(([, a], [, b]) => a - b).slice(0, k));
  }
}
