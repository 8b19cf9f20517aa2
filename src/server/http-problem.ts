/** A request that cannot be served, with the status that says why. */
import { CorrectiveRagError, hintOf, reasonOf } from "../support/errors.js";
import { STORE_FULL } from "./store/sql.js";
import { TOO_MANY } from "./turns.js";

type ProblemStatus = 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503 | 507;

export class HttpProblem extends Error {
  override readonly name = "HttpProblem";
  /** Seconds after which the client may ask again. */
  readonly retryAfter: number | undefined;

  constructor(
    readonly status: ProblemStatus,
    message: string,
    { retryAfter }: { retryAfter?: number } = {},
  ) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** The same for what does not exist and what belongs to another client. */
export function notFound(what: string): HttpProblem {
  return new HttpProblem(404, `there is no such ${what}`);
}

/** How a failure is told to a client: never with a stack trace or a path of this machine. */
export function problemOf(error: unknown): { problem: HttpProblem; isOurs: boolean } {
  const told = (status: ProblemStatus, options?: { retryAfter: number }) => ({
    problem: new HttpProblem(status, saidBy(error), options),
    isOurs: status >= 500,
  });
  if (error instanceof HttpProblem) return { problem: error, isOurs: error.status >= 500 };
  if (!CorrectiveRagError.isInstance(error)) {
    // LangGraph's word for a state update that does not fit.
    if (error instanceof Error && error.name === "InvalidUpdateError") return told(422);
    return { problem: new HttpProblem(500, "the server failed"), isOurs: true };
  }
  if (error.code === TOO_MANY) return told(429, { retryAfter: 2 });
  if (error.code === STORE_FULL) return told(507);
  return told(error.code === "wrong_usage" ? 400 : 503);
}

function saidBy(error: unknown): string {
  const hint = hintOf(error);
  return reasonOf(error) + (hint === undefined ? "" : ` (${hint})`);
}
