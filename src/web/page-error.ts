/** Why a page could not be had. `refused`: the target is not allowed; `type`, `too_large`: it is no page for us; the others explain themselves. */
export type PageErrorKind =
  "refused" | "redirects" | "status" | "type" | "too_large" | "timeout" | "network";

/** A page that was not fetched; the message says why in one line. */
export class PageError extends Error {
  override readonly name = "PageError";
  constructor(
    readonly kind: PageErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
