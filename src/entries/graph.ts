/**
 * The graph and its parts, for LangGraph users who extend it or wire its nodes themselves.
 *
 * @packageDocumentation
 */
export { buildGraph } from "../graph/graph.js";
export type { CorrectiveRagGraph, CustomNodes, GraphOptions, NodePlaces } from "../graph/graph.js";
export {
  afterGrading,
  afterGuard,
  afterRewriting,
  afterRouting,
  correctionSteps,
  type Edges,
} from "../graph/edges.js";
export { defineNode } from "../nodes/node.js";
export type { NodeFunction, NodeInput, NodeUpdate, NodeWork } from "../nodes/node.js";
export { analyzeAndRouteNode } from "../nodes/analyze-and-route.js";
export { gradeEvidenceNode } from "../nodes/grade-evidence.js";
export { guardAnswerNode } from "../nodes/guard-answer.js";
export { planNode } from "../nodes/plan.js";
export { rewriteQuestionNode } from "../nodes/rewrite-question.js";
export { synthesizeNode } from "../nodes/synthesize.js";
export { toolsNode } from "../nodes/tools.js";
export { AgentState, InputSchema, OutputSchema } from "../state/agent-state.js";
export { asEvidence, type GradablePassage } from "../state/evidence.js";
export type { AgentStateType, AgentStateUpdate } from "../state/agent-state.js";
export type { AgentParts, RunScope, Toolbox } from "../nodes/parts.js";
export type { Scope } from "../observability/scope.js";
export type {
  AnswerInput,
  DraftAnswer,
  GradeInput,
  Holdings,
  KeyPoint,
  PlanInput,
  Reasoner,
  Rewrite,
  RewriteInput,
  Route,
  RouteInput,
  ToolDescription,
  Turn,
} from "../reasoning/reasoner.js";
export type { Reader } from "../reader/reader.js";
export type { Judge, Judgement, JudgeInput } from "../grading/judgement.js";
export type { AgentTool, ToolInput, ToolOutput } from "../tools/tool.js";
export type { FetchPage, WebSearch, WebSearchProvider } from "../web/search-provider.js";
export type { KnowledgeBase, WritableKnowledgeBase } from "../retrieval/knowledge-base.js";
