/** Collects documents and stores them in transactions of a middling size: few enough to be fast, small enough to lose little when killed. */
import {
  KnowledgeBaseError,
  type DocumentRecord,
  type Passage,
  type WritableKnowledgeBase,
} from "../retrieval/knowledge-base.js";

const MAX_DOCUMENTS = 200;
const MAX_PASSAGES = 400;

export interface Batch {
  add(record: DocumentRecord, passages: readonly Passage[]): Promise<void>;
  flush(): Promise<void>;
}

export function createBatch(
  knowledgeBase: WritableKnowledgeBase,
  signal: AbortSignal | undefined,
): Batch {
  let waiting: { record: DocumentRecord; passages: readonly Passage[] }[] = [];
  let passages = 0;
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const documents = waiting;
    waiting = [];
    passages = 0;
    try {
      await knowledgeBase.put(documents, signal);
    } catch (cause) {
      // An embedding endpoint that fails is no fault of the document at hand: it stops the run.
      if (cause instanceof KnowledgeBaseError || signal?.aborted === true) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new KnowledgeBaseError(
        `Storing ${documents.length} documents failed: ${reason}`,
        "What was stored before stays; run ingest again.",
        { cause },
      );
    }
  };
  return {
    async add(record, added) {
      waiting.push({ record, passages: added });
      passages += added.length;
      if (waiting.length >= MAX_DOCUMENTS || passages >= MAX_PASSAGES) await flush();
    },
    flush,
  };
}
