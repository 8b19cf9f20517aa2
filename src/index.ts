/**
 * corrective-rag: a corrective RAG agent on LangGraph.js.
 *
 * @packageDocumentation
 */
export {
  createCorrectiveRag,
  correctiveRagTool,
  type AskOptions,
  type CorrectiveRag,
  type CorrectiveRagOptions,
  type CorrectiveRagResult,
  type CorrectiveRagToolOptions,
  type Question,
  type RunnableCorrectiveRag,
} from "./corrective-rag.js";
export type { NodePlaces } from "./graph/graph.js";
export type { Edges } from "./graph/edges.js";
export type { NodeWork } from "./nodes/node.js";
export type { Reasoner } from "./reasoning/reasoner.js";
export type { ChatModel } from "./model/endpoint.js";
export type {
  Prompt,
  PromptInputs,
  PromptName,
  PromptReplacement,
  Prompts,
} from "./model/prompt.js";
export { PROFILES as profiles, type Profile } from "./grading/profiles.js";
export {
  CorrectiveRetriever,
  type CorrectiveRetrieverOptions,
} from "./langchain/corrective-retriever.js";
export {
  ingest,
  openSqliteKnowledgeBase,
  type OpenKnowledgeBaseOptions,
} from "./assembly/knowledge-base.js";
export type { DocumentLoader } from "./ingest/remote-documents.js";
export type { IngestOptions } from "./ingest/ingest.js";
export type { IngestProgress, IngestReport } from "./ingest/report.js";
export { fromRetriever, fromVectorStore } from "./retrieval/langchain/from-langchain.js";
export type { Embedder } from "./reader/embedder.js";
export type { DocumentKind } from "./formats/document-formats.js";
export {
  KnowledgeBaseError,
  type DocumentRecord,
  type Hit,
  type KnowledgeBase,
  type KnowledgeBaseStats,
  type Passage,
  type Reranker,
  type SearchMode,
  type SearchRequest,
  type WritableKnowledgeBase,
} from "./retrieval/knowledge-base.js";
export { withPrincipal, type Principal } from "./settings/principal.js";
export { readFilter, type Filter } from "./settings/filter.js";
export type { Metadata } from "./state/metadata.js";
export { CorrectiveRagError, UserError } from "./support/errors.js";
export { AgentState, type AgentStateType, type OutputValues } from "./state/agent-state.js";
export { renderSource, type Evidence, type EvidenceSource, type Score } from "./state/evidence.js";
export type { Citation, ClaimStatus, SourceReference } from "./state/answer.js";
export type { Details, EvidenceSummary, Usage } from "./state/details.js";
export type {
  Evaluation,
  EvidenceLabel,
  GraderAction,
  Outcome,
  OutcomeCause,
  OutcomeStatus,
  Signals,
} from "./state/verdict.js";
export type { ContextValues } from "./settings/context.js";
export type { SettingsInput } from "./settings/table.js";
export type { AgentEvent, EventType, RecordedEvent } from "./observability/events.js";
export type { PolicyFilter } from "./answering/guard.js";
export type { WebResult, WebSearchProvider, WebSearchRequest } from "./web/search-provider.js";
