/** Returns the answer with `open` and `close` around the given sentences. */
export function withMarks(
  answer: string,
  sentences: readonly string[],
  open: string,
  close: string,
): string;
