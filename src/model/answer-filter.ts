/**
 * Decides, while an answer streams in, what of it may be shown: no thinking, and nothing of a line
 * that says it cannot be answered. Pure.
 */
import { UNANSWERABLE } from "./answer.js";

export interface AnswerFilter {
  /** Takes what came and gives what may be shown. */
  push(delta: string): string;
  /**
   * True once text that was shown turned out to be thinking whose beginning was not marked: it must
   * be taken back.
   */
  readonly wasThinking: boolean;
  /** What is still held back when the stream ends, and what the whole came to. */
  finish(): { rest: string; text: string; unanswerable: boolean; reason?: string };
}

/** The sentinel's word, whatever a model puts before it: bold marks, quotation marks. */
const WORD = UNANSWERABLE.slice(0, -1);
const TAG = /<(\/?)(?:think|thinking|reasoning)>/i;

export function createAnswerFilter(): AnswerFilter {
  /** Not yet decided: perhaps the beginning of a tag. */
  let pending = "";
  let thinking = false;
  /** Outside of any thinking. */
  let text = "";
  let shown = 0;
  let wasThinking = false;

  const keep = (piece: string): void => {
    if (!thinking) text += text === "" ? piece.trimStart() : piece;
  };
  const read = (delta: string): void => {
    pending += delta;
    for (let tag = TAG.exec(pending); tag !== null; tag = TAG.exec(pending)) {
      const isEnd = tag[1] === "/";
      if (isEnd && !thinking) {
        wasThinking ||= shown > 0;
        text = "";
        shown = 0;
      } else keep(pending.slice(0, tag.index));
      thinking = !isEnd;
      pending = pending.slice(tag.index + tag[0].length);
    }
    // A "<" near the end may become a tag with the next piece.
    const open = pending.lastIndexOf("<");
    const decided = open >= 0 && isTagBegun(pending.slice(open)) ? open : pending.length;
    keep(pending.slice(0, decided));
    pending = pending.slice(decided);
  };
  return {
    get wasThinking() {
      return wasThinking;
    },
    push(delta) {
      wasThinking = false;
      read(delta);
      if (shown === 0 && holdsBack(text)) return "";
      const out = text.slice(shown);
      shown = text.length;
      return out;
    },
    finish() {
      keep(pending);
      pending = "";
      if (isSentinel(bare(text))) {
        const reason = text
          .slice(text.toUpperCase().indexOf(WORD) + WORD.length)
          .replace(/^[\s:*_"'.]+/, "")
          .trim();
        return { rest: "", text: "", unanswerable: true, ...(reason === "" ? {} : { reason }) };
      }
      // Some models answer a part and put the line below it; then it is a remark and not a verdict.
      return {
        rest: text.slice(shown),
        text: text.trimEnd().replaceAll(new RegExp(`^[*_]*${WORD}[*_]*:[*_]*\\s*`, "gim"), ""),
        unanswerable: false,
      };
    },
  };
}

const TAGS = ["think", "thinking", "reasoning"].flatMap((name) => [`<${name}>`, `</${name}>`]);

function isTagBegun(text: string): boolean {
  return TAGS.some((tag) => tag.startsWith(text.toLowerCase()));
}

/** True while the beginning may still turn out to be the sentinel. */
function holdsBack(text: string): boolean {
  const begin = bare(text);
  return begin === "" || WORD.startsWith(begin) || isSentinel(begin);
}

/** The word alone, or with its colon: "Unanswerable questions are …" is an answer. */
function isSentinel(text: string): boolean {
  return new RegExp(`^${WORD}[*_"'\\s]*(?:[:.]|$)`).test(text);
}

function bare(text: string): string {
  return text
    .slice(0, 200)
    .replace(/^[\s*_"'`#>-]+/, "")
    .toUpperCase();
}
