import { describe, expect, it } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

describe("a command in a clone that cannot run", () => {
  const runIn = (folders: readonly string[]) => {
    const clone = mkdtempSync(join(tmpdir(), "clone-"));
    for (const folder of ["src", ...folders]) mkdirSync(join(clone, folder));
    cpSync("scripts/run.js", join(clone, "scripts", "run.js"));
    writeFileSync(join(clone, "package.json"), '{"type":"module"}');
    writeFileSync(join(clone, "src", "main.ts"), "");
    const { status, stderr } = spawnSync(process.execPath, [join(clone, "scripts", "run.js")]);
    rmSync(clone, { recursive: true });
    return { status, stderr: String(stderr) };
  };
  it.each([
    [[], "the dependencies are not installed (run: npm ci)"],
    [["node_modules"], "this clone is not built (run: npm ci && npm prune --omit=dev)"],
  ])("says what is missing in one line: %j", (folders, message) =>
    expect(runIn(folders)).toEqual({ status: 1, stderr: `error: ${message}\n` }),
  );
});
