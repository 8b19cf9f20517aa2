import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bareEnvironment, PROJECT } from "../support/run-command.js";

const TSX = pathToFileURL(join(PROJECT, "node_modules/tsx/dist/loader.mjs")).href;

/** Runs a program of examples/ in a process of its own, in the clone or in another folder. */
export function runExample(
  name: string,
  {
    env = {},
    input = "",
    cwd = PROJECT,
  }: { env?: Record<string, string>; input?: string; cwd?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, ["--import", TSX, join(PROJECT, `examples/${name}.ts`)], {
      cwd,
      env: { ...bareEnvironment(), CRAG_READER: "lexical", ...env },
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", failed);
    child.on("close", (code) => done({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}
