import { TableReader, type Block } from "../../text/block.js";
import { oneLine } from "../../text/one-line.js";
import { LoadError, titleFromName, type Loader } from "../document.js";

/** Groups that hold no text of the document's. */
const SKIPPED = new Set([
  ..."fonttbl colortbl stylesheet info pict object listtable listoverridetable rsidtbl".split(" "),
  ..."header headerl headerr headerf footer footerl footerr footerf fldinst xmlnstbl".split(" "),
  ..."generator themedata colorschememapping datastore latentstyles".split(" "),
]);
const SIGNS: Readonly<Record<string, string>> = {
  par: "\n\n",
  sect: "\n\n",
  page: "\n\n",
  line: "\n",
  tab: "\t",
  emdash: "—",
  endash: "–",
  bullet: "•",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
};

/** A control word with its number, a coded byte, another control sign, a brace, or text. */
const PIECE =
  /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/giy;

/** Loads Rich Text Format: its text by paragraphs, tables by rows. */
export const loadRtf: Loader = async ({ bytes, name }) => {
  const source = Buffer.from(bytes).toString("latin1");
  if (!source.trimStart().startsWith("{\\rtf"))
    throw new LoadError("it is not a readable RTF file");
  return { kind: "rtf", title: titleFromName(name), blocks: blocksOf(source) };
};

interface Group {
  skipped: boolean;
  /** Characters behind a Unicode character that stand in for it. */
  standIns: number;
}

function blocksOf(source: string): Block[] {
  const blocks: Block[] = [];
  const groups: Group[] = [];
  let group: Group = { skipped: false, standIns: 1 };
  let encoding = "windows-1252";
  let coded: number[] = [];
  let text = "";
  let toSkip = 0;
  let table: TableReader | undefined;
  let inTable = false;
  const push = (content: string, form: Block["form"]): void => {
    for (const each of content.split(/\n{2,}/))
      if (each.trim() !== "") blocks.push({ text: each.trim(), headings: [], form });
  };
  const endTable = (): void => {
    for (const [row, form] of table?.rows() ?? []) push(row, form);
    table = undefined;
  };
  const say = (more: string): void => {
    if (group.skipped) return;
    if (!inTable && table !== undefined && more.trim() !== "") endTable();
    const taken = Math.min(toSkip, more.length);
    toSkip -= taken;
    text += more.slice(taken);
  };
  const endBytes = (): void => {
    if (coded.length > 0) say(new TextDecoder(encoding).decode(Uint8Array.from(coded)));
    coded = [];
  };
  for (const [, word, number, hex, sign, brace, plain] of source.matchAll(PIECE)) {
    if (hex !== undefined) {
      if (toSkip > 0) toSkip -= 1;
      else coded.push(Number.parseInt(hex, 16));
      continue;
    }
    endBytes();
    if (plain !== undefined) say(plain);
    else if (brace === "{") groups.push({ ...group });
    else if (brace === "}") group = groups.pop() ?? group;
    else if (sign !== undefined) {
      if (sign === "*") group.skipped = true;
      else say(sign === "~" ? " " : sign === "_" ? "-" : "\\{}".includes(sign) ? sign : "");
    } else if (word !== undefined) {
      const value = Number(number ?? 0);
      if (SKIPPED.has(word)) group.skipped = true;
      else if (word === "ansicpg") encoding = encodingOf(value) ?? encoding;
      else if (word === "uc") group.standIns = Math.min(Math.max(value, 0), 10);
      else if (word === "u" && !group.skipped) {
        say(String.fromCharCode(value < 0 ? value + 65_536 : value));
        toSkip = group.standIns;
      } else if (word === "intbl") inTable = true;
      else if (word === "pard") inTable = false;
      else if (word === "trowd") {
        push(text, "paragraph");
        text = "";
        table ??= new TableReader();
        table.open("tr");
      } else if (word === "cell") {
        table?.open("td");
        table?.take(oneLine(text));
        text = "";
      } else if (SIGNS[word] !== undefined && !group.skipped) say(SIGNS[word]);
    }
  }
  endBytes();
  endTable();
  push(text, "paragraph");
  return blocks;
}

const ASIAN: Readonly<Record<number, string>> = {
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
};

function encodingOf(codePage: number): string | undefined {
  const label = ASIAN[codePage] ?? `windows-${codePage}`;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
