/** What stands between white space. */
export const RUNS = /\S+/gu;

/** The runs of letters and figures in a text: enough to compare texts, whatever their punctuation. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** A text as the part of a regular expression that finds it. */
export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");
}

/** `1 passage`, `5 passages` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
