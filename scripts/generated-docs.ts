/**
 * The parts of the documentation that are made from the code: `.env.example`, the lists of the configuration page, the picture of the graph.
 * `npm run docs` writes them; a test fails when they have drifted.
 */
import { NODE_NAMES } from "../src/graph/graph.js";
import { apiPage } from "./api-page.js";
import { between } from "./between.js";
import { promptsPage } from "./prompts-page.js";
import { envExample, settingLists } from "./settings-docs.js";

export interface GeneratedFile {
  path: string;
  /** The file's text as it should be, given the text that it has. */
  render(current: string): string | Promise<string>;
}

export const GENERATED: readonly GeneratedFile[] = [
  { path: ".env.example", render: () => envExample() },
  {
    path: "docs/configuration.md",
    render: (current) => between(current, "variables", settingLists()),
  },
  { path: "docs/prompts.md", render: promptsPage },
  { path: "docs/api.md", render: apiPage },
  {
    path: "README.md",
    render: async (current) =>
      between(current, "graph", `\`\`\`mermaid\n${await graphPicture()}\n\`\`\``),
  },
];

const ORDER = ["__start__", ...NODE_NAMES, "__end__"];
/** What the conditional edges stand for. */
const LABELS: Readonly<Record<string, string>> = {
  "rewrite_question guard_answer": "no question",
  "analyze_and_route synthesize": "chat",
  "analyze_and_route plan": "search",
  "grade_evidence synthesize": "GENERATE",
  "grade_evidence plan": "REFINE",
  "grade_evidence analyze_and_route": "RE_RETRIEVE",
  "guard_answer plan": "ungrounded, budget left",
  "guard_answer analyze_and_route": "unanswerable, a strategy left",
};

/** Mermaid, from the compiled graph itself: its nodes and edges in the order of a run. */
export async function graphPicture(): Promise<string> {
  const { assemble } = await import("../src/assembly.js");
  const agent = assemble({ environment: {} });
  try {
    const { edges } = await agent.graph.getGraphAsync();
    const place = (name: string): number => ORDER.indexOf(name);
    const lines = edges
      .map(({ source, target }) => ({ source, target }))
      .sort((a, b) => place(a.source) - place(b.source) || place(a.target) - place(b.target))
      .map(({ source, target }) => {
        const label = LABELS[`${source} ${target}`];
        return `  ${shape(source)} ${label === undefined ? "-->" : `-. ${label} .->`} ${shape(target)}`;
      });
    return ["flowchart TD", ...lines].join("\n");
  } finally {
    await agent.close();
  }
}

function shape(node: string): string {
  if (node === "__start__") return "START([start])";
  return node === "__end__" ? "END([end])" : node;
}
