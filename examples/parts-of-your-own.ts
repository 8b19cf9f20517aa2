/** A store, a web search, a reader, a reasoner's method and a node before the answer, all yours. */
import {
  createCorrectiveRag,
  type KnowledgeBase,
  type NodeWork,
  type WebSearchProvider,
} from "corrective-rag";
import { createReader, type Reader } from "corrective-rag/reader";

const TEXT = "The harbor of Quellin has two cranes. The port office is in Mill Street.";

/** A store that finds its only passage whatever it is asked. */
const store: KnowledgeBase = {
  name: "notebook",
  modes: ["keyword"],
  search: async () => [
    {
      passage: { id: "1", title: "Notes", path: "notes.txt", kind: "text", text: TEXT },
      scores: [{ value: 1, scale: "bm25", by: "notebook" }],
    },
  ],
  documents: async () => [],
  passagesOf: async () => [],
  version: async () => "1", // searches are cached until it changes
  stats: async () => ({ documents: 0, passages: 1 }),
  close: async () => undefined,
};

/** A web search: what it finds is evidence like any other, and is judged. */
const port: WebSearchProvider = {
  name: "port",
  search: async ({ query }) => [
    {
      title: "Opening hours",
      url: "https://port.example/hours",
      text: `The harbor of Quellin opens at six in the morning. (You asked: ${query})`,
      provider: "port",
    },
  ],
};

/** A reader: the shipped one, which asks more of a passage about the harbor. */
const shipped = createReader();
const strict: Reader = {
  ...shipped,
  name: "strict",
  async relevance(input) {
    const { passages } = await shipped.relevance(input);
    const checked = passages.map((each, at) => ({
      ...each,
      value: input.passages[at]?.text.includes("opens") ? 0.9 : 0.1,
    }));
    return { value: Math.max(0, ...checked.map(({ value }) => value)), passages: checked };
  },
};

/** Runs before the answer is written, and sees what it will be written from. */
const noteSources: NodeWork = ({ state }) => ({
  extra: { from: state.context.map(({ title }) => title) },
});

const agent = createCorrectiveRag({
  model: "embedded",
  knowledgeBase: store,
  webSearch: port,
  reader: strict,
  reasoner: { webQuery: async ({ question }) => `port office: ${question}` },
  nodes: { beforeAnswer: { note_sources: noteSources } },
});
const { answer, extra, details } = await agent.ask("When does the harbor of Quellin open?");
console.log(answer);
console.log(
  extra,
  details?.rounds.map(({ label }) => label),
);
await agent.close();
