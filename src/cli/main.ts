#!/usr/bin/env node
/** Loads the command line. A process that may not open enough files says so in one line. */
try {
  await import("./program.js");
} catch (error) {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "EMFILE" && code !== "ENFILE") throw error;
  process.stderr.write(
    "error: this process may open too few files\n  raise the limit and try again: ulimit -n 1024\n",
  );
  process.exitCode = 1;
}
