#!/usr/bin/env node
/** Loads the command line. */
try {
  const { main } = await import("./program.js");
  const { divertLogs, exitWhenWritten, survivePipes } = await import("./terminal.js");
  survivePipes();
  divertLogs();
  exitWhenWritten(await main());
} catch (error) {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  // Node takes a package that it may not open for one that is missing.
  if (!["EMFILE", "ENFILE", "ERR_MODULE_NOT_FOUND"].includes(code)) throw error;
  process.stderr.write(
    "error: a file of the program cannot be opened: it is missing, or too few may be open\n" +
      "  install it again, or raise the limit: ulimit -n 1024\n",
  );
  process.exitCode = 1;
}
