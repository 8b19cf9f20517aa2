import { spawn } from "node:child_process";
import { bareEnvironment, PROJECT } from "../support/run-command.js";

/** Runs a program of examples/ in a process of its own. */
export function runExample(
  name: string,
  { env = {}, input = "" }: { env?: Record<string, string>; input?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, ["--import", "tsx", `examples/${name}.ts`], {
      cwd: PROJECT,
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
