/** `serve`, `dev` and `mcp`: the server for people, LangGraph's for Studio, and the MCP server. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { codeOf, UserError } from "../support/errors.js";
import { makeFolder } from "../support/plain-file.js";
import { PACKAGE_ROOT } from "../support/packages.js";
import { loadDotEnv, openAgent, sayNotice } from "./open.js";
import { DONE, FAILED, interruptSignal } from "./report-error.js";
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
    const server = await startServer({ agent, host, port, report: say }).catch((error: unknown) => {
      throw portProblem(error, host, port);
    });
    const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
    const { bold } = styleFor(process.stderr);
    say(`Page  ${bold(`http://${name}:${server.port}/app`)}`);
    say(`API   ${bold(`http://${name}:${server.port}`)}`);
    await once(interruptSignal(), "abort");
    say("stopping; running answers have 18 s to finish");
    await server.close();
  } finally {
    await agent.close();
  }
  return DONE;
}

interface DevOptions {
  port: number;
  browser: boolean;
  reload: boolean;
}

/** `src/` or `dist/`, whichever this file runs from. */
const CODE_ROOT = fileURLToPath(new URL("../", import.meta.url));
const IS_COMPILED = import.meta.url.endsWith(".js");
/** LangGraph's development server keeps nobody apart, so it serves this machine only. */
const HOST = "localhost";
const SERVER = "@langchain/langgraph-cli";
const Manifest = z.object({ version: z.string(), bin: z.object({ langgraphjs: z.string() }) });

/**
 * Runs the LangGraph API server on the graphs of this folder, or on the shipped ones, until it
 * ends. Signals are passed on to it.
 * @throws UserError for malformed settings, before the server starts
 */
export async function dev({ port, browser, reload }: DevOptions): Promise<number> {
  const origins = await checkServerSettings();
  await checkPort(port);
  // Only the owner may read what the server stores: conversations and their evidence.
  process.umask(0o077);
  const config = await configFile(origins);
  const args = ["dev", "--config", config, "--port", String(port), "--host", HOST];
  if (!browser) args.push("--no-browser");
  if (!reload) args.push("--no-reload");
  const server = spawn(process.execPath, [await serverScript(), ...args], {
    stdio: "inherit",
    // No telemetry, and no ten lines of log per run, unless the user asks for them.
    env: { LANGGRAPH_CLI_NO_ANALYTICS: "1", LOG_LEVEL: "warn", ...process.env },
  });
  void sayWhere(`http://${HOST}:${port}`, server);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => server.kill(signal));
  return new Promise((done, failed) => {
    server.on("error", failed);
    server.on("exit", (code, signal) => done(signal === null ? (code ?? FAILED) : DONE));
  });
}

/** Prints the addresses once something listens there. */
async function sayWhere(base: string, server: ChildProcess): Promise<void> {
  while (!(await fetch(`${base}/ok`).catch(() => undefined))?.ok) {
    if (server.exitCode !== null || server.signalCode !== null) return;
    await sleep(200);
  }
  const { bold } = styleFor(process.stderr);
  say(`API     ${bold(base)}`);
  say(`Studio  ${bold(`https://smith.langchain.com/studio?baseUrl=${base}`)}`);
  say(`Page    ${bold(`${base}/app`)}`);
  say("For one developer: conversations are kept in memory. To serve other people, use `serve`.");
}

/**
 * Checks the settings in a copy, since the server itself reads `.env` again at each restart and
 * gives all of it to its processes.
 * @returns the origins that may use the server
 */
async function checkServerSettings(): Promise<readonly string[]> {
  const { assemble } = await import("../assembly.js");
  const environment = { ...process.env };
  await loadDotEnv(environment);
  return assemble({ environment, checkpointer: false }).settings.allowedOrigins ?? [];
}

/** Checks the port first: LangGraph's server would print a stack trace and hang. */
async function checkPort(port: number): Promise<void> {
  const probe = createServer().listen(port, HOST);
  try {
    await once(probe, "listening");
  } catch (error) {
    throw portProblem(error, HOST, port);
  }
  await new Promise((closed) => probe.close(closed));
}

/** Says why a server cannot listen; other errors stay as they are. */
function portProblem(error: unknown, host: string, port: number): unknown {
  if (!(error instanceof Error && "syscall" in error)) return error;
  if (error.syscall !== "listen" && error.syscall !== "getaddrinfo") return error;
  const isTaken = codeOf(error) === "EADDRINUSE";
  const reason = `the server cannot listen on ${host}:${port} (${codeOf(error)})`;
  const hint = "choose another with --port";
  return new UserError(isTaken ? `port ${port} is taken` : reason, hint, FAILED);
}

/**
 * Returns the `langgraph.json` of this folder, if it has its own. Else writes a copy of the shipped
 * one with the allowed origins, so that the server runs in this folder, with its `.env` and its
 * knowledge base. Paths are relative, because the server joins even absolute ones to its folder.
 */
export async function configFile(origins: readonly string[]): Promise<string> {
  const existing = resolve("langgraph.json");
  const ours = join(PACKAGE_ROOT, "langgraph.json");
  if (existsSync(existing) && existing !== ours) return existing;
  const shipped = await readFile(ours, "utf8");
  const path = resolve(".corrective-rag", "langgraph.json");
  const code = relative(dirname(path), CODE_ROOT);
  const config: unknown = JSON.parse(shipped, (key, value: unknown) => {
    if (key === "allow_origins" && Array.isArray(value)) return value.concat(origins) as unknown;
    if (typeof value !== "string") return value;
    if (key === "env") return existsSync(value) ? resolve(value) : undefined;
    if (!value.startsWith("./src/")) return value;
    const [file = "", name] = value.slice("./src/".length).split(".ts:");
    return `${join(code, file)}.${IS_COMPILED ? "js" : "ts"}:${name}`;
  });
  makeFolder(dirname(path));
  // A link in its place would be written through.
  await rm(path, { force: true });
  await writeFile(path, `${JSON.stringify(config, undefined, 2)}\n`, { flag: "wx" });
  return path;
}

async function serverScript(): Promise<string> {
  try {
    // Not from the folder it is started in, which may come from a stranger.
    const paths = [PACKAGE_ROOT];
    const manifest = createRequire(import.meta.url).resolve(`${SERVER}/package.json`, { paths });
    const { bin, version } = Manifest.parse(JSON.parse(await readFile(manifest, "utf8")));
    // 2.0 fails on every run with `streamSubgraphs`, which chat clients of LangGraph ask for.
    if (!version.startsWith("1."))
      say(`${SERVER} is ${version}; chat clients need 1.5: npm install ${SERVER}@~1.5.1`);
    return join(dirname(manifest), bin.langgraphjs);
  } catch {
    throw new UserError(
      "the LangGraph server is not installed",
      `npm install --save-dev ${SERVER}@~1.5.1`,
      FAILED,
    );
  }
}

/** Serves the agent to an MCP client on standard input and output. */
export async function mcp({ kb }: { kb?: string }): Promise<number> {
  // Without a checkpointer no run waits for permission, which an MCP client cannot give.
  const agent = await openAgent({ kb, checkpointer: false });
  try {
    const { serveMcpStdio } = await import("../server/mcp.js");
    await serveMcpStdio(agent);
  } finally {
    await agent.close();
  }
  return DONE;
}
