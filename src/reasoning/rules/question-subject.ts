/** What a question is about. Pure. */
import { extractNames, startsSentence } from "../../text/entities.js";

/** What a question is about: a quoted phrase, its last name or identifier, or the noun phrase that it ends with. */
export function subjectOf(question: string): string | undefined {
  const quoted = /["“]([^"”\n]{2,80})["”]|`([^`\n]{2,80})`/u.exec(question);
  if (quoted) return quoted[1] ?? quoted[2];
  const name = namesIn(question).at(-1);
  if (name) return beforeName(question.slice(0, name.start)) + name.text;
  const identifier =
    /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[_.][\p{L}\p{N}]+)+(?![\p{L}\p{N}])|(?<!\p{L})\p{Ll}+\p{Lu}\p{L}*/u.exec(
      question,
    )?.[0];
  if (identifier) return identifier;
  return [
    ...question.matchAll(
      /\b(?:the|a|an|my|our)\s+(?:[\p{Ll}\d_-]+\s+){0,2}?[\p{Ll}\d_-]{3,}(?=\s+(?:do|does|work|works|mean|means|is|are|of|in|for|on|from|with|when|if|after|before)\b|[\s?.!,]*$)/gu,
    ),
  ]
    .at(-1)?.[0]
    .replace(/^(?:a|an)\s/i, "the ");
}

/**
 * What belongs to a name from before it: "the", or "the lighthouse of". Not where the thing is what is asked for: "What is the capital of France?"
 * is about France.
 */
function beforeName(before: string): string {
  const thing =
    /\bthe\s+(?:[\p{Ll}-]+\s+)?(?!(?:think|know|speak|hear|consist|die|made)\s)[\p{Ll}-]+\s+of\s+(?:the\s+)?$/u.exec(
      before,
    );
  if (
    thing &&
    !/\b(?:what|who|which)(?:['’]s|\s+(?:is|are|was|were))\s+$/i.test(before.slice(0, thing.index))
  )
    return thing[0];
  return /\bthe\s+$/i.test(before) ? "the " : "";
}

/** Names; a capital that only begins the sentence makes none. */
export function namesIn(text: string): { text: string; start: number; end: number }[] {
  return extractNames(text).filter(
    ({ text: name, start }) =>
      !startsSentence(text, start) || /\s/u.test(name) || /\p{Lu}.*\p{Lu}/u.test(name),
  );
}
