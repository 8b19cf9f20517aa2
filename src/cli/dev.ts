/**
 * `dev` and `mcp`: the API server with Studio and the page, and the server of the Model Context
 * Protocol.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { UserError } from "../support/errors.js";
import { makeFolder } from "../support/make-folder.js";
import { PACKAGE_ROOT } from "../support/package.js";
import { loadDotEnv, openAgent } from "./open.js";
import { DONE, FAILED } from "./report-error.js";
import { say, styleFor } from "./terminal.js";

interface DevOptions {
  port: number;
  host: string;
  browser: boolean;
  reload: boolean;
}

/** `src/` or `dist/`, wherever this file runs from. */
const CODE_ROOT = fileURLToPath(new URL("../", import.meta.url));
const IS_COMPILED = import.meta.url.endsWith(".js");
/** Where the server shows the page of our own. */
const PAGE_PATH = "/app";
const INSTALL_SERVER = "npm install --save-dev @langchain/langgraph-cli@~1.5.1";

/**
 * Runs the LangGraph API server on the graphs of this folder, or on ours. Ends with the server, and
 * hands signals on to it.
 * @throws UserError for malformed settings, before anything is started
 */
export async function dev({ port, host, browser, reload }: DevOptions): Promise<number> {
  await checkSettings();
  await checkPort(port, host);
  // What the server keeps (conversations, their evidence) is for its owner alone.
  process.umask(0o077);
  const args = ["dev", "--config", await configFile(), "--port", String(port), "--host", host];
  if (!browser) args.push("--no-browser");
  if (!reload) args.push("--no-reload");
  const server = spawn(process.execPath, [await serverScript(), ...args], {
    stdio: ["inherit", "pipe", "inherit"],
    // Nobody who starts a server of their own has asked for it to be reported, or for ten lines a
    // run.
    env: { LANGGRAPH_CLI_NO_ANALYTICS: "1", LOG_LEVEL: "warn", ...process.env },
  });
  void printWithoutBanner(server.stdout);
  const base = `http://${host === "0.0.0.0" || host === "::" ? "localhost" : host}:${port}`;
  const { bold } = styleFor(process.stderr);
  say(`API     ${bold(base)}`);
  say(`Studio  ${bold(`https://smith.langchain.com/studio?baseUrl=${base}`)}`);
  say(`Page    ${bold(`${base}${PAGE_PATH}`)}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => server.kill(signal));
  return new Promise((done, failed) => {
    server.on("error", failed);
    server.on("exit", (code, signal) => done(signal === null ? (code ?? FAILED) : DONE));
  });
}

/** LangGraph's banner repeats our addresses and advertises another product, at each restart. */
async function printWithoutBanner(output: Readable): Promise<void> {
  let inBanner = false;
  for await (const line of createInterface({ input: output })) {
    if (line.trim() === "Welcome to") inBanner = true;
    if (!inBanner) process.stdout.write(`${line}\n`);
    if (line.startsWith("For production use")) inBanner = false;
  }
}

/** The server reads `.env` by itself: a change must reach it when it restarts. */
async function checkSettings(): Promise<void> {
  const { assemble } = await import("../assembly.js");
  const environment = { ...process.env };
  await loadDotEnv(environment);
  assemble({ environment, checkpointer: false });
}

/** The server itself would print a stack trace and hang. */
async function checkPort(port: number, host: string): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((free, taken) => {
      probe.once("error", taken);
      probe.listen(port, host, free);
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const reason =
      code === "EADDRINUSE"
        ? `port ${port} is taken`
        : `the server cannot listen on ${host}:${port} (${String(code ?? error)})`;
    throw new UserError(reason, "choose another one with --port", FAILED);
  } finally {
    await new Promise((closed) => probe.close(closed));
  }
}

/**
 * The user's own `langgraph.json` if this folder has one. Else ours, its paths made relative to
 * where it is put, so that the server runs in the user's folder, with the user's `.env` and
 * knowledge base. Relative, because the server joins them to its folder even when they are
 * absolute.
 */
async function configFile(): Promise<string> {
  const own = resolve("langgraph.json");
  if (existsSync(own)) return own;
  const shipped = await readFile(join(PACKAGE_ROOT, "langgraph.json"), "utf8");
  const path = resolve(".corrective-rag", "langgraph.json");
  const code = relative(dirname(path), CODE_ROOT);
  const config: unknown = JSON.parse(shipped, (key, value: unknown) => {
    if (typeof value !== "string") return value;
    if (key === "env") return existsSync(value) ? resolve(value) : undefined;
    if (!value.startsWith("./src/")) return value;
    const [file = "", name] = value.slice("./src/".length).split(".ts:");
    return `${join(code, file)}.${IS_COMPILED ? "js" : "ts"}:${name}`;
  });
  makeFolder(dirname(path));
  await writeFile(path, `${JSON.stringify(config, undefined, 2)}\n`);
  return path;
}

async function serverScript(): Promise<string> {
  let manifestPath: string;
  try {
    manifestPath = createRequire(import.meta.url).resolve("@langchain/langgraph-cli/package.json", {
      paths: [process.cwd(), PACKAGE_ROOT],
    });
  } catch {
    throw new UserError("the LangGraph server is not installed", INSTALL_SERVER, FAILED);
  }
  const manifest: unknown = JSON.parse(await readFile(manifestPath, "utf8"));
  const bin: unknown = Reflect.get(Object(manifest), "bin");
  const script: unknown = Reflect.get(Object(bin), "langgraphjs");
  if (typeof script !== "string")
    throw new UserError("the LangGraph server has no langgraphjs command", INSTALL_SERVER, FAILED);
  return join(dirname(manifestPath), script);
}

/** Serves the agent to a client of the Model Context Protocol on standard input and output. */
export async function mcp({ kb }: { kb?: string }): Promise<number> {
  // No run may wait for a permission: the protocol has nobody who could be asked.
  const agent = await openAgent({ kb, checkpointer: false });
  try {
    const { serveMcpStdio } = await import("../server/mcp.js");
    await serveMcpStdio(agent);
  } finally {
    await agent.close();
  }
  return DONE;
}
