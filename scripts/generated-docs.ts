/**
 * The parts of the documentation that are made from the code: `.env.example`, the tables of the configuration page, the picture of the graph.
 * `npm run docs` writes them; a test fails when they have drifted.
 */
import { envExample, variableTables } from "../src/config/variables-docs.js";

export interface GeneratedFile {
  path: string;
  /** The file's text as it should be, given the text that it has. */
  render(current: string): string | Promise<string>;
}

export const GENERATED: readonly GeneratedFile[] = [
  { path: ".env.example", render: () => envExample() },
  { path: "docs/configuration.md", render: (current) => between(current, "variables", variableTables()) },
  { path: "README.md", render: async (current) => between(current, "graph", `\`\`\`mermaid\n${await graphPicture()}\n\`\`\``) },
];

/** Mermaid, from the compiled graph itself. */
export async function graphPicture(): Promise<string> {
  const { assemble } = await import("../src/assembly.js");
  const agent = assemble({ environment: {} });
  try {
    const drawable = await agent.graph.getGraphAsync();
    return drawable.drawMermaid({ withStyles: false }).trim();
  } finally {
    await agent.close();
  }
}

function between(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- generated:${name} -->`, `<!-- /generated:${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the markers of "${name}" are missing`);
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}
