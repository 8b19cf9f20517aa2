/**
 * Correction for LangChain's own agents and chains.
 *
 * @packageDocumentation
 */
export { correctiveMiddleware } from "../langchain/corrective-middleware.js";
export type { CorrectiveMiddlewareOptions } from "../langchain/corrective-middleware.js";
export { CorrectiveRetriever } from "../langchain/corrective-retriever.js";
export type { CorrectiveRetrieverOptions } from "../langchain/corrective-retriever.js";
