/** `serve`: the server for people. */
import { openAgent, sayNotice } from "./open.js";
import { DONE } from "./report-error.js";
import { say, styleFor } from "./terminal.js";

/**
 * Serves the page and the APIs until a signal ends it; running answers then finish or are
 * interrupted within 20 s.
 * @throws UserError for malformed settings, a taken port, or an open address without keys
 */
export async function serve({ host, port }: { host: string; port: number }): Promise<number> {
  // Only the owner may read what the server stores: conversations and their evidence.
  process.umask(0o077);
  const agent = await openAgent({ needsBase: false, checkpointer: false });
  try {
    agent.notices.forEach(sayNotice);
    const { startServer } = await import("../server/server.js");
    const server = await startServer({ agent, host, port, report: (line) => say(line) });
    const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
    const { bold } = styleFor(process.stderr);
    say(`Page  ${bold(`http://${name}:${server.port}/app`)}`);
    say(`API   ${bold(`http://${name}:${server.port}`)}`);
    await signaled();
    say("stopping; running answers have 18 s to finish");
    await server.close();
  } finally {
    await agent.close();
  }
  return DONE;
}

/** A second signal ends the process at once. */
function signaled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve();
      });
  });
}
