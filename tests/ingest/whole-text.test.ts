import { describe, expect, it } from "@jest/globals";
import { loadFile } from "../../src/formats/document-formats.js";

const load = (name: string, content: string) => loadFile(`/folder/${name}`, Buffer.from(content));
const texts = async (name: string, content: string) =>
  (await load(name, content)).blocks.map(({ text }) => text);
const linkList = (...names: string[]) =>
  `<ul>${names.map((name) => `<li><a href="${name}.html">${name}</a></li>`).join("")}</ul>`;
const prose = `<p>${"The server answers requests. ".repeat(9)}</p>`;

describe("lists of links on a web page are text", () => {
  it("below a line that announces them", async () => {
    const list = linkList("Installer for Windows", "Disk image", "Source archive");
    expect(await texts("a.html", `<div>${prose}<p>Downloads:</p>${list}</div>`)).toEqual([
      expect.stringMatching(/^The server/u),
      "Downloads:",
      "- Installer for Windows",
      "- Disk image",
      "- Source archive",
    ]);
  });

  it("under the heads of a table, item by item", async () => {
    const cells = [
      linkList("mod_alias", "mod_cgi", "mod_cgid"),
      linkList("AddHandler", "Options", "ScriptAlias"),
    ];
    const table = `<table><tr><th>Related Modules</th><th>Related Directives</th></tr>
      <tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr></table>`;
    expect((await texts("a.html", `<div>${table}${prose}</div>`))[0]).toBe(
      "Related Modules: mod_alias, mod_cgi, mod_cgid; Related Directives: AddHandler, Options, ScriptAlias",
    );
  });

  it("in an item that says what they are", async () => {
    const list = linkList("mod_auth_basic", "mod_auth_digest", "mod_auth_form");
    const page = `<div>${prose}<ul><li>Type of authentication ${list}</li></ul></div>`;
    expect((await texts("a.html", page)).slice(1)).toEqual([
      "- Type of authentication",
      "- mod_auth_basic",
      "- mod_auth_digest",
      "- mod_auth_form",
    ]);
  });

  it("under a heading of the main part, but not in a column beside the text", async () => {
    const list = `<div><h2>Guides</h2>${linkList("Install", "Configure", "Upgrade")}</div>`;
    expect(await texts("a.html", `<main>${prose}${list}</main>`)).toHaveLength(4);
    expect(await texts("b.html", `<div>${prose}</div>${list}`)).toHaveLength(1);
  });
});

describe("what is no text of a web page is left out", () => {
  it("a table of contents of the page itself, also below a sentence", async () => {
    const contents = linkList("a", "b", "c").replaceAll(/"(\w)\.html"/gu, '"#$1"');
    expect(await texts("a.html", `<div>${prose}<p>Topics:</p>${contents}</div>`)).toHaveLength(2);
  });

  it("a bar of languages", async () => {
    const bar = `<div><p><span>Available Languages: </span><a href="../en/a.html">en</a> |
      <a href="../fr/a.html" hreflang="fr" rel="alternate">fr</a></p></div>`;
    expect(await texts("a.html", `${bar}${prose}${bar}`)).toHaveLength(1);
  });

  it("the name of the site and the way to the page, above its first heading", async () => {
    const page = `<body><div><p>Example Server Version 2.4</p></div><div><a href="/">Example</a> &gt;
      <a href="/docs">Documentation</a> &gt; <a href="/docs/2.4">Version 2.4</a></div>
      <div><p>This page is outdated.</p><h1>Logs</h1>${prose}</div></body>`;
    expect(await texts("a.html", page)).toEqual([
      "This page is outdated.",
      expect.stringMatching(/^The server/u),
    ]);
  });
});

const manual = `LOGIND.CONF(5)             logind.conf             LOGIND.CONF(5)

NAME
       logind.conf - Login manager configuration files

OPTIONS
       All options are configured in the [Login] section of the file, which
       is read once when the service starts.

   Sessions
       UserStopDelaySec=
           Specifies how long to keep the user record and per-user service
           around for a user after they logged out fully. ${"It is kept for a while. ".repeat(12)}

           Defaults to 10s.

       -q, --quiet
           Print nothing.

       -v      Print more, and say what is done
               while it is done.

AUTHORS
       Two people.

systemd 252                                                LOGIND.CONF(5)
`;

describe("manual pages", () => {
  it("have their name as title, headings, and options with what describes them", async () => {
    const { title, blocks } = await load("logind.conf.5.txt", manual);
    expect(title).toBe("logind.conf(5)");
    const option = ["OPTIONS", "Sessions", "UserStopDelaySec="];
    expect(blocks.map(({ text, headings, startLine }) => [headings, startLine, text])).toEqual([
      [["NAME"], 4, "logind.conf - Login manager configuration files"],
      [["OPTIONS"], 7, expect.stringMatching(/^All options .* which\nis read once/u)],
      [option, 12, expect.stringMatching(/^UserStopDelaySec= Specifies how long/u)],
      [option, 15, "Defaults to 10s."],
      [["OPTIONS", "Sessions"], 18, "-q, --quiet: Print nothing."],
      [["OPTIONS", "Sessions"], 20, "-v: Print more, and say what is done\nwhile it is done."],
      [["AUTHORS"], 24, "Two people."],
    ]);
  });

  it("keep a sentence above an example, and options that share a description or follow it", async () => {
    const page = [
      "A(1)                  User Commands                  A(1)",
      "OPTIONS",
      "       These are the options that a finds on its command line, and of the",
      "       environment.",
      "",
      "       -path pattern",
      "              The file name matches a pattern in the way of a shell, and",
      "              the signs of a path are not special; so, for example,",
      "                     find . -path x",
      "              will print an entry for a file.",
      "       --sign",
      "       -s     Sign a message. This may be combined with others (to sign",
      "              and encrypt).",
      "       -v     Print lines as they are read.",
      "       -x     Print commands before they are run, with what they are",
      "              given.",
    ].join("\n");
    const blocks = (await load("a.1.txt", page)).blocks.filter(({ text }) => text !== "");
    expect(blocks.slice(1).map(({ text }) => text.replaceAll("\n", " "))).toEqual([
      "-path pattern: The file name matches a pattern in the way of a shell, and the signs of a path are not special; so, for example,",
      "find . -path x",
      "will print an entry for a file.",
      "--sign, -s: Sign a message. This may be combined with others (to sign and encrypt).",
      "-v Print lines as they are read.",
      "-x: Print commands before they are run, with what they are given.",
    ]);
  });

  it("are recognized by their headings alone, tabs and cut words included", async () => {
    const text = `INTRODUCTION\n\tThe server an\u2010\n\tswers requests.\n\nLIMITS\n\tTen a second.\n\tNot more.\n`;
    const { blocks } = await load("a.txt", text);
    expect(blocks.map((each) => [...each.headings, each.text])).toEqual([
      ["INTRODUCTION", "The server answers requests."],
      ["LIMITS", "Ten a second.\nNot more."],
    ]);
  });

  it.each([
    ["Python", "import os\n\ndef main():\n    run()\n    stop()\n\ndef other():\n    run()\n"],
    ["YAML", "server:\n  port: 80\n  host: a\nclient:\n  port: 81\n  host: b\n"],
    ["a letter", "Dear Ann\n\nI write to you.\n\n    Yours\n    Bob\n"],
  ])("are not mistaken for %s", async (_name, text) => {
    const { blocks } = await load("a.txt", text);
    expect(blocks.every(({ headings }) => headings.length === 0)).toBe(true);
    expect(blocks.map((block) => block.text).join("\n\n")).toBe(text.trim());
  });
});

describe("rows of definitions", () => {
  it("have one colon behind their head", async () => {
    const rows = [
      ["Syntax:", "LogLevel level"],
      ["Default:", "LogLevel warn"],
    ].map(([head, value]) => `<tr><th>${head}</th><td>${value}</td></tr>`);
    expect(await texts("a.html", `<table>${rows.join("")}</table>`)).toEqual([
      "Syntax: LogLevel level",
      "Default: LogLevel warn",
    ]);
  });
});

describe("tables in parts", () => {
  const title = (text: string): string => `<tr><td colspan="3">${text}</td></tr>`;
  const row = (...cells: string[]): string =>
    `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;

  it("have the titles of their parts above them, and no column is named after one", async () => {
    const rows = [
      title("Arguments"),
      row("", "PATH", "what to read"),
      title("Options"),
      row("", "-v", "say more"),
      row("", "-f", "go on"),
    ];
    expect(await texts("a.html", `<table>${rows.join("")}</table>`)).toEqual([
      "Arguments",
      "PATH: what to read",
      "Options",
      "-v: say more",
      "-f: go on",
    ]);
  });

  it("keep the heads of their columns below the title of the whole", async () => {
    const rows = [title("Prices"), row("Article", "Name", "Price"), row("G1", "Rake", "18")];
    expect(await texts("a.html", `<table>${rows.join("")}</table>`)).toEqual([
      "Prices",
      "Article: G1; Name: Rake; Price: 18",
    ]);
    const parts = [row("Article", "Name", "Price"), title("Tools"), row("G1", "Rake", "18")];
    expect(await texts("a.html", `<table>${parts.join("")}</table>`)).toEqual([
      "Tools",
      "Article: G1; Name: Rake; Price: 18",
    ]);
  });
});

describe("what repeats the title of a document", () => {
  it("is no heading and no text of its own", async () => {
    const page =
      '<title>Prune — Manual 1.2</title><p>Manual 1.2</p><h1>Prune<a href="#p">¶</a></h1>';
    const html = await load("a.html", `${page}<h2>Use</h2><p>It removes backups.</p>`);
    expect(html.blocks.map(({ headings, text }) => [...headings, text])).toEqual([
      ["Use", "It removes backups."],
    ]);
    expect(await texts("a.md", "---\ntitle: Minutes\n---\nMinutes\n\nAll are here.")).toEqual([
      "All are here.",
    ]);
  });

  it("is not the number of a version that begins a list of changes", async () => {
    const { title } = await load(
      "CHANGELOG.md",
      "# 1.2.0 (2026)\n\n- Faster.\n\n# 1.1.0\n\n- New.",
    );
    expect(title).toBe("CHANGELOG");
  });
});

describe("Markdown with links within itself and tags", () => {
  it("loses its table of contents, and tables lose their tags outside of code", async () => {
    const contents = "- [One](#one)\n  - [Two](#two)\n- [Three](#three)";
    const table = "| Code | Says |\n|---|---|\n| <a id='e1'>E1</a> | no `<br>`<sup>2</sup> |";
    expect(
      await texts("a.md", `# A\n${contents}\n\nSee:\n\n- [One](#one) first\n\n${table}`),
    ).toEqual([
      "See:",
      "- One first",
      "| Code | Says |\n|---|---|\n| E1 | no `<br>`<sup>2</sup> |",
    ]);
  });
});

describe("Markdown for Sphinx", () => {
  it("loses labels, comments and tables of contents, which name files", async () => {
    const text = `(two-tokens)=\n% keep in step\n# Tokens\n\`\`\`{toctree}\n:maxdepth: 1\n../rest-api\n\`\`\`\nTwo exist.\n:::{toctree}\nother\n:::`;
    const { title, blocks } = await load("a.md", text);
    expect([title, ...blocks.map((each) => [each.text, each.startLine])]).toEqual([
      "Tokens",
      ["Two exist.", 8],
    ]);
  });

  it.each([
    ["colons", ":::"],
    ["backticks", "```"],
  ])("reads notes between %s as text, with their titles, on their lines", async (_name, mark) => {
    const text = `# A\n${mark}{note}\n:class: tip\nBack up *first*.\n${mark}\n\n${mark}{versionadded} 1.4\nIt logs.\n${mark}\n\n${mark}{admonition} Before you go\nSave.\n${mark}`;
    const { blocks } = await load("a.md", text);
    expect(blocks.map(({ text: own, startLine }) => [own, startLine])).toEqual([
      ["Back up first.", 4],
      ["versionadded 1.4\nIt logs.", 7],
      ["Before you go\nSave.", 11],
    ]);
  });

  it("keeps code as it is, also with signs of directives in it", async () => {
    const code = "```{code-block} python\n:linenos:\n(a)=\n:::{note}\n```";
    expect(await texts("a.md", `${code}\n\n~~~\n(b)=\n~~~\n\nEnd.`)).toEqual([
      code,
      "~~~\n(b)=\n~~~",
      "End.",
    ]);
  });

  it("names the target of a link without text, and what a role refers to", async () => {
    const text =
      "Pick a database with [](#JupyterHub.db_url) and [](../howto/log-messages.md). See {ref}`the guide <guide>` or {meth}`~.Spawner.start`.";
    expect(await texts("a.md", text)).toEqual([
      "Pick a database with JupyterHub.db_url and log-messages. See the guide or `Spawner.start`.",
    ]);
  });
});

describe("Markdown of other generators", () => {
  it("reads notes without braces as text", async () => {
    expect(await texts("a.md", ":::warning Mind the gap\nIt is wide.\n:::\nEnd.")).toEqual([
      "Mind the gap\nIt is wide.",
      "End.",
    ]);
  });
});
