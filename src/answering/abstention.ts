/** What is said when the evidence carries no answer: that it does not, and where one might look. */
import type { Evidence } from "../state/evidence.js";
import { relevanceOf, renderSource } from "../state/evidence.js";

const LEADS = 3;

/** An honest abstention with the best leads, if there are any. The leads are named, not quoted: they were not good enough to be quoted. */
export function abstention(input: {
  question: string;
  evidence: readonly Evidence[];
  reason?: string;
}): string {
  const { evidence, reason } = input;
  const opening =
    reason === undefined
      ? "I could not find an answer to this in the evidence."
      : `I could not find an answer to this: ${reason}`;
  const best = [...evidence].sort((a, b) => (relevanceOf(b) ?? 0) - (relevanceOf(a) ?? 0));
  const leads = new Map(
    best.map((item) => [renderSource(item.source), item.title.replace(/\s+/gu, " ").trim()]),
  );
  if (leads.size === 0) return opening;
  const lines = [...leads]
    .slice(0, LEADS)
    .map(([source, title]) => `- ${title === "" ? "" : `${title} `}${source}`);
  return `${opening} The nearest that was found:\n${lines.join("\n")}`;
}
