/** What the page says about the agent before the first question. */
import type { AssembledAgent } from "../assembly.js";
import { DEMO_DIRECTORY } from "../assembly/knowledge-base.js";

export interface About {
  reasoner: "model" | "embedded";
  /** Null when it cannot be opened; `error` says why. No paths of this machine: any page may read what the development server says. */
  knowledge_base: { is_demo: boolean; documents: number; passages: number } | null;
  error: string | null;
}

/** Opens the knowledge base, so that the first question finds it open. Never rejects. */
export async function about(
  agent: Pick<AssembledAgent, "reasonerKind" | "knowledgeBase">,
): Promise<About> {
  const { reasonerKind: reasoner } = agent;
  try {
    const knowledgeBase = await agent.knowledgeBase();
    const { documents, passages } = await knowledgeBase.stats();
    return {
      reasoner,
      knowledge_base: { is_demo: knowledgeBase.name.endsWith(DEMO_DIRECTORY), documents, passages },
      error: null,
    };
  } catch (error) {
    const hint =
      error instanceof Error && "hint" in error && typeof error.hint === "string"
        ? ` (${error.hint})`
        : "";
    return {
      reasoner,
      knowledge_base: null,
      error: `${error instanceof Error ? error.message : String(error)}${hint}`,
    };
  }
}
