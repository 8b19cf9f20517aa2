/** A request that cannot be served, with the status that says why. */
import path from "node:path";
import type { Context } from "hono";
import type { z } from "zod";
import { CorrectiveRagError, hintOf, reasonOf } from "../support/errors.js";
import { STORE_FULL } from "./store/sql.js";

type ProblemStatus = 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 501 | 503 | 507;

interface ProblemDetails {
  /** What the client can do about it. */
  readonly hint?: string | undefined;
  /** Seconds after which the client may ask again. */
  readonly retryAfter?: number;
  /** Of the OpenAI protocol. */
  readonly code?: string;
}

export class HttpProblem extends Error {
  override readonly name = "HttpProblem";

  constructor(
    readonly status: ProblemStatus,
    message: string,
    readonly details: ProblemDetails = {},
  ) {
    super(message);
  }
}

/** The same for what does not exist and what belongs to another client. */
export function notFound(what: string): HttpProblem {
  return new HttpProblem(404, `there is no such ${what}`);
}

/** @throws HttpProblem that names the first field that does not fit */
export function parsed<T>(schema: z.ZodType<T>, given: unknown, status: 400 | 422 = 422): T {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.join(".") ?? "";
  if (issue?.code === "unrecognized_keys") {
    const names = issue.keys.map((key) => JSON.stringify(key.slice(0, 60))).join(", ");
    throw new HttpProblem(status, `this server knows no ${names}${place && ` in ${place}`}`);
  }
  const problem = issue?.message.replace(/^Invalid input: /, "") ?? "is not valid";
  const isMissing = problem.endsWith("received undefined");
  throw new HttpProblem(status, `${place || "the body"}: ${isMissing ? "is missing" : problem}`);
}

/** By the code of an error; others are the server's, which may be well again later. */
const STATUSES = new Map<string, ProblemStatus>([
  ["wrong_usage", 400],
  ["failed", 400],
  ["package_missing", 501],
  [STORE_FULL, 507],
]);

/** Describes a failure for a client: never with a stack trace or a path of this machine. */
export function problemOf(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof Error && error.name === "EmptyInputError")
    return new HttpProblem(422, "nothing waits on this thread: send `input` with a question");
  // An error of LangGraph: an update that does not fit the state, a limit of steps.
  if (error instanceof Error && "lc_error_code" in error)
    return new HttpProblem(422, reasonOf(error));
  if (!CorrectiveRagError.isInstance(error)) return new HttpProblem(500, "the server failed");
  const status = STATUSES.get(error.code) ?? 503;
  const hint = hintOf(error);
  return new HttpProblem(status, withoutFolders(reasonOf(error)), {
    hint: hint && withoutFolders(hint),
  });
}

/** Shortens absolute paths to the names of their files. */
function withoutFolders(text: string): string {
  const shortened = text.split(" ").map((word) => {
    const { root, dir, base } = path.parse(word);
    return root === "" || dir === root ? word : base;
  });
  return shortened.join(" ");
}

/** Answers a request that failed; clients of the OpenAI protocol understand only its form. */
export function sendProblem(error: unknown, context: Context): Response {
  const problem = problemOf(error);
  const { status, message, details } = problem;
  if (details.retryAfter !== undefined) context.header("retry-after", `${details.retryAfter}`);
  if (context.req.path.startsWith("/v1/")) return context.json(openAiError(problem), status);
  return context.json({ error: message, hint: details.hint }, status);
}

/** Returns a problem in the form of the OpenAI protocol. */
export function openAiError({ status, message, details }: HttpProblem) {
  const ofClient = status === 429 ? "rate_limit_error" : "invalid_request_error";
  const type = status < 500 ? ofClient : "server_error";
  return { error: { message, type, param: null, code: details.code ?? null } };
}
