import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { UserError } from "../config/user-error.js";
import type { DevOptions } from "./options.js";
import { FAILED, DONE } from "./report-error.js";
import { say, styleFor } from "./terminal.js";

const PACKAGE_ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Where the server shows the page of our own. */
const PAGE_PATH = "/app";
const STUDIO = "https://smith.langchain.com/studio/";

/** `dev`: the LangGraph API server on the graph of this folder, or on ours. Ends with the server, and hands signals on to it. */
export async function dev({ port, host, browser, reload }: DevOptions): Promise<number> {
  const config = configFile();
  const server = spawn(
    process.execPath,
    [
      await serverScript(),
      "dev",
      "--config",
      config,
      "--port",
      String(port),
      "--host",
      host,
      ...(browser ? [] : ["--no-browser"]),
      ...(reload ? [] : ["--no-reload"]),
    ],
    { stdio: "inherit", cwd: dirname(config) },
  );
  const base = `http://${host === "0.0.0.0" ? "localhost" : host}:${port}`;
  const { bold } = styleFor(process.stderr);
  say(`API     ${bold(base)}`);
  say(`Studio  ${bold(`${STUDIO}?baseUrl=${base}`)}`);
  say(`Page    ${bold(`${base}${PAGE_PATH}`)}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => server.kill(signal));
  return new Promise((done, failed) => {
    server.on("error", failed);
    server.on("exit", (code, signal) => done(signal === null ? (code ?? FAILED) : DONE));
  });
}

/** The user's own `langgraph.json` if this folder has one, else the one that came with the package. */
function configFile(): string {
  const candidates = [resolve("langgraph.json"), join(PACKAGE_ROOT, "langgraph.json")];
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new UserError("there is no langgraph.json here", "run it in the project's folder");
  return found;
}

async function serverScript(): Promise<string> {
  const require = createRequire(import.meta.url);
  let manifestPath: string;
  try {
    manifestPath = require.resolve("@langchain/langgraph-cli/package.json", { paths: [process.cwd(), PACKAGE_ROOT] });
  } catch {
    throw new UserError("the LangGraph server is not installed", "npm install --save-dev @langchain/langgraph-cli@~1.5.1", FAILED);
  }
  const manifest: unknown = JSON.parse(await readFile(manifestPath, "utf8"));
  const bin: unknown = manifest !== null && typeof manifest === "object" ? Reflect.get(manifest, "bin") : undefined;
  const script: unknown =
    typeof bin === "string" ? bin : bin !== null && typeof bin === "object" ? Reflect.get(bin, "langgraphjs") : undefined;
  if (typeof script !== "string")
    throw new UserError(
      "the LangGraph server that is installed has no langgraphjs command",
      "npm install --save-dev @langchain/langgraph-cli@~1.5.1",
      FAILED,
    );
  return join(dirname(manifestPath), script);
}
