import type { Turn } from "../reasoning/reasoner.js";

/** Characters that a rewriting may add to the question: names and things that "it" or "the second one" stood for. */
const MAX_ADDED = 300;
const ADDRESS = /\b(?:https?:\/\/|www\.)\S+|\b[\w.+-]+@[\w-]+\.\w+/gi;

/**
 * Whether a rewritten question may be used. The conversation that the model saw holds answers, and answers quote documents: a passage may have told
 * the model what to write. The question goes into searches, also of the web, so it must stay a question: not much longer than what was asked, and
 * with no address that the user did not write. Pure.
 */
export function isPlausibleRewrite({
  rewritten,
  question,
  history,
}: {
  rewritten: string;
  question: string;
  history: readonly Turn[];
}): boolean {
  if (rewritten === "" || rewritten.length > question.length + MAX_ADDED) return false;
  const written = [
    question,
    ...history.flatMap(({ role, text }) => (role === "user" ? [text] : [])),
  ]
    .join("\n")
    .toLowerCase();
  return [...rewritten.matchAll(ADDRESS)].every(([address]) =>
    written.includes(address.toLowerCase().replace(/[.,;:!?)]+$/, "")),
  );
}
