/** What stands between quotation marks of several styles; an apostrophe opens none. */
const QUOTED =
  /"([^"\n]{2,600})"|“([^”\n]{2,600})”|„([^“”"\n]{2,600})[“”"]|«\s*([^»\n]{2,600}?)\s*»|[「『]([^」』\n]{1,600})[」』]|`([^`\n]{2,600})`|(?<![\p{L}\p{N}])'([^'\n]{2,80})'(?![\p{L}\p{N}])/gu;

interface Quotation {
  /** Without its marks. */
  readonly text: string;
  /** With its marks. */
  readonly start: number;
  readonly end: number;
}

export function quotationsIn(text: string): Quotation[] {
  return [...text.matchAll(QUOTED)].map((match) => ({
    text: (match.slice(1).find((group) => group !== undefined) ?? "").trim(),
    start: match.index,
    end: match.index + match[0].length,
  }));
}
