/** What the page says about the agent before the first question. */
import type { AssembledAgent } from "../assembly.js";
import { DEMO_DIRECTORY } from "../assembly/knowledge-base.js";
import type { KnowledgeBase } from "../retrieval/knowledge-base.js";

export interface About {
  reasoner: "model" | "embedded";
  /** Null when it cannot be opened; `error` says why. Paths of this machine are not told. */
  knowledge_base: { is_demo: boolean; documents: number; passages: number } | null;
  /** Bytes of an uploaded file at most. */
  max_upload_bytes: number;
  error: string | null;
}

/** True for the knowledge base that is made of the agent's own docs while there is no other. */
export function isDemo({ name }: Pick<KnowledgeBase, "name">): boolean {
  return name.endsWith(DEMO_DIRECTORY);
}

/** Opens the knowledge base, so that the first question finds it open. Never rejects. */
export async function about(
  agent: Pick<AssembledAgent, "reasonerKind" | "knowledgeBase" | "settings">,
): Promise<About> {
  const { reasonerKind: reasoner } = agent;
  const max_upload_bytes = agent.settings.maxUploadBytes;
  try {
    const knowledgeBase = await agent.knowledgeBase();
    const { documents, passages } = await knowledgeBase.stats();
    return {
      reasoner,
      knowledge_base: { is_demo: isDemo(knowledgeBase), documents, passages },
      max_upload_bytes,
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
      max_upload_bytes,
      error: `${error instanceof Error ? error.message : String(error)}${hint}`,
    };
  }
}
