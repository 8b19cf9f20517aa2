/** Bytes as text, whatever encoding they are in. */

/** Why bytes could not be read as text. */
export class NotTextError extends Error {
  override readonly name: string = "NotTextError";
}

/** Text, but in an encoding that cannot be told or is not read. */
export class UnknownEncodingError extends NotTextError {
  constructor(encoding: string) {
    super(`it is in ${encoding}: convert it to UTF-8`);
  }
}

/** How much of a file is looked at to tell text from other data. */
const SNIFFED_BYTES = 8192;

/**
 * Decodes by byte order mark, else as UTF-8, else as the document `declares`, else by its letters.
 * Line breaks become `\n`.
 * @throws NotTextError for data that is not text, and for text in an encoding that cannot be told
 */
export function decodeText(
  bytes: Uint8Array,
  { declared }: { declared?: string | undefined } = {},
): string {
  return decode(bytes, declared).replace(/\r\n?/g, "\n");
}

function decode(bytes: Uint8Array, declared: string | undefined): string {
  const beginning = bytes.subarray(0, SNIFFED_BYTES);
  const mark = Buffer.from(bytes.subarray(0, 4)).toString("hex");
  if (mark === "fffe0000") throw new UnknownEncodingError("UTF-32");
  if (mark.startsWith("fffe")) return inLabel(bytes, "utf-16le") ?? "";
  if (mark.startsWith("feff")) return inLabel(bytes, "utf-16be") ?? "";
  if (beginning.includes(0)) {
    const wide = wideEncoding(beginning);
    if (wide === undefined) throw new NotTextError("it is not text (binary data)");
    return new TextDecoder(wide).decode(bytes);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const controls = beginning.filter((byte) => byte < 9 || (byte > 13 && byte < 27)).length;
    if (controls > beginning.length * 0.01) throw new NotTextError("it is not text (binary data)");
    const text = inLabel(bytes, declared) ?? inLabel(bytes, legacyEncoding(bytes));
    if (text === undefined) throw new UnknownEncodingError("an encoding that cannot be told");
    return text;
  }
}

/** Returns what a page declares: `<meta charset=…>`, its `http-equiv`, or XML's `encoding="…"`. */
export function declaredCharset(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  return (
    /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(start)?.[1] ??
    /^\s*<\?xml[^>]{0,100}encoding=["']([\w:.-]{1,40})/i.exec(start)?.[1]
  );
}

/** UTF-16 without a byte order mark: with spaces and digits, every other byte is often 0. */
function wideEncoding(bytes: Uint8Array): string | undefined {
  const zeros = (rest: number): number =>
    bytes.filter((byte, index) => byte === 0 && index % 2 === rest).length / (bytes.length / 2);
  const [even, odd] = [zeros(0), zeros(1)];
  const label =
    odd > 0.3 && even === 0 ? "utf-16le" : even > 0.3 && odd === 0 ? "utf-16be" : undefined;
  const isText = !/(?![\t\n\r\f])\p{Cc}|\ufffd/u.test(inLabel(bytes, label) ?? "");
  return isText ? label : undefined;
}

function inLabel(bytes: Uint8Array, label: string | undefined): string | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label).decode(bytes);
  } catch {
    return undefined;
  }
}

const KANA = String.fromCodePoint(
  ...Array.from({ length: 0x30ff - 0x3041 + 1 }, (_, index) => 0x3041 + index),
);
const HANZI =
  "的一是不了在人有我他這為为之大来來以个個中上们們到说說国國和地也子时時道出要年得就那下生会會自着著去，。、：";
const CYRILLIC = "оеаинтсрвлкмдпуяыьгз";

/**
 * Encodings older than Unicode in the order in which they are preferred where two fit alike, with
 * the letters of which their texts are full, and the usual share of these among the characters
 * beyond ASCII: about a text of a few sentences, rounded down.
 */
const ENCODINGS: readonly (readonly [label: string, frequent: string, usual: number])[] = [
  ["windows-1251", CYRILLIC, 0.75],
  ["koi8-r", CYRILLIC, 0.75],
  ["ibm866", CYRILLIC, 0.75],
  ["shift_jis", `${KANA}、。`, 0.4],
  ["euc-jp", `${KANA}、。`, 0.4],
  ["gb18030", HANZI, 0.25],
  ["big5", HANZI, 0.25],
  ["euc-kr", "이다는을의가에고하은지를로한기서도사자리어대인시나일수있그해전정부제들것", 0.4],
  ["windows-1253", "αοιετσνηυρπκμλςάίόέ", 0.75],
  ["windows-1255", "יוהלאתמרבנשע", 0.75],
  ["windows-1256", "اليمونترةبعدسفهك", 0.75],
  ["windows-874", "านรอกเงลวยมตสดทคัี่้", 0.55],
];

/** How many bytes are looked at. */
const SAMPLE = 32_768;
/** In Western texts letters beyond ASCII stand alone; in other scripts words are made of them. */
const WESTERN_BELOW = 0.3;
/** A text fits with this share of what is usual, and with hardly a character that is unreadable. */
const FITS_FROM = 0.6;
const MAX_UNREADABLE = 0.01;

/** The encoding of bytes that are no UTF-8; undefined where it cannot be told. */
function legacyEncoding(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE);
  const beyondAscii = (label: string): string[] =>
    inLabel(sample, label)?.match(/[^\p{ASCII}]+/gu) ?? [];
  const runs = beyondAscii("windows-1252");
  const inRuns = runs.filter((run) => run.length > 1).join("").length;
  if (inRuns < WESTERN_BELOW * runs.join("").length) return "windows-1252";
  const rated = ENCODINGS.map(([label, frequent, usual]) => {
    const characters = Array.from(beyondAscii(label).join(""));
    const unreadable = characters.filter((each) => each === "\ufffd").length;
    // The last character of the sample may have been cut.
    const isReadable = unreadable <= 1 + characters.length * MAX_UNREADABLE;
    const share = characters.filter((each) => frequent.includes(each)).length / characters.length;
    return { label, fit: isReadable ? share / usual : 0 };
  });
  const best = rated.reduce((a, b) => (b.fit > a.fit + 1e-9 ? b : a));
  return best.fit >= FITS_FROM ? best.label : undefined;
}
