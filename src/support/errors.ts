export interface ErrorDetails {
  /** Stable name of what went wrong, for programs: `wrong_usage`, `knowledge_base`, `http`, … */
  code: string;
  /** Tells in one line how to mend it. */
  hint?: string;
  cause?: unknown;
}

const MARK = Symbol.for("corrective-rag.error");

/**
 * Base of every error that reaches a caller on purpose. The message is one line that says what and
 * where; `code` tells kinds apart without comparing classes, which fails across two copies of a
 * package.
 */
export class CorrectiveRagError extends Error {
  override readonly name: string = "CorrectiveRagError";
  readonly [MARK] = true;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(message: string, { code, hint, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
  }

  /** Recognizes the error also where a second copy of the package threw it. */
  static isInstance(error: unknown): error is CorrectiveRagError {
    return error instanceof Error && MARK in error;
  }
}

/** A mistake of the user's: shown as one clear line, without a stack trace. */
export class UserError extends CorrectiveRagError {
  override readonly name = "UserError";

  /**
   * @param hint how to mend it
   * @param exitCode 2 for wrong usage, 1 for a failure while doing what was asked
   */
  constructor(
    message: string,
    hint?: string,
    readonly exitCode: 1 | 2 = 2,
    code = exitCode === 2 ? "wrong_usage" : "failed",
  ) {
    super(message, { code, hint });
  }
}

/**
 * Returns the most telling words of a failure: `fetch` hides the reason in a cause, and clients of
 * models hide that of `fetch` in another one.
 */
export function reasonOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  if (CorrectiveRagError.isInstance(error)) return error.message;
  if ("cause" in error && typeof error.cause === "object" && error.cause !== null) {
    const { cause } = error;
    return "code" in cause && typeof cause.code === "string" ? cause.code : reasonOf(cause);
  }
  return "message" in error ? String(error.message) : "unknown reason";
}

/** Returns the hint that an error carries, whichever copy of which class it is. */
export function hintOf(error: unknown): string | undefined {
  const hint: unknown =
    typeof error === "object" && error !== null ? Reflect.get(error, "hint") : undefined;
  return typeof hint === "string" ? hint : undefined;
}
