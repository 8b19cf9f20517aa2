/** The graph, compiled from the environment, for `langgraph.json`. */
import "dotenv/config";
import { explainMistakes } from "./assembly/options.js";
import { keepTurns } from "./graph/turns.js";
import { createCorrectiveRag } from "./corrective-rag.js";

/** The agent behind the graph, for the server's other routes. */
export const agent = explainMistakes(() => createCorrectiveRag({ environment: process.env }));

const copy = agent.graph.withConfig({});
/** A copy for the server, which sets its checkpointer on it. */
export const graph = agent.settings.checkpoints === "turn" ? keepTurns(copy) : copy;
