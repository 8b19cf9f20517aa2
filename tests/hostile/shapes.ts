/**
 * Shapes of text that once took more than linear time, or may. Each is given about so many
 * characters. Grow the lists: whatever freezes anything anywhere belongs here.
 */
export type Shapes = Readonly<Record<string, (characters: number) => string>>;

const repeated =
  (unit: string, lead = "", end = "") =>
  (characters: number): string =>
    lead + unit.repeat(Math.ceil(characters / unit.length)) + end;

/** For titles, headings, questions, paragraphs: anything that is analyzed as text. */
export const WORDS: Shapes = {
  letters: repeated("a"),
  capitals: repeated("A"),
  "capitals with stops": repeated("A."),
  hyphens: repeated("-"),
  "hyphens between letters": repeated("a-"),
  flags: repeated("--a"),
  at: repeated("@"),
  "scoped packages": repeated("@a/"),
  commas: repeated(","),
  "commas between digits": repeated("1,"),
  stops: repeated("."),
  "stops between letters": repeated("a."),
  "stops between digits": repeated("1."),
  "stops and quotes": repeated('."'),
  slashes: repeated("/"),
  folders: repeated("a/"),
  "dotted folders": repeated("../"),
  underscores: repeated("_"),
  apostrophes: repeated("'"),
  "apostrophes between letters": repeated("a'"),
  "curly apostrophes": repeated("l’"),
  colons: repeated(":"),
  "semicolons and fields": repeated("a: b; "),
  pluses: repeated("c++"),
  spaces: repeated(" ", "a", "b"),
  "no-break spaces": repeated("\u00a0", "a", "b"),
  tabs: repeated("\t", "a", "b"),
  "line breaks": repeated("\n", "a", "b"),
  "line breaks and spaces": repeated("\n ", "a", "b"),
  quotes: repeated('"'),
  "open quotes": repeated("“a "),
  brackets: repeated("["),
  "open brackets": repeated("(a "),
  footnotes: repeated("a[1]"),
  Chinese: repeated("蜜蜂在冬天做什么"),
  "Chinese without stops": repeated("蜂"),
  kana: repeated("ひらがな"),
  katakana: repeated("カー"),
  Thai: repeated("ภาษาไทย"),
  Khmer: repeated("ភាសាខ្មែរ"),
  Korean: repeated("한국어"),
  Arabic: repeated("والكتاب"),
  emoji: repeated("👩‍👩‍👧‍👦"),
  "combining marks": repeated("\u0301", "a"),
  "camel case": repeated("aB"),
  "lone surrogates": repeated("\ud800"),
  digits: repeated("1"),
  "roman and dots": repeated("I. "),
  names: repeated("Anna "),
  "names with connectors": repeated("Anna of the "),
  "question marks": repeated("?"),
  "short sentences": repeated("Go. "),
  "sentence without end": repeated("and so it goes on "),
  ordinals: repeated("am 3. "),
  entities: repeated("&amp;"),
  tags: repeated("<a>"),
};

export const HTML: Shapes = {
  srcset: repeated("a.png 1x, ", `<img srcset="`, `">`),
  "srcset of spaces": repeated(" ", `<img srcset="`, `x">`),
  "meta of spaces": repeated(" ", `<meta name="description" content="`, `x"><p>x`),
  "title of spaces": repeated(" ", "<title>", "x</title><p>x"),
  "lazy images": repeated(`<img data-src="a.png" class="lazy">`),
  "lazy image": repeated("lazy ", `<img data-src="x.png" class="`, `">`),
  classes: repeated("comment,", `<div class="`, `">x</div>`),
  style: repeated("a:b;", `<div style="`, `">x</div>`),
  "open signs": repeated("<"),
  "tag starts": repeated("<a "),
  "closing tags": repeated("</a>"),
  "closing tags of others": repeated("<b></a>"),
  "comment starts": repeated("<!--"),
  "comment ends": repeated("-->"),
  "entity starts": repeated("&"),
  "numeric entities": repeated("&#"),
  entities: repeated("&amp"),
  "nested divs": repeated("<div>"),
  "nested inline": repeated("<b>"),
  "nested tables": repeated("<table><tr><td>"),
  "nested lists": repeated("<ul><li>"),
  "nested scripts": repeated("<script>"),
  "nested templates": repeated("<template>"),
  navs: repeated("<nav>"),
  banners: repeated("<div class=cookie>x"),
  "banners with text": repeated("<div class=cookie>we use cookies and more"),
  divs: repeated("<div>x</div>"),
  paragraphs: repeated("<p>a, b, c"),
  links: repeated("<a href=x>x</a>"),
  cells: repeated("<td>x"),
  "cells that reach down": repeated("<tr><td rowspan=9999>x", "<table>", "</table>"),
  "heads over many columns": repeated("<th colspan=9999 rowspan=9999>x", "<table><tr>", "</table>"),
  "rows of a wide table": repeated("<td>x</td>", "<table><tr>", "</tr></table>"),
  quotes: repeated(`<a title="`),
  "quotes in quotes": repeated(`<a b="'" c='"`),
  "equal signs": repeated("= "),
  breaks: repeated("<br>"),
  "line breaks": repeated("\n", "<pre>", "x</pre>"),
  headings: repeated("<h1>a</h1>"),
  "a heading": repeated("h", "<h1>", "</h1><p>x"),
  CDATA: repeated("<![CDATA["),
  declarations: repeated("<?a"),
  "spans in text": repeated("<span>a</span> "),
};

export const MARKDOWN: Shapes = {
  bullets: repeated("- a\n"),
  "bullets in a line": repeated("- "),
  numbers: repeated("1. a\n"),
  "nested bullets": (characters) => nested(characters, "- a"),
  "nested quotes": repeated(">"),
  quotes: repeated("> a\n"),
  headings: repeated("# a\n"),
  "one heading": repeated("a", "# "),
  "headings ever deeper": repeated("# a\n## b\n### c\n"),
  comments: repeated("<!-- a -->\n"),
  "open comments": repeated("<!-- a "),
  "open comments by line": repeated("<!-- a\n\n"),
  brackets: repeated("["),
  links: repeated("[a](b "),
  references: repeated("[a]: b\n"),
  "open references": repeated("[a][b"),
  images: repeated("!["),
  stars: repeated("*"),
  "stars and letters": repeated("*a "),
  underlines: repeated("_a*b"),
  backticks: repeated("`"),
  "backticks of many lengths": (characters) => {
    let text = "";
    for (let length = 1; text.length < characters; length += 1) text += `${"`".repeat(length)} `;
    return text;
  },
  fences: repeated("```\n"),
  tables: repeated("|a", "|a|\n|-|\n"),
  "table rows": repeated("|a|b|\n", "|a|b|\n|-|-|\n"),
  "table heads": repeated("|a|b|\n|-|-|\n"),
  "html blocks": repeated("<div>\n\n"),
  "inline html": repeated("a <b c "),
  autolinks: repeated("<http://a "),
  escapes: repeated("\\"),
  rules: repeated("---\n"),
  "open front matter": repeated("a: b\n", "---\n"),
  "front matter dashes": repeated("---a\n", "---\n"),
  entities: repeated("&#x"),
  tabs: repeated("\t- a\n"),
  "blank lines": repeated("\n", "a", "b"),
  spaces: repeated(" ", "a", "b"),
};

function nested(characters: number, item: string): string {
  let text = "";
  for (let depth = 0; text.length < characters; depth += 1)
    text += `${"  ".repeat(depth % 300)}${item}\n`;
  return text;
}

export const CSV: Shapes = {
  commas: repeated(","),
  quotes: repeated('"'),
  "quotes and commas": repeated('",'),
  "open quotes": repeated('a,"b\n'),
  spaces: repeated(" ", "a,b\n", "x"),
  "a long header": (characters) =>
    `${"a".repeat(characters / 2)},b\n${"1,2\n".repeat(characters / 8)}`,
  "many heads": (characters) =>
    `${"name,".repeat(characters / 10)}\n${"1,".repeat(characters / 4)}`,
  rows: repeated("1,2\n", "a,b\n"),
  breaks: repeated("\n", "a,b", "c"),
};

export const JSON_SHAPES: Shapes = {
  "a long key": (characters) => JSON.stringify({ ["k".repeat(characters)]: 1 }),
  "long keys, nested": (characters) => {
    let value: unknown = [1, 2, { a: 1 }];
    for (let depth = 0; depth < 40; depth += 1) value = { ["k".repeat(characters / 40)]: value };
    return JSON.stringify(value);
  },
  "long keys above many values": (characters) =>
    JSON.stringify({
      ["k".repeat(characters / 2)]: Array.from({ length: characters / 20 }, (_, n) => ({ n })),
    }),
  "nested lists": (characters) => "[".repeat(characters / 2) + "]".repeat(characters / 2),
  "nested objects": (characters) =>
    `${'{"a":'.repeat(characters / 6)}1${"}".repeat(characters / 6)}`,
  numbers: (characters) => `[${"1,".repeat(characters / 2)}1]`,
  "a long text": (characters) => JSON.stringify({ a: "x".repeat(characters) }),
  "quotes in a text that never ends, behind a long number": (characters) =>
    `{"id":1234567890123456789,"a":"${'\\"'.repeat(20 * characters)}`,
};
