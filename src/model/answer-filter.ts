/**
 * Separates, while a model's text streams in, the answer from its thinking and from a line that says
 * there is none. Pure.
 */
import { escapePattern } from "../text/words.js";

/** Begins a text that is no answer; answers are streamed as plain text and have no other form. */
export const UNANSWERABLE = "UNANSWERABLE:";

interface ThinkingFilter {
  /** The text so far without its thinking and without leading white space. */
  readonly text: string;
  /** How often the text so far turned out to be thinking, by an end tag without a start tag. */
  readonly restarts: number;
  push(delta: string): void;
  /** Takes what was held back as the possible beginning of a tag. */
  finish(): void;
}

/** DeepSeek, Qwen and others; Gemini and Gemma; Mistral. */
const TAGS = ["<think>", "<thinking>", "<reasoning>", "<thought>", "[think]"].flatMap((tag) => [
  tag,
  `${tag.charAt(0)}/${tag.slice(1)}`,
]);
const TAG = new RegExp(TAGS.map(escapePattern).join("|"), "i");

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
        const isEnd = tag[0].includes("/");
        if (isEnd && !thinking) {
          text = "";
          restarts += 1;
        } else keep(pending.slice(0, tag.index));
        thinking = !isEnd;
        pending = pending.slice(tag.index + tag[0].length);
      }
      const open = Math.max(pending.lastIndexOf("<"), pending.lastIndexOf("["));
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

/** Returns the text without its thinking. */
export function withoutThinking(text: string): string {
  const filter = createThinkingFilter();
  filter.push(text.slice(0, MAX_CHARACTERS));
  filter.finish();
  return filter.text;
}

interface AnswerFilter {
  /** Returns what may be shown by now. */
  push(delta: string): string;
  /** True if the last piece showed that everything before it, though shown, was thinking. */
  readonly wasThinking: boolean;
  /** Returns the whole text, and the rest of it that was still held back. */
  finish(): { rest: string; text: string; unanswerable: boolean; reason?: string };
}

const MAX_CHARACTERS = 200_000;
/** Models put bold or quotation marks before the sentinel. */
const WORD = UNANSWERABLE.slice(0, -1);
const MARKS = /^[\s*_"'`#>-]+/;
/** Needs its colon or the end of the text: "Unanswerable questions are …" is an answer. */
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
      // Some models answer a part and put the line below it: a remark rather than a verdict.
      const text = meant.text.trimEnd().replace(SENTINEL_BELOW, "");
      return { rest: meant.text.slice(shown), text, unanswerable: false };
    },
  };
}
