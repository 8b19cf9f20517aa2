/** Where in a model's answer a JSON value may stand. */
import { readTolerantJson } from "./tolerant-json.js";

/** More of an answer than this is not looked at. */
const MAX_CHARACTERS = 200_000;
const MAX_SPANS = 100;

/**
 * Values that the answer may mean, the most likely first: the whole text, its fenced blocks (last first), its objects and lists (last first,
 * outer before inner), and at the end what can be read of a text that was cut off. Thinking is left out. Never throws.
 */
export function* jsonCandidates(answer: string): Generator {
  const text = withoutThinking(answer).trim();
  if (text === "") return;
  const whole = strict(text);
  if (whole !== undefined) yield whole;
  for (const [, block = ""] of [
    ...text.matchAll(/(?:```|~~~)[\w-]*\s*([\s\S]*?)(?:```|~~~|$)/g),
  ].reverse())
    yield readTolerantJson(block);
  const spans = bracketSpans(text);
  for (const bracket of ["{", "["]) {
    for (const [start, end] of spans)
      if (text[start] === bracket) yield readTolerantJson(text.slice(start, end));
  }
  const first = text.search(/[[{]/);
  if (first !== -1) yield readTolerantJson(text, first);
}

const THINKING_TAG = /<(\/?)(?:think|thinking|reasoning)>/gi;

/** The text without `<think>` blocks, those included of which only the beginning or the end was sent. One pass, however many tags there are. */
export function withoutThinking(answer: string): string {
  const text = answer.slice(0, MAX_CHARACTERS);
  let kept = "";
  let from = 0;
  let thinking = false;
  for (const { 0: tag, 1: slash, index } of text.matchAll(THINKING_TAG)) {
    if (slash === "/") {
      if (!thinking) kept = "";
    } else if (!thinking) kept += `${text.slice(from, index)} `;
    thinking = slash !== "/";
    from = index + tag.length;
  }
  return thinking ? kept : kept + text.slice(from);
}

function strict(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Balanced `{…}` and `[…]` spans, later ones first, outer ones before those inside them. Quoted brackets do not count. */
function bracketSpans(text: string): [start: number, end: number][] {
  const open: { bracket: string; start: number }[] = [];
  const spans: [number, number][] = [];
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const here = text[at];
    if (here === "\\") at += 1;
    else if (here === '"' && open.length > 0) quoted = !quoted;
    else if (here === "\n" && quoted) quoted = false;
    else if (quoted) continue;
    else if (here === "{" || here === "[") open.push({ bracket: here, start: at });
    else if (here === "}" || here === "]") {
      const partner = open.findLastIndex(({ bracket }) => bracket === (here === "}" ? "{" : "["));
      const start = open[partner]?.start;
      if (start === undefined) continue;
      open.length = partner;
      spans.push([start, at + 1]);
    }
  }
  return spans.reverse().slice(0, MAX_SPANS);
}
