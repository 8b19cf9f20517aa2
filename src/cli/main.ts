#!/usr/bin/env node
/** The command line: `corrective-rag ask | chat | ingest | dev | audit | calibrate`. */
import { readFileSync } from "node:fs";
import { UserError } from "../support/errors.js";
import { createProgram } from "./program.js";
import { DONE, errorJson, FAILED, isHelp, reportError } from "./report-error.js";
import { exitWhenWritten, printJson, survivePipes } from "./terminal.js";

async function main(): Promise<number> {
  const wanted = process.argv[2];
  let exitCode: number | undefined;
  let help = "see: corrective-rag --help";
  try {
    requireWorkingDirectory();
    const program = await createProgram({
      version: packageVersion(),
      wanted,
      finished: (code) => {
        exitCode = code;
      },
    });
    if (program.commands.some((command) => command.name() === wanted))
      help = `see: corrective-rag ${wanted} --help`;
    await program.parseAsync();
    return exitCode ?? DONE;
  } catch (error) {
    // Whoever asked for JSON gets JSON, also when things go wrong.
    if (process.argv.includes("--json") && !isHelp(error)) printJson({ error: errorJson(error) });
    return reportError(error, { help });
  }
}

/** A shell may stand in a folder that has been removed. */
function requireWorkingDirectory(): void {
  try {
    process.cwd();
  } catch {
    throw new UserError(
      "the working directory does not exist any more",
      "change to a folder that does",
      FAILED,
    );
  }
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  const version: unknown =
    manifest !== null && typeof manifest === "object"
      ? Reflect.get(manifest, "version")
      : undefined;
  return typeof version === "string" ? version : "unknown";
}

survivePipes();
exitWhenWritten(await main());
