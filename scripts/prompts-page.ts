/** `docs/prompts.md`: every prompt as it is sent, made from the code. */
import { answerPrompt, chatPrompt, keyPointsPrompt, comparePrompt } from "../src/model/answer.js";
import { gradeItemsPrompt, gradeAdequacyPrompt, gradeSetPrompt } from "../src/model/judges.js";
import { hypothesizePrompt, webQueryPrompt, rewritePrompt } from "../src/model/questions.js";
import { planPrompt } from "../src/model/plan.js";
import { passages, type Prompt, type PromptInputs } from "../src/model/prompt.js";
import type { Evidence } from "../src/state/evidence.js";
import { estimateTokens } from "../src/text/words.js";

const today = "2026-11-22";
const question = "How long is the warranty of the pump?";
const evidence: Evidence[] = [
  {
    id: "a",
    text: "The warranty of the pump is two years from the day of delivery.",
    title: "Manual",
    source: { kind: "file", path: "manual.md", start_line: 12 },
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
  /** One that most runs use: shown with its text. */
  usual?: true;
}

const SHOWN: readonly Shown[] = [
  {
    name: "rewrite",
    when: "A follow-up: the question is made understandable without the conversation.",
    prompt: rewritePrompt({ question: "And how long is its warranty?", history }),
    usual: true,
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
          origin: "documents",
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
    prompt: gradeItemsPrompt(grading("batch")),
    usual: true,
  },
  {
    name: "grade",
    when: 'Profile `three_action` (`judge: "per_document"`): one passage a call.',
    prompt: gradeItemsPrompt(grading("per_document")),
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
    usual: true,
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
    usual: true,
  },
  {
    name: "chat",
    when: "Small talk, and questions about the conversation.",
    prompt: chatPrompt({ question: "Thank you!", history, today }),
  },
  {
    name: "compare",
    when: "Do two answers agree? For self-consistency, and if a draft may say only that there is no answer.",
    prompt: comparePrompt({ question, answers: ["Two years [1].", "Three years [1]."] }),
  },
];

const INTRODUCTION = `# Prompts

<!-- Made from the code by \`npm run docs\`: change src/model, not this page. -->

Every prompt that a language model gets. From code, \`prompts\` adds to one or replaces it, by its name:

\`\`\`ts
import { createCorrectiveRag } from "corrective-rag";

createCorrectiveRag({
  model: "openai:gpt-5-mini",
  prompts: {
    answer: { instructions: "Answer in British English." }, // added to the rules of ours
    grade: ({ question }, ours) => [...ours, { role: "user", content: \`Be strict about: \${question}\` }],
  },
});
\`\`\`

A prompt of yours must ask for the same form, because the same parser reads the answer. The system texts are shown; the user text
holds the conversation, the question and the sources, which stand escaped between \`<source>\` tags. The prompts that most runs use
come first, with their text; \`ours\` above has the text of each.
`;

export async function promptsPage(): Promise<string> {
  const usual = await Promise.all(SHOWN.filter((each) => each.usual).map(section));
  const others = await Promise.all(SHOWN.filter((each) => !each.usual).map(line));
  return `${INTRODUCTION}\n${usual.join("\n")}\n## The others\n\n${others.join("\n")}\n`;
}

function section(shown: Shown): string {
  const text = shown.prompt[0]?.content ?? "";
  return `## ${shown.name}: ${taskOf(shown)}\n\n${shown.when} ${tokensOf(shown)}.\n\n\`\`\`text\n${text}\n\`\`\`\n`;
}

function line(shown: Shown): string {
  return `- \`${shown.name}\`, ${taskOf(shown)}: ${shown.when} ${tokensOf(shown)}.`;
}

function taskOf({ prompt }: Shown): string {
  return /^# Task: (\S+)/.exec(prompt[0]?.content ?? "")?.[1] ?? "";
}

function tokensOf({ prompt }: Shown): string {
  return `about ${estimateTokens(prompt.map(({ content }) => content).join("\n"))} tokens`;
}
