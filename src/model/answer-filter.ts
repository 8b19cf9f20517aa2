/**
 * Separates, while a model's text streams in, the answer from its thinking and from a line that
 * says there is none. Pure.
 */

/** Begins a text that is no answer; answers are streamed as plain text and have no other form. */
export const UNANSWERABLE = "UNANSWERABLE:";

const MAX_CHARACTERS = 200_000;
/**
 * DeepSeek, Qwen and others; Gemini and Gemma; Mistral (in brackets). `[Reasoning](…)` is a link.
 */
const TAG = /(<\/?(?:think|thinking|reasoning|thought)>|\[\/?think\])/i;
/** The end of a text that may be the beginning of a tag, or half a character. */
const TAG_BEGUN = /(?:[<[]\/?[a-z]{0,9}|[\ud800-\udbff])$/i;
/** What no text is written with: controls, halves of characters, marks that turn the direction. */
const UNWRITTEN = /(?![\t\n\r])[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\ufffd]/gu;

interface Meant {
  /** Without leading white space. */
  text: string;
  /** True inside tags. */
  thinking: boolean;
  /** Counts end tags without a start tag: everything before them was thinking. */
  restarts: number;
}

/** Adds what is meant in a further piece, which ends in no half tag. */
function read(before: Meant, further: string): Meant {
  let { text, thinking, restarts } = before;
  for (const [at, piece] of further.replace(UNWRITTEN, "").split(TAG).entries()) {
    const isTag = at % 2 === 1;
    const isEnd = isTag && piece.includes("/");
    // Some servers keep the start tag in their template.
    if (isEnd && !thinking) {
      text = "";
      restarts += 1;
    }
    if (isTag) thinking = !isEnd;
    else if (!thinking) text += text === "" ? piece.trimStart() : piece;
  }
  return { text, thinking, restarts };
}

const NOTHING: Meant = { text: "", thinking: false, restarts: 0 };

export function withoutThinking(text: string): string {
  return read(NOTHING, text.slice(0, MAX_CHARACTERS)).text;
}

/** Models put bold or quotation marks before the sentinel. */
const WORD = UNANSWERABLE.slice(0, -1);
const MARKS = /^[\s*_"'`#>-]+/;
/** Needs its colon or the end of the text: "Unanswerable questions are …" is an answer. */
const SENTINEL = new RegExp(`^[\\s*_"'\`#>-]*${WORD}[*_"'\\s]*(?:[:.]|$)[\\s:*_"'.]*`, "i");
const SENTINEL_BELOW = new RegExp(`^[*_]*${WORD}[*_]*:[*_]*\\s*`, "gim");

export function createAnswerFilter() {
  let meant = NOTHING;
  let pending = "";
  let released = 0;
  let wasThinking = false;
  /** True while the beginning may still turn out to be the sentinel. */
  const holdsBack = (): boolean => {
    const begin = meant.text.slice(0, 200);
    return WORD.startsWith(begin.replace(MARKS, "").toUpperCase()) || SENTINEL.test(begin);
  };
  return {
    /** True if the last piece showed that everything before it, though shown, was thinking. */
    get wasThinking() {
      return wasThinking;
    },
    /** Returns what may be shown by now. */
    push(delta: string): string {
      pending += delta;
      const end = TAG_BEGUN.exec(pending)?.index ?? pending.length;
      const { restarts } = meant;
      meant = read(meant, pending.slice(0, end));
      pending = pending.slice(end);
      wasThinking = meant.restarts > restarts && released > 0;
      if (wasThinking) released = 0;
      if (released === 0 && holdsBack()) return "";
      const out = meant.text.slice(released);
      released = meant.text.length;
      return out;
    },
    /** Returns the whole text, and the rest of it that was still held back. */
    finish(): { rest: string; text: string; unanswerable: boolean; reason?: string } {
      const { text: all } = read(meant, pending);
      const sentinel = SENTINEL.exec(all);
      if (sentinel !== null) {
        const reason = all.slice(sentinel[0].length).trim();
        return { rest: "", text: "", unanswerable: true, ...(reason !== "" && { reason }) };
      }
      // Some models answer a part and put the line below it: a remark rather than a verdict.
      const text = all.trimEnd().replace(SENTINEL_BELOW, "");
      return { rest: all.slice(released), text, unanswerable: false };
    },
  };
}
