/** The answers to the parts of a question as one; what was found for one part stands, whatever became of the others. Pure. */
import { splitOpening } from "./compose-answer.js";
import type { ExtractedAnswer } from "./extract-answer.js";

const ORDINALS = ["first", "second", "third"] as const;

/** In the order of the parts. Says which of them found nothing; unanswerable when all of them are. */
export function joinAnswers(answers: readonly ExtractedAnswer[]): ExtractedAnswer {
  const found = answers.filter(({ unanswerable }) => !unanswerable);
  const [first] = answers;
  if (found.length === 0 || first === undefined)
    return (
      first ?? { text: "", unanswerable: true, reason: "no evidence was found", confidence: 0 }
    );
  const paragraphs: { openings: string[]; body: string }[] = [];
  for (const { text } of found) {
    const { opening, body } = splitOpening(text);
    const openings = opening === undefined ? [] : [opening];
    // One sentence may answer both: "It was founded in 1954 by the brothers Ferrante."
    const same = paragraphs.find(
      (paragraph) => paragraph.body.includes(body) || body.includes(paragraph.body),
    );
    if (same === undefined) paragraphs.push({ openings, body });
    else {
      same.openings.push(...openings.filter((other) => !same.openings.includes(other)));
      if (body.length > same.body.length) same.body = body;
    }
  }
  const said = paragraphs.map(({ openings, body }) =>
    openings.length === 0 ? body : `**${openings.join("; ")}** — ${body}`,
  );
  const missing = answers.flatMap(({ unanswerable }, index) =>
    unanswerable ? [ORDINALS[index] ?? "last"] : [],
  );
  const remark = missing.map(
    (ordinal) => `I could not find an answer to the ${ordinal} part of the question.`,
  );
  return {
    text: [...said, ...remark].join("\n\n"),
    unanswerable: false,
    confidence: Math.max(...found.map(({ confidence }) => confidence)),
  };
}
