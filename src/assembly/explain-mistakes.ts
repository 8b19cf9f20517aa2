import { UserError } from "../support/errors.js";

/**
 * Builds what the API server loads. The server shows whatever is thrown while it loads with a stack trace; a malformed setting deserves one
 * line instead, so there it is said and the process ended. Everybody else gets the error.
 */
export function explainMistakes<T>(build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof UserError) || process.env["LANGGRAPH_API_URL"] === undefined)
      throw error;
    process.stderr.write(
      `error: ${error.message}${error.hint === undefined ? "" : ` (${error.hint})`}\n`,
    );
    process.exit(error.exitCode);
  }
}
