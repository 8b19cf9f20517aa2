import { execFile } from "node:child_process";
import { beforeAll, expect, it } from "@jest/globals";
import { PROJECT, runCommand } from "../support/run-command.js";

// So that the sources are compiled.
beforeAll(() => runCommand(["--version"], { cwd: PROJECT }));

it.each([24, 64])("says in one line that a process may open too few files: %d", async (limit) => {
  const command = `ulimit -n ${limit}; exec "${process.execPath}" scripts/run.js doctor`;
  const said = await new Promise<{ code: unknown; text: string }>((resolve) => {
    execFile("bash", ["-c", command], { cwd: PROJECT }, (error, stdout, stderr) =>
      resolve({ code: error?.code, text: stdout + stderr }),
    );
  });
  expect(said.code).toBe(1);
  expect(said.text).toMatch(/^error: .* too few may be open\n.*ulimit -n 1024\n$/);
});
