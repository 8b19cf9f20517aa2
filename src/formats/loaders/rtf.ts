/** Rich Text Format, as Word and LibreOffice write it (specification 1.9.1). */
import { htmlBlocks } from "../../text/html.js";
import { element, type Element } from "../../text/markup.js";
import { oneLine, wordSet } from "../../text/words.js";
import { LoadError, type Loader } from "../document.js";
import { propertiesOf } from "../metadata.js";
import { styleLevel } from "./office.js";

/** A control word with its number, a byte in hexadecimal, a control sign, a brace, or text. */
const TOKEN = /\\(?:([a-z]+)(-?\d+)? ?|'([0-9a-f]{2})|([^a-z]))|[{}]|[^\\{}\r\n]+/giu;
/** Groups that hold no text of the document; so do those that begin with `\*`. */
const SKIPPED = wordSet(
  "fonttbl colortbl listtable listoverridetable pict object xe tc header headerl headerr headerf " +
    "footer footerl footerr footerf",
);
/** Properties of the document, and what is kept in the same way. */
const KEPT_APART = wordSet("title author subject keywords listtext pntext stylesheet");
const SIGNS: Readonly<Record<string, string>> = {
  ...{ tab: " ", "~": " ", _: "-", emdash: "—", endash: "–", bullet: "•", emspace: " " },
  ...{ lquote: "‘", rquote: "’", ldblquote: "“", rdblquote: "”", enspace: " ", qmspace: " " },
};

/** Begins a footnote, which stays in its sentence. */
const NOTE = " (";

/** What a group inherits from the one around it. */
interface State {
  isSkipped: boolean;
  /** Signs behind `\u` for readers that do not know it. */
  fallback: number;
  isStruck: boolean;
  isRaised: boolean;
  /** Where text goes: `info` and styles are kept apart. */
  target: string;
  style: number;
  inTable: boolean;
  inNote: boolean;
}

/** A cell with its right edge in twips; a merged one belongs to the one above it. */
interface Cell {
  children: Element["children"];
  edge?: number;
  isMerged?: boolean;
}

export const loadRtf: Loader = async (bytes) => {
  const source = Buffer.from(bytes).toString("latin1");
  if (!source.startsWith("{\\rtf")) throw new LoadError("it is not a readable RTF file");
  const { page, properties } = read(source);
  const title = oneLine(properties.get("title") ?? "");
  const metadata = propertiesOf([...properties].filter(([key]) => key !== "title"));
  const blocks = htmlBlocks(page);
  return { title: title || blocks[0]?.headings[0], blocks, metadata };
};

function read(source: string) {
  const properties = new Map<string, string>();
  const levels = new Map<number, number>();
  const page: Element["children"] = [];
  const above: State[] = [];
  let state: State = {
    ...{ isSkipped: false, fallback: 1, isStruck: false, isRaised: false },
    ...{ target: "", style: 0, inTable: false, inNote: false },
  };
  const paragraph: Element["children"] = [];
  const cell: Element["children"] = [];
  const row: Cell[] = [];
  const table: Cell[][] = [];
  let layout: Omit<Cell, "children">[] = [];
  let isMerged = false;
  let mark = "";
  let styleName = "";
  let bytes: Buffer[] = [];
  let decoder = new TextDecoder("windows-1252");
  let toSkip = 0;
  TOKEN.lastIndex = 0;

  const write = (text: string): void => {
    if (state.target === "stylesheet") styleName += text;
    else if (state.target === "listtext" || state.target === "pntext") mark += text;
    else if (state.target !== "")
      properties.set(state.target, (properties.get(state.target) ?? "") + text);
    else if (paragraph.at(-1) === NOTE) paragraph.push(text.trimStart());
    else if (state.isStruck) paragraph.push(element("s", [text]));
    else paragraph.push(state.isRaised ? element("sup", [text]) : text);
  };
  /** Writes bytes of the document's code page, in which a sign may have several. */
  const flush = (): void => {
    if (bytes.length > 0) write(decoder.decode(Buffer.concat(bytes)));
    bytes = [];
  };
  const endParagraph = (): void => {
    const number = parseInt(mark.trim(), 10);
    const level = levels.get(state.style);
    const name = level === undefined ? (mark === "" ? "p" : "li") : `h${level}`;
    const value: [string, string][] = Number.isNaN(number) ? [] : [["value", String(number)]];
    if (!state.inTable && table.length > 0) page.push(tableOf(table.splice(0)));
    (state.inTable ? cell : page).push(element(name, paragraph.splice(0), value));
    mark = "";
  };
  const control = (word: string, value: number | undefined): void => {
    const isOn = value !== 0;
    if (word === "ansicpg") decoder = decoderOf(value);
    else if (word === "uc") state.fallback = value ?? 1;
    else if (word === "s") state.style = value ?? 0;
    else if (word === "outlinelevel") levels.set(state.style, Math.min(6, (value ?? 0) + 1));
    else if (word === "strike" || word === "striked" || word === "deleted") state.isStruck = isOn;
    else if (word === "v") state.isSkipped ||= isOn;
    else if (word === "super" || word === "up") state.isRaised = isOn;
    else if (word === "nosupersub") state.isRaised = false;
    else if (word === "plain") state = { ...state, isStruck: false, isRaised: false };
    else if (word === "pard") state = { ...state, style: 0, inTable: false };
    else if (word === "intbl") state.inTable = true;
    else if (SKIPPED.has(word)) state.isSkipped = true;
    else if (KEPT_APART.has(word)) state.target = word;
    else if (word === "footnote") {
      paragraph.push(NOTE);
      state.inNote = true;
    } else if (state.inNote && word === "par") write(" ");
    else if (word === "line" || word === "softline") paragraph.push(element("br", []));
    else if (state.target !== "") return;
    else if (word === "par" || word === "sect" || word === "page") endParagraph();
    else if (word === "cell" || word === "nestcell") {
      state.inTable = true;
      endParagraph();
      row.push({ children: cell.splice(0) });
    } else if (word === "trowd") layout = [];
    else if (word === "clvmrg") isMerged = true;
    else if (word === "cellx") {
      layout.push({ edge: value, isMerged });
      isMerged = false;
    } else if (word === "row" || word === "nestrow") {
      const cells = row.splice(0);
      const isLaidOut = layout.length === cells.length;
      table.push(cells.map((each, at) => ({ ...each, ...(isLaidOut && layout[at]) })));
    }
  };
  for (let found = TOKEN.exec(source); found !== null; found = TOKEN.exec(source)) {
    const [token, word = "", number, hex, sign = ""] = found;
    const isText = word === "" && sign === "" && token !== "{" && token !== "}";
    if (toSkip > 0 && isText) {
      // Each byte in hexadecimal counts as a sign.
      const signs = hex === undefined ? Math.min(toSkip, token.length) : 1;
      toSkip -= signs;
      TOKEN.lastIndex = found.index + (hex === undefined ? signs : token.length);
      continue;
    }
    if (!isText) flush();
    if (token === "{") above.push({ ...state });
    else if (token === "}") {
      const level = styleLevel(styleName.split(";", 1)[0]?.trim() ?? "");
      if (state.target === "stylesheet" && level !== undefined) levels.set(state.style, level || 1);
      styleName = "";
      const { inNote } = state;
      state = above.pop() ?? state;
      if (inNote && !state.inNote) write(")");
    } else if (word === "bin") TOKEN.lastIndex += Math.max(0, Number(number ?? 0));
    else if (sign === "*") state.isSkipped ||= !source.startsWith("\\footnote", TOKEN.lastIndex);
    else if (state.isSkipped) continue;
    else if (word === "u") {
      write(String.fromCharCode(Number(number ?? 0) & 0xffff));
      toSkip = state.fallback;
    } else if (hex !== undefined) bytes.push(Buffer.from(hex, "hex"));
    else if (isText) bytes.push(Buffer.from(token, "latin1"));
    else if (sign === "\n" || sign === "\r") control("par", undefined);
    else if ("\\{}".includes(sign) && sign !== "") write(sign);
    else if (SIGNS[word || sign] !== undefined) write(SIGNS[word || sign] ?? "");
    else control(word.toLowerCase(), number === undefined ? undefined : Number(number));
  }
  flush();
  endParagraph();
  if (row.length > 0) control("row", undefined);
  state.inTable = false;
  endParagraph();
  return { page: element("", page), properties };
}

/** Gives cells the columns up to their edges, where some rows have fewer. */
function tableOf(rows: readonly Cell[][]): Element {
  const isEven = rows.every(({ length }) => length === rows[0]?.length);
  const edges = [...new Set(rows.flat().map(({ edge = 0 }) => edge))];
  const translate = (cells: Cell[]): Element[] =>
    cells.map(({ children, edge = 0, isMerged }, at) => {
      const left = cells[at - 1]?.edge ?? -Infinity;
      const columns = edges.filter((each) => each > left && each <= edge).length;
      const span = ["colspan", String(isEven ? 1 : columns)] as const;
      return element("td", children, isMerged ? [span, ["vmerge", "1"]] : [span]);
    });
  const lines = rows.map((cells) => element("tr", translate(cells)));
  return element("table", lines);
}

const CODE_PAGES: Readonly<Record<number, string>> = {
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  65001: "utf-8",
};

/** Returns the decoder of a Windows code page; of an unknown one, that of Western Europe. */
function decoderOf(codePage = 1252) {
  const isKnown = codePage === 874 || (codePage >= 1250 && codePage <= 1258);
  return new TextDecoder(CODE_PAGES[codePage] ?? `windows-${isKnown ? codePage : 1252}`);
}
