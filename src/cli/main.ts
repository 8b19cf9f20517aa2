#!/usr/bin/env node
/** The command line: `corrective-rag ask | chat | ingest | dev | audit | calibrate`. */
import { readFileSync } from "node:fs";
import { createProgram } from "./program.js";
import { DONE, errorJson, isHelp, reportError } from "./report-error.js";
import { exitWhenWritten, printJson, survivePipes } from "./terminal.js";

async function main(): Promise<number> {
  let exitCode: number | undefined;
  const program = createProgram({
    version: packageVersion(),
    finished: (code) => {
      exitCode = code;
    },
  });
  const command = process.argv[2];
  const isCommand = program.commands.some((known) => known.name() === command);
  try {
    await program.parseAsync();
    return exitCode ?? (typeof process.exitCode === "number" ? process.exitCode : DONE);
  } catch (error) {
    // Whoever asked for JSON gets JSON, also when things go wrong.
    if (process.argv.includes("--json") && !isHelp(error)) printJson({ error: errorJson(error) });
    return reportError(error, { help: `see: corrective-rag ${isCommand ? `${command} ` : ""}--help` });
  }
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const version: unknown = manifest !== null && typeof manifest === "object" ? Reflect.get(manifest, "version") : undefined;
  return typeof version === "string" ? version : "unknown";
}

survivePipes();
exitWhenWritten(await main());
