/** The graph, compiled from the environment: `langgraph.json` points here. Nothing is opened before the first run. */
import "dotenv/config";
import { assemble } from "./assembly.js";
import { explainMistakes } from "./assembly/explain-mistakes.js";

export const graph = explainMistakes(() => assemble().graph);
