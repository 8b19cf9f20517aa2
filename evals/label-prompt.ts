/** The prompt of `eval label`: one question at a time, its passages as a list to tick. */
import { isCancel, log, multiselect, text } from "@clack/prompts";
import { printable } from "../src/cli/terminal.js";
import type { Labelling } from "./label.js";

const SHOWN_CHARACTERS = 220;

/** The labelled line; `skip` leaves the question for another time, `stop` (Ctrl+C) ends the session. */
export async function askLabels(
  labelling: Labelling,
  { number, total }: { number: number; total: number },
): Promise<Labelling | "skip" | "stop"> {
  log.step(`${number} of ${total}: ${printable(labelling.question)}`);
  for (const [index, { title, text: body }] of labelling.passages.entries())
    log.message(
      `${index + 1}. ${printable(title)}\n${printable(body.replace(/\s+/gu, " ")).slice(0, 1_200)}`,
    );
  const chosen = await multiselect<number | "skip">({
    message:
      "Which passages answer it? Space ticks, Enter goes on; none means that it is not answered.",
    options: [
      ...labelling.passages.map(({ title, text: body }, index) => ({
        value: index,
        label: `${index + 1}. ${printable(title)}`,
        hint: printable(body.replace(/\s+/gu, " ")).slice(0, SHOWN_CHARACTERS),
      })),
      { value: "skip" as const, label: "leave this question out" },
    ],
    required: false,
  });
  if (isCancel(chosen)) return "stop";
  if (chosen.includes("skip")) return "skip";
  const answer =
    chosen.length === 0
      ? ""
      : await text({ message: "The answer in a few words, if you like", defaultValue: "" });
  if (isCancel(answer)) return "stop";
  return {
    ...labelling,
    answerable: chosen.length > 0,
    answers: answer === "" ? null : [answer],
    passages: labelling.passages.map((passage, index) => ({
      ...passage,
      relevant: chosen.includes(index),
    })),
  };
}
