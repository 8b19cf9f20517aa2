/** Nodes of the package, wired into a StateGraph of yours: retrieve, judge, answer, no corrections. */
import { END, START, StateGraph } from "@langchain/langgraph";
import { createCorrectiveRag } from "corrective-rag";
import {
  AgentState,
  analyzeAndRouteNode,
  correctionSteps,
  defineNode,
  gradeEvidenceNode,
  guardAnswerNode,
  planNode,
  rewriteQuestionNode,
  synthesizeNode,
  toolsNode,
  type AgentParts,
} from "corrective-rag/graph";

const agent = createCorrectiveRag({ model: "embedded", settings: { maxIterations: 0 } });
// Nodes count the steps of a correction before they ask for one.
const parts: AgentParts = {
  ...agent.parts,
  correctionSteps: (node) => correctionSteps(builder)(node),
};
const builder = new StateGraph(AgentState)
  .addNode("rewrite_question", rewriteQuestionNode(parts))
  .addNode("analyze_and_route", analyzeAndRouteNode(parts))
  .addNode("plan", planNode(parts))
  .addNode("tools", toolsNode(parts))
  .addNode("grade_evidence", gradeEvidenceNode(parts))
  .addNode(
    "report",
    defineNode("report", parts, ({ state }) => {
      console.log(`${state.context.length > 0 ? "something" : "nothing"} was kept`);
      return {};
    }),
  )
  .addNode("synthesize", synthesizeNode(parts))
  .addNode("guard_answer", guardAnswerNode(parts))
  .addEdge(START, "rewrite_question")
  .addEdge("rewrite_question", "analyze_and_route")
  .addEdge("analyze_and_route", "plan")
  .addEdge("plan", "tools")
  .addEdge("tools", "grade_evidence")
  .addEdge("grade_evidence", "report")
  .addEdge("report", "synthesize")
  .addEdge("synthesize", "guard_answer")
  .addEdge("guard_answer", END);

const graph = builder.compile();
const { answer } = await graph.invoke({ question: "What does the guard check?" });
console.log(answer);
await agent.close();
