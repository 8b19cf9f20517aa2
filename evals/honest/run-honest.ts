/**
 * `eval honest`: fifty questions over the project's own corpus, answered by a model that writes the right answer as soon as it is shown what it
 * needs. Whatever is lost is lost by search, window or guard. Beside it the graph of the tutorial, on the same model and the same search.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCorrectiveRag, type CorrectiveRag } from "../../src/corrective-rag.js";
import { ingest } from "../../src/ingest/ingest.js";
import { createChatModel } from "../../src/model/chat-model.js";
import { createReader } from "../../src/reader/create-reader.js";
import { readerEmbedder } from "../../src/retrieval/embedders.js";
import type { KnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { PROFILE_NAMES, type ProfileName } from "../../src/settings/run-settings.js";
import { readJsonLines } from "../json-lines.js";
import type { WebSearchProvider } from "../../src/web/search-provider.js";
import { startModelServer, type ModelServer } from "../../tests/support/model-server.js";
import { evenlySpread } from "../evenly-spread.js";
import {
  holds,
  HonestQuestionSchema,
  scriptHonestModel,
  type HonestQuestion,
  type Style,
} from "./honest-model.js";
import { runTextbookGraph } from "./textbook-graph.js";

interface HonestInput {
  profile?: ProfileName;
  limit?: number;
  styles?: readonly Style[];
  /** Where the questions stand; those of the project by default. */
  file?: string;
  onProgress?: (done: number, total: number) => void;
}

interface Counts {
  right: number;
  abstained_right: number;
  web_searches: number;
  /** Per question. */
  calls: number;
  /** Per question, in and out. */
  tokens: number;
}

export interface HonestRow extends Counts {
  profile: ProfileName;
  style: Style;
  n: number;
  answerable: number;
  /** Answers that were right and lost a sentence at the guard, or all of it. */
  withdrawn_right: number;
  /** Right sentences that were marked as uncertain. */
  marked: number;
  /** Corrections in all. */
  rounds: number;
  /** Corrections although the first search had found all that the answer needs. */
  needless_rounds: number;
  /** Questions that a wrong or missing answer was given to, and where it was lost. */
  lost: { id: string; at: "search" | "window" | "guard" }[];
  textbook: Counts;
}

export interface HonestReport {
  rows: HonestRow[];
}

const FILES = { questions: "evals/honest/questions.jsonl", corpus: "evals/corpus" };
const TOP_K = 5;
const OFF_TOPIC = [
  {
    title: "Ferries of the north",
    url: "https://ferries.example/north",
    text: "Ferries of the north sail in summer only.",
  },
  {
    title: "Museums",
    url: "https://museums.example/list",
    text: "A list of museums with their addresses.",
  },
];

/** What a question came to. */
interface Outcome {
  question: HonestQuestion;
  answer: string;
  abstained: boolean;
  calls: number;
  tokens: number;
  webSearches: number;
}

export async function runHonestEval({
  profile,
  limit,
  styles = ["strict", "natural"],
  file = FILES.questions,
  onProgress,
}: HonestInput = {}): Promise<HonestReport> {
  const all = await readJsonLines(file, HonestQuestionSchema, "questions");
  const questions = evenlySpread(all, limit);
  const directory = await mkdtemp(join(tmpdir(), "honest-eval-"));
  const reader = createReader();
  const embedder = readerEmbedder(reader);
  const knowledgeBase = await openSqliteKnowledgeBase({ directory, embedder });
  const server = await startModelServer();
  try {
    await ingest({ targets: [FILES.corpus], knowledgeBase });
    const profiles = profile === undefined ? PROFILE_NAMES : [profile];
    const total = styles.length * (profiles.length + 1) * questions.length;
    let done = 0;
    const bench = { server, knowledgeBase, reader, onDone: () => onProgress?.((done += 1), total) };
    const rows: HonestRow[] = [];
    for (const style of styles) {
      const textbook = countsOf(await runAll(questions, style, bench));
      for (const name of profiles) {
        const outcomes = await runAll(questions, style, { ...bench, profile: name });
        rows.push({ profile: name, style, ...rowOf(outcomes), textbook });
      }
    }
    return { rows };
  } finally {
    await server.close();
    await knowledgeBase.close();
    await reader.close?.();
    await rm(directory, { recursive: true });
  }
}

interface Bench {
  server: ModelServer;
  knowledgeBase: KnowledgeBase;
  reader: ReturnType<typeof createReader>;
  /** Absent for the textbook's graph. */
  profile?: ProfileName;
  onDone: () => void;
}

interface Asked extends Outcome {
  rounds: number;
  /** Everything that the answer needs was among the first passages found. */
  wasFound: boolean;
  /** … and stood in what the model was shown. */
  wasShown: boolean;
  withdrawn: number;
  marked: number;
}

/** Asks every question, each as a conversation of its own. */
async function runAll(
  questions: readonly HonestQuestion[],
  style: Style,
  { server, knowledgeBase, reader, profile, onDone }: Bench,
): Promise<Asked[]> {
  let current = questions[0];
  let searches = 0;
  const web: WebSearchProvider = {
    name: "scripted",
    async search({ limit }) {
      searches += 1;
      const found = [...(current?.web ? [current.web] : []), ...OFF_TOPIC];
      return found.slice(0, limit).map((row) => ({ ...row, provider: "scripted" }));
    },
  };
  server.reset();
  scriptHonestModel(server, style, () => {
    if (current === undefined) throw new Error("no question is being asked");
    return current;
  });
  const agent = createCorrectiveRag({
    environment: {
      OPENAI_BASE_URL: server.baseUrl,
      LLM_MODEL: "test-model",
      CRAG_AUDIT_LOG: "off",
    },
    knowledgeBase,
    reader,
    webSearch: [web],
    checkpointer: false,
  });
  const model = await createChatModel({ model: "test-model", baseUrl: server.baseUrl });
  const firstFound = async (query: string): Promise<string[]> => {
    const [mode = "keyword"] = knowledgeBase.modes;
    const hits = await knowledgeBase.search(mode, { query, limit: TOP_K });
    return hits.map(({ passage }) => passage.text);
  };
  const outcomes: Asked[] = [];
  try {
    for (const question of questions) {
      current = question;
      searches = 0;
      const before = { calls: server.requests.length, tokens: server.tokens() };
      const found = (await firstFound(question.question)).join("\n");
      const said =
        profile === undefined
          ? await askTextbook(question, { model, firstFound, web })
          : await askAgent(agent, question, profile);
      outcomes.push({
        ...said,
        question,
        webSearches: searches,
        calls: server.requests.length - before.calls,
        tokens: server.tokens() - before.tokens,
        wasFound: question.needs.every((need) => holds(found, need)),
      });
      onDone();
    }
  } finally {
    await agent.close();
  }
  return outcomes;
}

type Said = Omit<Asked, "question" | "webSearches" | "calls" | "tokens" | "wasFound">;

async function askAgent(
  agent: CorrectiveRag,
  { question, asked = question, history, needs }: HonestQuestion,
  profile: ProfileName,
): Promise<Said> {
  const turns = history.map((content, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content,
  }));
  const { answer, outcome, details } = await agent.ask(
    { messages: [...turns, { role: "user", content: asked }] },
    { context: { profile } },
  );
  const shown = details?.context_used ?? "";
  return {
    answer,
    abstained: outcome.status !== "success",
    rounds: details?.iterations ?? 0,
    wasShown: needs.every((need) => holds(shown, need)),
    withdrawn: details?.withdrawn.length ?? 0,
    marked: details?.marked.length ?? 0,
  };
}

async function askTextbook(
  { question, asked = question, history }: HonestQuestion,
  {
    model,
    firstFound,
    web,
  }: {
    model: Awaited<ReturnType<typeof createChatModel>>;
    firstFound: (query: string) => Promise<string[]>;
    web: WebSearchProvider;
  },
): Promise<Said> {
  const answer = await runTextbookGraph({
    model,
    question: asked,
    history,
    documents: firstFound,
    webSearch: async (query) => (await web.search({ query, limit: 3 })).map(({ text }) => text),
  });
  const abstained = answer.includes("I don't know");
  return { answer, abstained, rounds: 0, wasShown: !abstained, withdrawn: 0, marked: 0 };
}

function isRight({ question, answer, abstained }: Outcome): boolean {
  return question.from === "none"
    ? abstained
    : !abstained && question.parts.every((part) => answer.includes(part));
}

function countsOf(outcomes: readonly Outcome[]): Counts {
  const right = outcomes.filter(isRight);
  const sum = (of: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const mean = (of: (outcome: Outcome) => number): number =>
    Number((sum(of) / Math.max(1, outcomes.length)).toFixed(2));
  return {
    right: right.filter(({ question }) => question.from !== "none").length,
    abstained_right: right.filter(({ question }) => question.from === "none").length,
    web_searches: sum(({ webSearches }) => webSearches),
    calls: mean(({ calls }) => calls),
    tokens: mean(({ tokens }) => tokens),
  };
}

function rowOf(outcomes: readonly Asked[]): Omit<HonestRow, "profile" | "style" | "textbook"> {
  const wrong = outcomes.filter((each) => !isRight(each));
  const rounds = (of: readonly Asked[]): number =>
    of.reduce((sum, { rounds: made }) => sum + made, 0);
  return {
    n: outcomes.length,
    answerable: outcomes.filter(({ question }) => question.from !== "none").length,
    ...countsOf(outcomes),
    withdrawn_right: outcomes.filter(({ withdrawn }) => withdrawn > 0).length,
    marked: outcomes.reduce((sum, { marked }) => sum + marked, 0),
    rounds: rounds(outcomes),
    needless_rounds: rounds(
      outcomes.filter(({ question, wasFound }) => question.from === "documents" && wasFound),
    ),
    lost: wrong.map(({ question: { id, from }, wasFound, wasShown }) => ({
      id,
      at: wasShown ? "guard" : wasFound && from === "documents" ? "window" : "search",
    })),
  };
}
