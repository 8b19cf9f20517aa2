/** What a chat client makes of an answer: nothing that leads where no source leads. */
import { expect, it } from "@jest/globals";
import MarkdownParser from "markdown-it";
import { applyEdits, foreignLinks } from "../../src/answering/links.js";
import { createNumbering, createNumberedStream } from "../../src/answering/numbering.js";

const SOURCES = ["See https://good.example/a?b=1 and [the docs](guide/start.md)."];
const finished = (text: string): string => applyEdits(text, foreignLinks(text, SOURCES));

/** With HTML and bare addresses. */
const client = new MarkdownParser({ html: true, linkify: true });
const LIVE =
  /<[a-z][^>]*\s(?:href|src|action|content|style|on\w+)\s*=[^>]*>|<(?:script|style|svg|img)\b/giu;
const live = (text: string): string[] => client.render(text).match(LIVE) ?? [];

const HOSTILE: Record<string, string> = {
  plainimg: "See ![x](https://evil.example/a).",
  btick: "The `code is ![x](https://evil.example/1) here.",
  dollar: "It costs $x and ![x](https://evil.example/2) more.",
  paren: "Formula \\( open ![x](https://evil.example/3).",
  ddollar: "$$\n![x](https://evil.example/4)",
  fence: "```\ncode\n```\n![x](https://evil.example/5)",
  fence3: "a\n\n    ```\n![x](https://evil.example/6)",
  fencetilde: "~~~\n```\n~~~\n![x](https://evil.example/7)",
  fenceinfo: "``` a`b\n![x](https://evil.example/8)\n```",
  fencelonger: "````\n```\n````\n![x](https://evil.example/9)",
  fenceinner: "```\na\n```x\n```\n![x](https://evil.example/10)",
  onelineSlash: "[x](https:evil.example/11)",
  schemeless: "[x](//evil.example/12)",
  backslash: "[x](https\\://evil.example/13)",
  entities: "[x](https&colon;&sol;&sol;evil.example/14)",
  nument: "![x](https&#58;//evil.example/15)",
  def: "[e]: https://evil.example/16\n\nSee [e] and ![e].",
  defcite: "It is so [1].\n\n[1]: https://evil.example/17",
  labelbrackets: "[a [b] c](https://evil.example/18)",
  labeltwo: "[a\nb](https://evil.example/19)",
  imglabel: "![a\nb](https://evil.example/20)",
  nested: "[![x](https://evil.example/21)](https://evil.example/22)",
  angle: "[x](<https://evil.example/23 a>)",
  title: "[x](https://evil.example/24 'it)s')",
  titleml: '[x](https://evil.example/25\n"t")',
  newline: "[x](\nhttps://evil.example/26)",
  autolink: "<https://evil.example/27>",
  autolinkmail: "<me@evil.example>",
  autolinkscheme: "<evil:foo@evil.example>",
  fuzzy: "Go to evil.com/28 now.",
  fuzzydash: "Go to evil-site.co.uk now.",
  www: "www.evil.example/29",
  html: "<a href=https://evil.example/30>x</a>",
  htmlimg: "<img src=//evil.example/31>",
  htmlimgslash: "<img/src=//evil.example/32>",
  htmlnl: "<img\nsrc=//evil.example/33>",
  htmlsvg: "<svg/onload=fetch('//evil.example/34')>",
  htmlnoattr: "<script>fetch('//evil.example/35')</script>",
  style: "<style>@import'//evil.example/36'</style>",
  htmlcase: "<IMG SRC=//evil.example/37>",
  htmlupper: "<ImG\tSRC='//evil.example/38'>",
  iframe: "<iframe src=javascript:alert(1)></iframe>",
  comment: "<!-- a --><img src=//evil.example/39>",
  pi: "<?x?><img src=//evil.example/40>",
  js: "[x](javascript:alert(1))",
  data: "![x](data:image/svg+xml,<svg/>)",
  tel: "[x](tel:+123)",
  relative: "[x](/app/../evil)",
  parens: "[x](https://evil.example/(a)(b)41)",
  escbr: "[x\\]](https://evil.example/42)",
  escbr2: "\\[x](https://evil.example/43)",
  bs: "\\![x](https://evil.example/44)",
  codeesc: "\\`![x](https://evil.example/45)\\`",
  codeunb: "``a` ![x](https://evil.example/46) b",
  code3: "a ``` b ![x](https://evil.example/47)",
  codeblank: "a `b\n\n![x](https://evil.example/48) c`",
  codelist: "- `a\n- ![x](https://evil.example/49)`",
  codehead: "# `a\n![x](https://evil.example/50) `",
  table: "| a `| b |\n|--|--|\n| ![x](https://evil.example/51)` | c |",
  quote: "> ```\n![x](https://evil.example/52)",
  listfence: "- ```\n![x](https://evil.example/53)",
  mathdollar2: "$x$ ![x](https://evil.example/54) $y$",
  mathbr: "\\[\n![x](https://evil.example/55)\n\\]",
  mathbr2: "Text \\( a \\) and \\( ![x](https://evil.example/56) \\)",
  inddollar: "  $$ a\n![x](https://evil.example/57)\n$$",
  refsplit: "![e][f]\n\n[f]:\nhttps://evil.example/58",
  refcase: "![E]\n\n[e]: <https://evil.example/59>",
  refindent: "   [e]: https://evil.example/60\n\n[e]",
  refquote: "> [e]: https://evil.example/61\n\n![e]",
  reflong: `![e]\n\n[e]: ${"a".repeat(10)}://evil.example/62`,
  longlabel: `[${"a".repeat(400)}](https://evil.example/63)`,
  longurl: `![x](https://evil.example/${"a".repeat(1600)})`,
  idn: "Go to еvil.рф/64",
  ip: "Go to http://1.2.3.4/65 or 1.2.3.4",
  dotless: "http://localhost:9/66",
  fullwidth: "https：//evil.example/67",
  zw: "ht\u200btps://evil.example/68",
  tabscheme: "[x](ht\ttps://evil.example/69)",
  mailto: "[x](mailto:me@evil.example)",
  mailbare: "write me@evil.example",
  ftp: "[x](ftp://evil.example/70)",
  sms: "[x](sms:123)",
  emph: "**https://evil.example/71**",
  under: "_https://evil.example/72_",
  cjk: "看https://evil.example/73。",
  inparen: "(https://evil.example/74)",
  inquote: '"https://evil.example/75"',
  pipe: "|https://evil.example/76|",
  setext: "[x]: https://evil.example/77\n===\n\n[x]",
  defaftercite: "a [1]\n[1]: https://evil.example/78",
  defnl: "x\n\n[e]:https://evil.example/79\n\n![e]",
  entbr: "&#91;x](https://evil.example/80)",
  imgent: "![x](&#104;ttps://evil.example/81)",
  codeend: "`a`![x](https://evil.example/82)`",
  nulls: "![x](https://evil.example/83\0)",
  cr: "`a\r![x](https://evil.example/84)`",
  formfeed: "```\f\n![x](https://evil.example/85)",
  fourindent: "text\n    ```\n    ![x](https://evil.example/86)",
  htmlblock: "<div>\n![x](https://evil.example/87)\n\n![x](https://evil.example/88)",
  details: "<details><summary>a</summary>\n\n![x](https://evil.example/89)</details>",
  bg: "<p style='background:url(//evil.example/90)'>x</p>",
  form: "<form action=//evil.example><button>go",
  base: "<base href=//evil.example>",
  link: "<link rel=stylesheet href=//evil.example/91>",
  meta: "<meta http-equiv=refresh content='0;url=//evil.example'>",
  unclosedtag: "<img src=//evil.example/92",
  tildeinfo: "~~~ a ~~~\n![x](https://evil.example/93)\n~~~",
  dollarclose: "$a $ ![x](https://evil.example/94)$",
  citelabel: "![1](https://evil.example/95)",
  citelink: "[1](https://evil.example/96)",
  cite2: "[[1]](https://evil.example/97)",
};

it.each(Object.entries(HOSTILE))("makes nothing live, finished or streamed: %s", (_, text) => {
  expect(live(finished(text))).toEqual([]);
  for (const size of [1, 7, text.length]) {
    const stream = createNumberedStream(createNumbering([1]), SOURCES);
    let shown = "";
    for (let at = 0; at < text.length; at += size) {
      shown += stream.push(text.slice(at, at + size));
      expect(live(shown)).toEqual([]);
    }
    expect(live(shown + stream.end())).toEqual([]);
  }
});

it("makes nothing live together with what was streamed before", () => {
  const stream = createNumberedStream(createNumbering([1]), SOURCES);
  const pieces = ["a `b | ![x](https://evil.example/1)` c\n", "|--|--|\n", "| d | e |\n\nThe end."];
  let shown = "";
  for (const piece of pieces) {
    shown += stream.push(piece);
    expect(live(shown)).toEqual([]);
  }
  expect(shown + stream.end()).toContain("The end.");
});

it.each([
  "See https://good.example/a?b=1 and [the docs](guide/start.md). [1]",
  "Call `handlers[name](event)` or `curl https://evil.example`. [1]",
  "```ts\nhandlers[name](event); // https://evil.example\n<img src=x>\n```",
  "    handlers[name](event)",
  "It is [optional] or [1, 2], e.g. for Node.js 20.19 and a < b.",
  "Read README.md, CONTRIBUTING.md and config.json first. [1]",
  "- one [1]\n- two [2]\n\n| a | b |\n|---|---|\n| `x` | [1] |",
])("leaves alone what leads nowhere, or where a source leads: %j", (text) => {
  expect(finished(text)).toBe(text);
});

it.each(["https://good.exam", "https://good.example/a?b=12"])(
  "takes no part of a source's address for one that leads there: %s",
  (address) => expect(finished(`Go to ${address} now.`)).toBe(`Go to \`${address}\` now.`),
);

it("keeps formulas whole, and the labels of links", () => {
  expect(finished("So $f[x](tau) = 1$ holds.")).toBe("So $f[x]{}(tau) = 1$ holds.");
  expect(finished("See [the page](https://evil.example).")).toBe("See the page.");
  expect(finished("Go to evil.com/x.")).toBe("Go to `evil.com/x`.");
  expect(finished("Go to a.evil.md.")).toBe("Go to `a.evil.md`.");
  expect(finished("Go to evil.md/x.")).toBe("Go to `evil.md/x`.");
});

it("shows as code what no simpler edit makes safe", () => {
  expect(finished("One.\n\n[a [b] c](https://evil.example)\n\nTwo.")).toBe(
    "One.\n\n```\n[a [b] c](`https://evil.example`)\n```\n\nTwo.",
  );
});
