/** A retriever that grades what another one found. */
import type { CallbackManagerForRetrieverRun } from "@langchain/core/callbacks/manager";
import type { DocumentInterface } from "@langchain/core/documents";
import { BaseRetriever, type BaseRetrieverInterface } from "@langchain/core/retrievers";
import { gradeEvidence } from "../grading/grade-evidence.js";
import { profileOf, type Profile } from "../grading/profiles.js";
import { passageOfDocument } from "../retrieval/langchain/from-langchain.js";
import { filterMatcher } from "../retrieval/search-filter.js";
import { readFilter, type Filter } from "../settings/filter.js";
import { createReader } from "../reader/create-reader.js";
import type { Reader } from "../reader/reader.js";
import type { ProfileName } from "../settings/run-settings.js";

export interface CorrectiveRetrieverOptions {
  retriever: BaseRetrieverInterface;
  /** Asked if the first one found nothing good, such as a web retriever. */
  fallback?: BaseRetrieverInterface;
  /** `adaptive` by default. */
  profile?: ProfileName | Profile;
  /** The shipped reader by default. */
  reader?: Reader;
  /** Only documents that pass, by their metadata, are graded: `year >= 2024`. */
  filter?: Filter | string;
}

/**
 * A `BaseRetriever` that returns only documents that answer the question, best first, each with its
 * relevance (0–1) in `metadata.relevance`.
 * @example const retriever = new CorrectiveRetriever({ retriever: store.asRetriever(20) });
 */
export class CorrectiveRetriever extends BaseRetriever {
  lc_namespace = ["corrective_rag", "retrievers"];
  private readonly sources: readonly BaseRetrieverInterface[];
  private readonly profile: Profile;
  private readonly reader: Reader;
  private readonly passes: ReturnType<typeof filterMatcher>;

  constructor(options: CorrectiveRetrieverOptions) {
    super();
    const { retriever, fallback, profile = "adaptive", reader = createReader(), filter } = options;
    this.sources = fallback === undefined ? [retriever] : [retriever, fallback];
    this.profile = profileOf(profile);
    this.reader = reader;
    this.passes = filterMatcher(filter === undefined ? undefined : readFilter(filter));
  }

  override async _getRelevantDocuments(
    question: string,
    runManager?: CallbackManagerForRetrieverRun,
  ): Promise<DocumentInterface[]> {
    const documents: DocumentInterface<Record<string, unknown> & { relevance: number }>[] = [];
    for (const source of this.sources) {
      const all = await source.invoke(question, { callbacks: runManager?.getChild() });
      const found = all.filter((document) => this.passes(passageOfDocument(document)));
      const { kept, scores, label } = await gradeEvidence({
        question,
        items: found.map(({ pageContent }, index) => ({ id: String(index), text: pageContent })),
        profile: this.profile,
        reader: this.reader,
      });
      for (const { id } of kept) {
        const document = found[Number(id)];
        if (document === undefined) continue;
        const relevance = scores[id] ?? 0;
        documents.push({ ...document, metadata: { ...document.metadata, relevance } });
      }
      if (label === "CORRECT") break;
    }
    return documents.sort((a, b) => b.metadata.relevance - a.metadata.relevance);
  }
}
