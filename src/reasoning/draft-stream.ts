/** A draft answer on its way out: its text as deltas, and each citation as soon as its marker is complete. Used by both ways to reason. */
import { renderSource } from "../state/evidence.js";
import { createNumberedStream, createNumbering } from "../answering/numbering.js";
import type { Scope } from "../observability/scope.js";
import { openMessageStream } from "./message-stream.js";
import type { AnswerInput } from "./reasoner.js";

/** Characters of a quote in an event. */
const MAX_QUOTE = 300;

export interface DraftStream {
  /** Whether any text went out. */
  readonly begun: boolean;
  push(text: string): Promise<void>;
  end(): Promise<void>;
  /** Says that what went out is thrown away. Nothing when nothing went out. */
  retract(reason: string): Promise<void>;
}

/**
 * With `input.stream` false it swallows everything. What is pushed carries the numbers of the window; what goes out, those that a reader sees.
 */
export async function openDraftStream(input: AnswerInput, scope: Scope): Promise<DraftStream> {
  if (!input.stream)
    return {
      begun: false,
      push: async () => undefined,
      end: async () => undefined,
      retract: async () => undefined,
    };
  const messages = await openMessageStream({ id: input.messageId, config: scope.config });
  const numbering = createNumbering(input.window.sources.map(({ marker }) => marker));
  const numbered = createNumberedStream(
    numbering,
    input.evidence.flatMap(({ text, source }) => [
      text,
      source.kind === "web" ? source.url : source.path,
    ]),
  );
  let announced = 0;
  let begun = false;
  const announce = (marker: number): void => {
    const source = input.window.sources.find((each) => each.marker === marker);
    const evidence = input.evidence.find((each) => each.id === source?.evidenceId);
    if (source === undefined || evidence === undefined) return;
    const best = source.strips.toSorted((a, b) => b.score - a.score)[0];
    const quote = (best?.text ?? evidence.text).slice(0, MAX_QUOTE);
    scope.emit({
      type: "citation",
      id: input.messageId,
      marker: numbering.shown(marker),
      evidence_id: evidence.id,
      source: renderSource(evidence.source),
      title: evidence.title,
      quote,
    });
  };
  const send = async (text: string): Promise<void> => {
    if (text !== "") {
      begun = true;
      scope.emit({ type: "answer_delta", id: input.messageId, text });
      await messages.push(text);
    }
    for (const marker of numbering.named.slice(announced)) announce(marker);
    announced = numbering.named.length;
  };
  return {
    get begun() {
      return begun;
    },
    push: (text) => send(numbered.push(text)),
    async end() {
      await send(numbered.end());
      await messages.end();
    },
    async retract(reason) {
      if (begun) scope.emit({ type: "answer_retracted", id: input.messageId, reason });
      await messages.end();
      begun = false;
    },
  };
}

/**
 * The id for a draft that replaces one that was retracted: with the old one, whoever joins the tokens of a message would join both drafts.
 * @example nextDraftId("m1") // "m1-2"; then "m1-3"
 */
export function nextDraftId(id: string): string {
  const match = /^(.*)-(\d{1,3})$/.exec(id);
  // A UUID also ends in digits, but never in so few.
  return match?.[1] !== undefined ? `${match[1]}-${Number(match[2]) + 1}` : `${id}-2`;
}
