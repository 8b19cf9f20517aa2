import { createCorrectiveRag } from "../corrective-rag.js";
import { serveMcpStdio, sourceOf } from "../server/mcp.js";
import { loadDotEnv } from "./open.js";
import { DONE } from "./report-error.js";

/** `mcp`: serves the agent to a client of the Model Context Protocol on standard input and output. */
export async function mcp({ kb }: { kb?: string }): Promise<number> {
  const environment = { ...process.env };
  await loadDotEnv(environment);
  const agent = createCorrectiveRag({
    environment,
    ...(kb !== undefined && { knowledgeBase: kb }),
  });
  try {
    await serveMcpStdio(sourceOf(agent));
  } finally {
    await agent.close();
  }
  return DONE;
}
