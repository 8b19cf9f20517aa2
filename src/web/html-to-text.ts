/**
 * Text from HTML without a parser: for snippets, and for pages that are nested too deeply for one. One pass from left to right, linear in the
 * length of the text. Block elements become line breaks, cells are parted by " | ", scripts and the like vanish.
 */
export function htmlToText(html: string): string {
  let text = "";
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf("<", position);
    if (open === -1) {
      text += html.slice(position);
      break;
    }
    text += html.slice(position, open);
    const tag = readTag(html, open);
    if (tag === undefined) {
      text += "<";
      position = open + 1;
      continue;
    }
    position = tag.end;
    if (tag.opening && INVISIBLE.has(tag.name)) position = endOfElement(html, tag.name, tag.end);
    else if (CELLS.has(tag.name)) text += tag.opening ? "" : " | ";
    else if (BLOCKS.has(tag.name)) text += "\n";
  }
  return tidy(decodeEntities(text));
}

const INVISIBLE = new Set(["script", "style", "noscript", "template", "svg", "title", "iframe"]);
const CELLS = new Set(["td", "th"]);
const BLOCKS = new Set(
  (
    "address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main " +
    "nav ol p pre section summary table tbody tfoot thead tr ul"
  ).split(" "),
);

function readTag(
  html: string,
  open: number,
): { name: string; opening: boolean; end: number } | undefined {
  if (html.startsWith("<!--", open)) {
    const close = html.indexOf("-->", open + 4);
    return { name: "!--", opening: true, end: close === -1 ? html.length : close + 3 };
  }
  // Sticky, so that a lone "<" costs no search; a name is at most 40 characters.
  TAG_START.lastIndex = open;
  const start = TAG_START.exec(html);
  if (start === null) return undefined;
  const close = html.indexOf(">", TAG_START.lastIndex);
  const name = (start[2] ?? "").toLowerCase();
  return { name, opening: start[1] === "", end: close === -1 ? html.length : close + 1 };
}

const TAG_START = /<(\/?)([a-z!?][a-z0-9:-]{0,40})/iy;

function endOfElement(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}\\s*>`, "gi");
  closing.lastIndex = from;
  return closing.exec(html) === null ? html.length : closing.lastIndex;
}

/** Decodes numeric entities and those names that snippets really use; others stay as they are. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi,
    (whole: string, body: string) => {
      if (body.startsWith("#")) {
        const code = /^#x/i.test(body)
          ? Number.parseInt(body.slice(2), 16)
          : Number.parseInt(body.slice(1), 10);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
      }
      return NAMED[body] ?? whole;
    },
  );
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", ndash: "–", mdash: "—", hellip: "…", lsquo: "‘", rsquo: "’", ldquo: "“",
  rdquo: "”", laquo: "«", raquo: "»", bull: "•", middot: "·", deg: "°", copy: "©", reg: "®", trade: "™", euro: "€", pound: "£", times: "×",
  eacute: "é", egrave: "è", agrave: "à", ouml: "ö", auml: "ä", uuml: "ü", Ouml: "Ö", Auml: "Ä", Uuml: "Ü", szlig: "ß", ccedil: "ç", ntilde: "ñ",
}; // prettier-ignore

/** Collapses white space, keeps paragraphs apart by one empty line at most, and drops control characters. */
export function tidy(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f\u00ad\u200b\u2060\ufeff]/g, (character) =>
      character === "\r" || character === "\f" ? "\n" : "",
    )
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .split("\n")
    .map(withoutEmptyCells)
    .join("\n")
    .trim();
}

/** Cuts the separators that empty cells leave at the end of a line; by hand, since a pattern for it would take quadratic time on hostile pages. */
function withoutEmptyCells(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "|")) end -= 1;
  return line.slice(0, end);
}
