import { basename } from "node:path";
import { paragraphs } from "../src/formats/loaders/text.js";
import { split } from "../src/ingest/split.js";
import type { StoredDocument, WritableKnowledgeBase } from "../src/retrieval/knowledge-base.js";
import { MAX_HEADING } from "../src/text/block.js";
import { oneLine } from "../src/text/words.js";
import { readCorpusFile } from "./formats.js";

const DOCUMENTS_PER_TRANSACTION = 200;

/** Every document has one of so many values of `part`, in turn, for filters. */
export const PARTS = 4;

/** Stores each record of a `corpus.jsonl` as a document of its own, named `corpus.jsonl#ID`. */
export async function storeCorpus(
  file: string,
  knowledgeBase: WritableKnowledgeBase,
): Promise<void> {
  const documents = (await readCorpusFile(file)).map(({ _id, title, text }, at): StoredDocument => {
    const metadata = { part: at % PARTS };
    const record = {
      path: `${basename(file)}#${_id}`,
      hash: _id,
      kind: "json" as const,
      title: oneLine(title || _id, MAX_HEADING),
      bytes: Buffer.byteLength(text),
      metadata,
    };
    const blocks = paragraphs(text).map(({ text, form, headings }) => ({ text, form, headings }));
    return { record, passages: split(record, blocks).map((each) => ({ ...each, metadata })) };
  });
  for (let start = 0; start < documents.length; start += DOCUMENTS_PER_TRANSACTION)
    await knowledgeBase.put(documents.slice(start, start + DOCUMENTS_PER_TRANSACTION));
  await knowledgeBase.embedPending?.();
}
