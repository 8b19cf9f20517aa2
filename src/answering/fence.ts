/**
 * Retrieved text inside a prompt: data that must not look like the prompt's structure.
 * Threats: a passage (or a title, a file name, an address) that closes the fence and goes on as
 * an instruction, that forges a heading or another source, or that carries `[2]` and so borrows
 * another source's authority; each also in look-alike, full-width or invisible characters, which
 * models read through.
 */
import { oneLine } from "../text/words.js";
import { NUMBERS } from "./citations.js";
import { applyEdits, type Edit } from "./links.js";

/** Controls, direction marks, soft hyphens, fillers, variation selectors and tags. */
const INVISIBLE = new RegExp(
  "[\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u0084\\u0086-\\u009f\\u00ad\\u034f\\u061c\\u115f" +
    "\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f" +
    "\\u2800\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}" +
    "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
  "gu",
);
/** Stay where scripts and emoji need them. */
const JOINED = "\\p{M}\\p{Lo}\\p{Extended_Pictographic}";
const JOINERS = new RegExp(
  `(?<![${JOINED}\\ufe0f])[\\u200c\\u200d]+|[\\u200c\\u200d]+(?![${JOINED}])`,
  "gu",
);
const LINE_BREAKS = /\r\n|[\r\v\f\u0085\u2028\u2029]/gu;

/** Letters and signs that look like those of the fence and that NFKD does not fold. */
const LOOK_ALIKES = new Map<string, string>();
for (const [plain, others] of [
  ["<", "‹〈⟨《⟪«≺ᐸ˂❮❬⧼⋖⪡˱𝈶"],
  [">", "›〉⟩》⟫»≻ᐳ˃❯❭⧽⋗"],
  ["/", "⁄∕╱⧸⟋〳丿Ⳇ᜵"],
  ["=", "═≡゠꓿⹀᐀"],
  ["[", "【〔⟦〚⦗［❲"],
  ["]", "】〕⟧〛⦘］❳"],
  ["s", "ѕꜱꓢՏᏕႽ𐐠ʂ"],
  ["o", "оοօᴏσჿ०੦ഠ௦ഠ໐ⲟ𐐬ⵔ〇"],
  ["u", "υսᴜꭎʊⲩ𐓶"],
  ["r", "гᴦⲅꭇʀꭱᎡᏒ"],
  ["c", "сϲⅽᴄⲥꮯ𐐽ᏟС"],
  ["e", "еҽ℮ꬲᴇⲉᎬ"],
  ["d", "ԁᏧꓒᴅ"],
  ["m", "мᴍⅿ"],
  ["n", "пոռɴ"],
  ["t", "тᴛτ"],
  ["w", "ԝᴡѡ"],
  ["b", "ЬᏏʙ"],
] as const)
  for (const other of others) LOOK_ALIKES.set(other, plain);

/** A character, or one written as an entity or an escape, which models read through. */
const CHARACTER = new RegExp(
  "&(?:amp;)*(?:#x0*([\\da-f]{1,6})|#0*(\\d{1,7})|" +
    "(lt|gt|sol|bsol|[lr]sqb|[lr]brack|equals));?|(?:\\\\u00|\\\\x|%)([\\da-f]{2})|[^]",
  "giu",
);
const NAMED = new Map(Object.entries({ lt: "<", gt: ">", sol: "/", bsol: "\\", equals: "=" }));
for (const [name, bracket] of [["l", "["] as const, ["r", "]"] as const])
  NAMED.set(`${name}sqb`, bracket).set(`${name}brack`, bracket);

/** Folds a text to what it looks like, and keeps each character's place. */
function likenessOf(text: string): { likeness: string; places: number[] } {
  let likeness = "";
  const places: number[] = [];
  for (const match of text.matchAll(CHARACTER)) {
    const { index: at } = match;
    const [written, hex, decimal, name, escaped = hex] = match;
    const code = escaped === undefined ? Number(decimal) : Number.parseInt(escaped, 16);
    const meant =
      NAMED.get(name?.toLowerCase() ?? "") ?? (code <= 0x10ffff && String.fromCodePoint(code));
    const character = meant || written;
    const folded = LOOK_ALIKES.get(character) ?? character.normalize("NFKD").toLowerCase();
    for (const part of folded) {
      const plain = LOOK_ALIKES.get(part) ?? part;
      if (/[\p{M}\p{Cf}]/u.test(plain)) continue;
      likeness += plain;
      for (let unit = 0; unit < plain.length; unit += 1) places.push(at);
    }
  }
  places.push(text.length);
  return { likeness, places };
}

/** What may be between the letters of a tag without hiding it. */
const GAP = "[^\\p{L}\\p{N}<>\\n]{0,3}";
/** Letters of scripts that have none like ours. */
const UNLIKE = "\\p{Script=Han}\\p{Script=Kana}\\p{Script=Hira}\\p{Script=Hang}";
/**
 * `</source>` and the like lose the bracket; also six letters of which one is of an alphabet that
 * may look like ours, and closing tags in such an alphabet, of any length.
 */
const SOURCE = ["[sc5]", "[o0]", "u", "r", "[cs]", "[e3]"].map((letter) => `${letter}{1,3}`);
const TAG = new RegExp(
  `<(?=[\\s/\\\\]{0,20}(?:${SOURCE.join(GAP)}|` +
    `(?=.{0,11}[^\\p{ASCII}${UNLIKE}])(?:[\\p{L}\\p{So}][\\s.·_*-]?){6}(?![\\p{L}\\p{So}]))|` +
    `\\s{0,20}[/\\\\][^<>\\n]{0,20}[^\\p{ASCII}${UNLIKE}])`,
  "gu",
);
/**
 * What servers of models read as structure, of all families: ChatML, Llama, Mistral, Gemma,
 * DeepSeek, Cohere, T5, MiniMax, and those that think aloud. A space behind the bracket makes it
 * text.
 */
const CONTROL = new RegExp(
  "<(?=\\||[^\\s<>]{0,40}(?:\\|>|▁)|[/<]{0,2}(?:" +
    "(?:s|[be]o[sidmtpah]|sop|image|audio|video|pad|unk|mask|cls|sep|think|thinking|thought|" +
    "reasoning|system|assistant|/?sys)>|" +
    "(?:[a-z]{2,12}:)?(?:think|tools?_[a-z_]{3,20}|function_calls?|invoke)[\\s>]|function=|" +
    "(?:start|end|begin)_of_[a-z]|(?:im|fim|arg|longcat)_[a-z]|" +
    "(?:unused|extra_id_|reserved_)\\d|0x[\\da-f]{2}>" +
    "))|\\[(?=/?(?:inst|b_inst|think|img|gmask|args|call_id|begin_of_[a-z]{2,20}|system_prompt|" +
    "available_tools|tool_(?:calls|results|content))\\])|[[\\]](?=e?~!?b?[[\\]])",
  "gu",
);
/** The prompt's headings and labels at the beginning of a line. */
const HEADING =
  /(?<=^[^\S\n]{0,40})(?==\s{0,3}=\s{0,3}=|(?:document|(?:web )?source)\s{1,5}\d+\s{0,5}[(:[])/gmu;
/** `[3]`, `[1, 2]`, `[^1]` become `[ 3 ]`: no citation any more, and still the same code. */
const MARKER = new RegExp(`\\[\\s*\\^?${NUMBERS}\\s*(?:†[^\\]\\n]{0,60})?\\]`, "gu");

function editsOf(likeness: string): Edit[] {
  /** Replaces the first sign of each match, or inserts before or behind it. */
  const edits = (pattern: RegExp, from: 0 | 1, to: 0 | 1, text: string): Edit[] =>
    [...likeness.matchAll(pattern)].map(({ index }) => ({
      start: index + from,
      end: index + to,
      text,
    }));
  const markers = [...likeness.matchAll(MARKER)].map(({ index, 0: { length } }) => {
    const end = index + length;
    return { start: end - 1, end, text: " ]" };
  });
  return [
    ...edits(TAG, 0, 1, "("),
    ...edits(CONTROL, 1, 1, " "),
    ...edits(HEADING, 0, 0, "\\"),
    ...edits(MARKER, 0, 1, "[ "),
    ...markers,
  ];
}

/** Makes a passage safe between the tags of `fenced`; words and numbers are untouched. */
export function escapeRetrieved(text: string): string {
  const clean = text.replace(LINE_BREAKS, "\n").replace(INVISIBLE, "").replace(JOINERS, "");
  const isPlain = Buffer.byteLength(clean) === clean.length && !/[&%\\]/.test(clean);
  const { likeness, places } = isPlain
    ? { likeness: clean.toLowerCase(), places: undefined }
    : likenessOf(clean);
  const place = (at: number): number => places?.[at] ?? at;
  const edits = editsOf(likeness).map((edit) => {
    return { ...edit, start: place(edit.start), end: place(edit.end) };
  });
  return applyEdits(clean, edits);
}

/**
 * Like `escapeRetrieved`, for titles, paths and addresses: one short line without quotation
 * marks.
 */
export function escapeLabel(text: string): string {
  return oneLine(escapeRetrieved(text).replace(/["<>]/gu, "'"), 160);
}

/**
 * Puts a source between its tags, with its title and place, everything escaped.
 * @param marker the number by which it is cited
 */
export function fenced(marker: number, text: string, about = ""): string {
  const label = escapeLabel(about);
  const head = label === "" ? "" : `${label}\n\n`;
  return `<source id="${marker}">\n${head}${escapeRetrieved(text)}\n</source>`;
}
