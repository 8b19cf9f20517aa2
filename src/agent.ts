/** The graph, compiled from the environment, for `langgraph.json`. */
import "dotenv/config";
import { explainMistakes } from "./assembly/options.js";
import { createCorrectiveRag } from "./corrective-rag.js";
import { buildGraph, keepTurns, type CorrectiveRagGraph } from "./graph/graph.js";

/** The agent behind the graph, for the server's other routes. */
export const agent = explainMistakes(() => createCorrectiveRag({ environment: process.env }));

const built = buildGraph({ parts: agent.parts, reportsState: true });
/** A graph for LangGraph's server, which sets its checkpointer on it and asks for its schemas. */
export const graph: CorrectiveRagGraph =
  agent.settings.checkpoints === "turn" ? keepTurns(built) : built;
