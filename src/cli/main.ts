#!/usr/bin/env node
/** Loads the command line. A process that may not open enough files says so in one line. */
import { closeSync, openSync } from "node:fs";

/** More than are open at once while the modules are loaded. */
const NEEDED = 128;

try {
  const { main } = await import("./program.js");
  const { divertLogs, exitWhenWritten, survivePipes } = await import("./terminal.js");
  survivePipes();
  divertLogs();
  exitWhenWritten(await main());
} catch (error) {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  // Node takes a package that it cannot open for one that is missing.
  const isLimit = code === "ERR_MODULE_NOT_FOUND" ? !canOpen(NEEDED) : code === "EMFILE";
  if (!isLimit && code !== "ENFILE") throw error;
  process.stderr.write(
    "error: this process may open too few files\n  raise the limit and try again: ulimit -n 1024\n",
  );
  process.exitCode = 1;
}

function canOpen(count: number): boolean {
  const open: number[] = [];
  try {
    while (open.length < count) open.push(openSync(process.execPath, "r"));
    return true;
  } catch {
    return false;
  } finally {
    for (const each of open) closeSync(each);
  }
}
