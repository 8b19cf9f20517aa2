import { abortable } from "../../src/support/waiting.js";

/** A `fetch` that answers from a script, one entry for each call, the last one for all further calls, and remembers what it was asked. */
export type ScriptedAnswer =
  | { status?: number; body: unknown; headers?: Record<string, string> }
  | { error: Error }
  | { never: true }
  | ((body: unknown) => { status?: number; body: unknown; headers?: Record<string, string> });

export interface ScriptedFetch {
  fetch: typeof globalThis.fetch;
  calls: { url: string; headers: Headers; body: unknown }[];
}

export function scriptedFetch(...answers: readonly ScriptedAnswer[]): ScriptedFetch {
  const calls: ScriptedFetch["calls"] = [];
  return {
    calls,
    fetch: async (input, init) => {
      const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
      calls.push({
        url: String(input instanceof Request ? input.url : input),
        headers: new Headers(init?.headers),
        body,
      });
      const answer = answers[Math.min(calls.length, answers.length) - 1];
      if (!answer) throw new Error("the script is empty");
      if (typeof answer === "object" && "error" in answer) throw answer.error;
      if (typeof answer === "object" && "never" in answer) {
        return abortable(new Promise<Response>(() => undefined), init?.signal ?? undefined);
      }
      const {
        status = 200,
        body: answerBody,
        headers,
      } = typeof answer === "function" ? answer(body) : answer;
      const text = typeof answerBody === "string" ? answerBody : JSON.stringify(answerBody);
      return new Response(text, { status, headers });
    },
  };
}
