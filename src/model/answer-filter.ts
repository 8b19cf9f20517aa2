/** Decides, while an answer streams in, what of it may be shown: no thinking, and nothing of a line that says it cannot be answered. Pure. */
import { withoutThinking } from "../grading/json-candidates.js";
import { UNANSWERABLE } from "./prompts/answer.js";

export interface AnswerFilter {
  /** Takes what came and gives what may be shown. */
  push(delta: string): string;
  /** What is still held back when the stream ends, and what the whole came to. */
  finish(): { rest: string; text: string; unanswerable: boolean; reason?: string };
}

/** The sentinel's word, whatever a model puts before it: bold marks, quotation marks. */
const WORD = UNANSWERABLE.slice(0, -1);

export function createAnswerFilter(): AnswerFilter {
  let raw = "";
  let shown = 0;
  const visible = (): string => withoutThinking(raw).trimStart();
  return {
    push(delta) {
      raw += delta;
      if (shown === 0 && holdsBack(raw)) return "";
      const text = visible();
      const out = text.slice(shown);
      shown = Math.max(shown, text.length);
      return out;
    },
    finish() {
      const text = visible();
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

/** True while the beginning may still turn out to be thinking or the sentinel. */
function holdsBack(raw: string): boolean {
  const begin = raw.trimStart().toLowerCase();
  if (begin === "") return true;
  for (const tag of ["<think>", "<thinking>"]) if (tag.startsWith(begin)) return true;
  const text = bare(withoutThinking(raw));
  return text === "" || WORD.startsWith(text) || isSentinel(text);
}

/** The word alone, or with its colon: "Unanswerable questions are …" is an answer. */
function isSentinel(text: string): boolean {
  return new RegExp(`^${WORD}[*_"'\\s]*(?:[:.]|$)`).test(text);
}

function bare(text: string): string {
  return text.replace(/^[\s*_"'`#>-]+/, "").toUpperCase();
}
