import type {
  DocumentRecord,
  Hit,
  KnowledgeBase,
  Passage,
  SearchMode,
  SearchRequest,
} from "../../src/retrieval/knowledge-base.js";

export interface StubKnowledgeBase extends KnowledgeBase {
  readonly requests: { mode: SearchMode; request: SearchRequest }[];
}

export function passage(id: string, over: Partial<Passage> = {}): Passage {
  return { id, text: `text of ${id}`, title: id, path: `${id}.md`, kind: "markdown", ...over };
}

/** A knowledge base that answers each query with what was prepared for it, and remembers what it was asked. */
export function stubKnowledgeBase({
  hits = {},
  documents = [],
  passages = {},
  modes = ["keyword"],
}: {
  hits?: Readonly<Record<string, Hit[]>>;
  documents?: DocumentRecord[];
  passages?: Readonly<Record<string, Passage[]>>;
  modes?: SearchMode[];
} = {}): StubKnowledgeBase {
  const requests: StubKnowledgeBase["requests"] = [];
  return {
    requests,
    name: "stub",
    modes,
    search: (mode, request) => {
      requests.push({ mode, request });
      return Promise.resolve((hits[request.query] ?? []).slice(0, request.limit));
    },
    documents: () => Promise.resolve(documents),
    passagesOf: (path) => Promise.resolve(passages[path] ?? []),
    version: () => Promise.resolve("1"),
    stats: () => Promise.resolve({ documents: documents.length, passages: 0 }),
    close: () => Promise.resolve(),
  };
}
