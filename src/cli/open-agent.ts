/** Opens what the commands work with: the agent for answering, the knowledge base for filling. The environment and `.env` are read here. */
import type { AssembledAgent } from "../assembly.js";
import type { WritableKnowledgeBase } from "../retrieval/knowledge-base.js";
import type { FetchPage } from "../web/search-provider.js";
import { loadDotEnv } from "./dot-env.js";
import { say, styleFor } from "./terminal.js";

/**
 * The agent, its knowledge base already open, so that a wrong folder is said before a question is asked.
 * @throws UserError for malformed settings, KnowledgeBaseError for a knowledge base that cannot be opened
 */
export async function openAgent({ kb }: { kb?: string }): Promise<AssembledAgent> {
  await loadDotEnv();
  const { assemble } = await import("../assembly.js");
  const agent = assemble({ environment: process.env, knowledgeBase: kb, checkpointer: false });
  const opening = agent.knowledgeBase();
  const style = styleFor(process.stderr);
  let told = 0;
  const tellNotices = (): void => {
    for (const notice of agent.notices.slice(told)) say(style.dim(`· ${notice}`));
    told = agent.notices.length;
  };
  tellNotices();
  try {
    await opening;
  } catch (error) {
    await agent.close();
    throw error;
  }
  tellNotices();
  return agent;
}

/**
 * The knowledge base as `ingest` needs it; made where there is none.
 * @param urls pages that the user named: exactly their hosts and ports may be on this machine or network, where a redirect may not lead
 */
export async function openForIngestion({
  kb,
  urls,
}: {
  kb?: string;
  urls: readonly string[];
}): Promise<{ knowledgeBase: WritableKnowledgeBase; fetchPage: FetchPage }> {
  await loadDotEnv();
  const [{ readEnvironment }, { completeSettings }, { openForWriting }, { fetchPageFrom }] =
    await Promise.all([
      import("../settings/environment.js"),
      import("../settings/run-settings.js"),
      import("../assembly/knowledge-base.js"),
      import("../assembly/web-search.js"),
    ]);
  const settings = completeSettings(readEnvironment(process.env).settings);
  const fetchPage = fetchPageFrom(settings, urls.flatMap(hostAndPort));
  return { knowledgeBase: await openForWriting({ settings, directory: kb }), fetchPage };
}

function hostAndPort(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { hostname, port, protocol } = new URL(address);
  return [`${hostname}:${port || (protocol === "https:" ? "443" : "80")}`];
}

/** Whether there is a knowledge base to be kept in step, even with targets that have become empty. */
export async function hasKnowledgeBase({ kb }: { kb?: string }): Promise<boolean> {
  await loadDotEnv();
  const [{ readEnvironment }, { DEFAULT_DIRECTORY, holdsKnowledgeBase }] = await Promise.all([
    import("../settings/environment.js"),
    import("../assembly/knowledge-base.js"),
  ]);
  const { qdrantUrl, kbDir } = readEnvironment(process.env).settings;
  return (
    (qdrantUrl !== undefined && kb === undefined) ||
    holdsKnowledgeBase(kb ?? kbDir ?? DEFAULT_DIRECTORY)
  );
}
