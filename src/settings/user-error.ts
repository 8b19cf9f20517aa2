/** A mistake of the user's: one clear line that says what and where, and a hint how to mend it. Shown without a stack trace. */
export class UserError extends Error {
  override readonly name = "UserError";
  constructor(
    message: string,
    /** How to mend it. */
    readonly hint?: string,
    /** 2 for wrong usage, 1 for a failure while doing what was asked. */
    readonly exitCode: 1 | 2 = 2,
  ) {
    super(message);
  }
}
