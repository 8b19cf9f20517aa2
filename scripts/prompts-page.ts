/** `docs/prompts.md`: every prompt as it is sent, made from the code. */
import { answerPrompt, chatPrompt } from "../src/model/answer.js";
import { comparePrompt, reviewPrompt } from "../src/model/second-opinion.js";
import {
  gradeBatchPrompt,
  gradeDocumentPrompt,
  gradeAdequacyPrompt,
  gradeSetPrompt,
} from "../src/model/judges.js";
import { hypothesizePrompt, webQueryPrompt } from "../src/model/queries.js";
import { keyPointsPrompt } from "../src/model/key-points.js";
import { planPrompt } from "../src/model/plan.js";
import { passages, type Prompt, type PromptInputs } from "../src/model/prompt.js";
import { rewritePrompt, routePrompt } from "../src/model/rewrite-and-route.js";
import type { Evidence } from "../src/state/evidence.js";
import { countTokens } from "../src/text/tokens.js";

const today = "2026-11-22";
const question = "How long is the warranty of the pump?";
const evidence: Evidence[] = [
  {
    id: "a",
    text: "The warranty of the pump is two years from the day of delivery.",
    title: "Manual",
    source: { kind: "file", path: "manual.md", startLine: 12 },
    tool: "keyword_search",
    round: 0,
    scores: [],
    status: "ungraded",
  },
];
const window = {
  text: passages(evidence),
  sources: [{ marker: 1, evidenceId: "a", strips: [] }],
  form: "relevant" as const,
  tokens: 40,
};
const history = [
  { role: "user" as const, text: "What does the pump cost?" },
  { role: "assistant" as const, text: "It costs 240 euros [1]." },
];
const grading = (judge: PromptInputs["grade"]["judge"], correct = 0.7): PromptInputs["grade"] => ({
  judge,
  question,
  evidence,
  thresholds: { correct, incorrect: judge === "set" ? 0.5 : 0.3, keep: 0.3 },
  tools: [{ name: "web_search", description: "Searches the web." }],
  today,
});

interface Shown {
  name: keyof PromptInputs;
  when: string;
  prompt: Prompt;
}

const SHOWN: readonly Shown[] = [
  {
    name: "rewrite",
    when: "A follow-up: the question is made understandable without the conversation.",
    prompt: rewritePrompt({ question: "And how long is its warranty?", history }),
  },
  {
    name: "route",
    when: "Quality `thorough`: chat or search, and how to search first.",
    prompt: routePrompt({
      standaloneQuestion: question,
      history: [],
      available: ["hybrid", "files"],
      today,
    }),
  },
  {
    name: "plan",
    when: "Quality `thorough`; in every quality where there are tools of yours.",
    prompt: planPrompt({
      standaloneQuestion: question,
      tools: [
        {
          name: "keyword_search",
          description: "Searches the passages by their words.",
          parameters: { properties: { query: { type: "string" } }, required: ["query"] },
          strategy: "keyword",
          external: false,
        },
      ],
      history: [],
      hints: [],
      today,
    }),
  },
  {
    name: "grade",
    when: 'Profile `adaptive` (`judge: "batch"`): all passages in one call. The thresholds are those of the run.',
    prompt: gradeBatchPrompt(grading("batch")),
  },
  {
    name: "grade",
    when: 'Profile `three_action` (`judge: "per_document"`): one passage a call.',
    prompt: gradeDocumentPrompt(grading("per_document")),
  },
  {
    name: "grade",
    when: 'Profile `holistic` (`judge: "set"`): one verdict on all of them.',
    prompt: gradeSetPrompt(grading("set")),
  },
  {
    name: "grade",
    when: 'Profile `adequacy` (`judge: "adequacy"`): enough, or is a tool needed first?',
    prompt: gradeAdequacyPrompt(grading("adequacy", 0.75)),
  },
  {
    name: "webQuery",
    when: "The first web search of a run. It sees the question only.",
    prompt: webQueryPrompt({ question, today }),
  },
  {
    name: "hypothesize",
    when: "HyDE: passages as they might stand in a document, for vector search.",
    prompt: hypothesizePrompt({ question, count: 3 }),
  },
  {
    name: "keyPoints",
    when: "Key points of web text, where that is switched on.",
    prompt: keyPointsPrompt({ question, evidence }),
  },
  {
    name: "answer",
    when: "The answer, streamed as plain text.",
    prompt: answerPrompt({ question, standaloneQuestion: question, window, today }),
  },
  {
    name: "chat",
    when: "Small talk, and questions about the conversation.",
    prompt: chatPrompt({ question: "Thank you!", history, today }),
  },
  {
    name: "compare",
    when: "Self-consistency: do two answers agree?",
    prompt: comparePrompt({ question, answers: ["Two years [1].", "Three years [1]."] }),
  },
  {
    name: "review",
    when: "The second opinion on claims that the check without a model could not settle.",
    prompt: reviewPrompt({ question, claims: ["The warranty is three years."], window }),
  },
];

const INTRODUCTION = `# The prompts

<!-- Made from the code by \`npm run docs\`: change src/model, not this page. -->

Every prompt that is sent to a language model, with an example of what it is written from. Each is a system text with the rules and a user text with the matter. Retrieved text stands
between \`<source>\` tags and is escaped there; the anchors of the judges are written from the thresholds of the run.

Each can be replaced, or added to, when the agent is made:

\`\`\`ts
createCorrectiveRag({
  model,
  prompts: {
    // Further instructions, at the end of the rules of ours:
    answer: { instructions: "Answer in British English, in at most three sentences." },
    // Messages of your own, from the same input; ours come as the second argument:
    grade: ({ question, evidence, thresholds, today }, ours) => [...],
  },
});
\`\`\`

A prompt of yours must ask for the form that ours asks for: the answer is read by the same parser. Where the endpoint takes a JSON schema, it is sent along in any case.
The types are exported: \`Prompts\`, \`PromptInputs\`, \`PromptReplacement\`.
`;

export async function promptsPage(): Promise<string> {
  const sections = await Promise.all(SHOWN.map(section));
  return `${INTRODUCTION}\n${sections.join("\n")}`;
}

async function section({ name, when, prompt }: Shown): Promise<string> {
  const texts = prompt.map(({ role, content }) => `${role}:\n\n\`\`\`text\n${content}\n\`\`\`\n`);
  const tokens = await countTokens(prompt.map(({ content }) => content).join("\n"));
  const task = /^# Task: (\S+)/.exec(prompt[0]?.content ?? "")?.[1] ?? "";
  return `## ${name}: ${task}\n\n${when} ${tokens} tokens as shown.\n\n${texts.join("\n")}`;
}
