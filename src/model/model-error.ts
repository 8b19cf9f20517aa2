/** What can go wrong with a model endpoint, told apart because each is mended differently. */
export type ModelFailureKind =
  | "auth"
  | "unknown_model"
  | "rate_limit"
  | "refused_format"
  | "too_long"
  | "server"
  | "timeout"
  | "network"
  | "nonsense"
  | "cut_stream"
  | "other";

/**
 * A model call that came to nothing. The message is made here and not taken from the endpoint, because endpoints echo parts of the key.
 * The model reasoner turns it into the embedded result; with `model_fallback: off` it ends the run.
 */
export class ModelError extends Error {
  override readonly name = "ModelError";
  constructor(
    readonly kind: ModelFailureKind,
    message: string,
    readonly details: {
      /** HTTP status, where there was one. */
      status?: number;
      /** Milliseconds after which the endpoint wants to be asked again. */
      retryAfterInMs?: number;
      /** What the model said, cut; for `nonsense` and `cut_stream`. */
      output?: string;
    } = {},
  ) {
    super(message);
  }
}
