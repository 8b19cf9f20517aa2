interface ErrorDetails {
  /** Stable name of the kind of error, for programs: see `docs/glossary.md`. */
  code: string;
  /** One line on how to fix it. */
  hint?: string;
  cause?: unknown;
}

const MARK = Symbol.for("corrective-rag.error");

/**
 * Base of all errors meant for a caller. The message says in one line what went wrong and where;
 * `code` identifies the kind, because classes differ between two copies of a package.
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

  /** Recognizes the error even if another copy of the package threw it. */
  static isInstance(error: unknown): error is CorrectiveRagError {
    return error instanceof Error && MARK in error;
  }
}

/** A user's mistake, shown in one line without a stack trace. */
export class UserError extends CorrectiveRagError {
  override readonly name = "UserError";

  /**
   * @param hint how to fix it
   * @param exitCode 2 for wrong usage, 1 for a failed command
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
 * Returns the root cause of a failure in words: `fetch` hides it in a cause, and model clients hide
 * the error of `fetch` in another one.
 */
export function reasonOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  if (CorrectiveRagError.isInstance(error)) return error.message;
  if ("cause" in error && typeof error.cause === "object" && error.cause !== null) {
    return codeOf(error.cause) || reasonOf(error.cause);
  }
  return "message" in error ? String(error.message) : "unknown reason";
}

/** Returns the code of an error of Node's or of a driver's, such as ENOENT; empty without one. */
export function codeOf(error: unknown): string {
  const code: unknown = Reflect.get(Object(error), "code");
  return typeof code === "string" ? code : "";
}

/** Returns the hint of an error of any class. */
export function hintOf(error: unknown): string | undefined {
  const hint: unknown = Reflect.get(Object(error), "hint");
  return typeof hint === "string" ? hint : undefined;
}
