/** Calls the function at the first use and shares its result; a failure is forgotten, so that the next use tries again. */
export function once<Result>(create: () => Promise<Result>): () => Promise<Result> {
  let pending: Promise<Result> | undefined;
  return () => {
    pending ??= create().catch((error: unknown) => {
      pending = undefined;
      throw error;
    });
    return pending;
  };
}
