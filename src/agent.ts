/** The graph, compiled from the environment, for `langgraph.json`. */
import "dotenv/config";
import { explainMistakes } from "./assembly/options.js";
import { createCorrectiveRag } from "./corrective-rag.js";

/** The agent behind the graph, for the server's other routes. */
export const agent = explainMistakes(() => createCorrectiveRag({ environment: process.env }));

/**
 * A copy for the server, which sets its checkpointer on it. A conversation needs one checkpoint per
 * run; LangGraph's default, nine, takes four times the space.
 */
export const graph = agent.graph.withConfig({ durability: "exit" });
