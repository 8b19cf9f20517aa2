/**
 * Retrieved text inside a prompt. It is data: whatever it says, it must not look like the prompt's own structure. Threats: a passage that
 * closes the fence and goes on as an instruction, one that forges a heading or another source, one that carries `[2]` and so borrows another
 * source's authority, and invisible characters that hide any of these from a reader.
 */

/** Controls, bidirectional overrides, zero-width characters and Unicode tags: invisible to people, visible to models. */
const INVISIBLE =
  /[\u0000-\u0008\u000e-\u001f\u007f\u0080-\u0084\u0086-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const LINE_BREAKS = /\r\n|[\r\v\f\u0085\u2028\u2029]/gu;
const TAG = /<(?=[\s/]*source\b)/giu;
const HEADING = /^(\s*)(?==\s*=\s*=)/gmu;
const SOURCE_LABEL = /^(\s*)(?=(?:document|web source|source)\s+\d+\s*[(:[])/gimu;
/** `[3]`, `[1, 2]`. They become `[ 3 ]`: no citation to us any more, and `items[ 3 ]` is still the same code. */
const MARKER = /\[\s*(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\s*\]/gu;

/** Makes a passage safe to stand between the tags of `fenced`. Words, numbers and their order stay as they are. */
export function escapeRetrieved(text: string): string {
  return text
    .replace(LINE_BREAKS, "\n")
    .replace(INVISIBLE, "")
    .replace(TAG, "‹")
    .replace(HEADING, "$1\\")
    .replace(SOURCE_LABEL, "$1\\")
    .replace(MARKER, "[ $1 ]");
}

/** For titles and paths: as `escapeRetrieved`, on one line, without quotation marks, at most 160 characters. */
export function escapeLabel(text: string): string {
  const line = escapeRetrieved(text).replace(/\s+/gu, " ").replace(/["<>]/gu, "'").trim();
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

/** A source between its tags. `text` is escaped here. */
export function fenced(marker: number, text: string): string {
  return `<source id="${String(marker)}">\n${escapeRetrieved(text)}\n</source>`;
}
