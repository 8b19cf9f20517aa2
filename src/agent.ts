/**
 * The graph, compiled from the environment: `langgraph.json` points here. Nothing is opened before
 * the first run.
 */
import "dotenv/config";
import { explainMistakes } from "./assembly/options.js";
import { createCorrectiveRag } from "./corrective-rag.js";

/** What the graph was made of, for the routes that stand beside it. */
export const agent = explainMistakes(() => createCorrectiveRag({ environment: process.env }));

/**
 * A copy for the server, which puts its checkpointer on it. One checkpoint a run is what a
 * conversation needs; nine, which LangGraph writes by default, are four times the bytes.
 */
export const graph = agent.graph.withConfig({ durability: "exit" });
