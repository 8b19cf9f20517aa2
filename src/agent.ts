/** The graph, compiled from the environment: `langgraph.json` points here. Nothing is opened before the first run. */
import "dotenv/config";
import { assemble } from "./assembly.js";
import { explainMistakes } from "./assembly/explain-mistakes.js";

/** What the graph was made of, for the routes that stand beside it. */
export const agent = explainMistakes(() => assemble({ environment: process.env }));

export const graph = agent.graph;
