/**
 * Decides, while a model's text streams in, what of it is meant: no thinking, and nothing of a line
 * that says it cannot be answered. Pure.
 */

/** An answer is streamed as plain text, so its one bit of form is a line at the start. */
export const UNANSWERABLE = "UNANSWERABLE:";

/** Thinking whose tags stand in the text. */
interface ThinkingFilter {
  /** Outside of any thinking, so far; without white space at its beginning. */
  readonly text: string;
  /** How often the text so far turned out to be thinking whose beginning was not marked. */
  readonly restarts: number;
  /** Takes what came. */
  push(delta: string): void;
  /** Takes what was held back as the possible beginning of a tag. */
  finish(): void;
}

const TAGS = ["think", "thinking", "reasoning"].flatMap((name) => [`<${name}>`, `</${name}>`]);
const TAG = new RegExp(TAGS.join("|"), "i");

/** One pass, however many tags there are; also where only the end of the thinking was marked. */
function createThinkingFilter(): ThinkingFilter {
  let pending = "";
  let thinking = false;
  let text = "";
  let restarts = 0;
  const keep = (piece: string): void => {
    if (!thinking) text += text === "" ? piece.trimStart() : piece;
  };
  return {
    get text() {
      return text;
    },
    get restarts() {
      return restarts;
    },
    push(delta) {
      pending += delta;
      for (let tag = TAG.exec(pending); tag !== null; tag = TAG.exec(pending)) {
        const isEnd = tag[0].startsWith("</");
        if (isEnd && !thinking) {
          text = "";
          restarts += 1;
        } else keep(pending.slice(0, tag.index));
        thinking = !isEnd;
        pending = pending.slice(tag.index + tag[0].length);
      }
      const open = pending.lastIndexOf("<");
      const isTagBegun =
        open >= 0 && TAGS.some((tag) => tag.startsWith(pending.slice(open).toLowerCase()));
      const decided = isTagBegun ? open : pending.length;
      keep(pending.slice(0, decided));
      pending = pending.slice(decided);
    },
    finish() {
      keep(pending);
      pending = "";
    },
  };
}

/** More of a text than this is not looked at. */
const MAX_CHARACTERS = 200_000;

/** The text without its thinking. */
export function withoutThinking(text: string): string {
  const filter = createThinkingFilter();
  filter.push(text.slice(0, MAX_CHARACTERS));
  filter.finish();
  return filter.text;
}

interface AnswerFilter {
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

/** The sentinel's word; models put bold or quotation marks before it. */
const WORD = UNANSWERABLE.slice(0, -1);
const MARKS = /^[\s*_"'`#>-]+/;
/** The word alone, or with its colon: "Unanswerable questions are …" is an answer. */
const SENTINEL = new RegExp(`^[\\s*_"'\`#>-]*${WORD}[*_"'\\s]*(?:[:.]|$)[\\s:*_"'.]*`, "i");
const SENTINEL_BELOW = new RegExp(`^[*_]*${WORD}[*_]*:[*_]*\\s*`, "gim");

export function createAnswerFilter(): AnswerFilter {
  const meant = createThinkingFilter();
  let shown = 0;
  let wasThinking = false;
  /** True while the beginning may still turn out to be the sentinel. */
  const holdsBack = (): boolean => {
    const begin = meant.text.slice(0, 200).replace(MARKS, "").toUpperCase();
    return WORD.startsWith(begin) || SENTINEL.test(meant.text);
  };
  return {
    get wasThinking() {
      return wasThinking;
    },
    push(delta) {
      const { restarts } = meant;
      meant.push(delta);
      wasThinking = meant.restarts > restarts && shown > 0;
      if (wasThinking) shown = 0;
      if (shown === 0 && holdsBack()) return "";
      const out = meant.text.slice(shown);
      shown = meant.text.length;
      return out;
    },
    finish() {
      meant.finish();
      const sentinel = SENTINEL.exec(meant.text);
      if (sentinel !== null) {
        const reason = meant.text.slice(sentinel[0].length).trim();
        return { rest: "", text: "", unanswerable: true, ...(reason !== "" && { reason }) };
      }
      // Some models answer a part and put the line below it; then it is a remark and not a verdict.
      const text = meant.text.trimEnd().replace(SENTINEL_BELOW, "");
      return { rest: meant.text.slice(shown), text, unanswerable: false };
    },
  };
}
