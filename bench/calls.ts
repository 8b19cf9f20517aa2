/**
 * Model calls and tokens for each question, counted at a local model server: ours beside the textbook pipeline. What the judge says is scripted, the
 * routes are not: they are the compiled graph's own.
 */
import { assemble } from "../src/assembly.js";
import type { AssembledAgent } from "../src/assembly.js";
import { createReader } from "../src/reader/create-reader.js";
import { createChatModel } from "../src/model/chat-model.js";
import type { Hit, KnowledgeBase, Passage } from "../src/retrieval/knowledge-base.js";
import type { ContextValues } from "../src/settings/context.js";
import type { WebSearchProvider } from "../src/web/search-provider.js";
import type { ModelServer, RecordedRequest } from "../tests/support/model-server.js";
import { startModelServer } from "../tests/support/model-server.js";
import { runTextbook } from "./textbook-pipeline.js";

export const COURSES = ["CORRECT", "AMBIGUOUS", "INCORRECT"] as const;
export type Course = (typeof COURSES)[number];

export interface CallsRow {
  system: "ours" | "textbook";
  course: Course;
  /** The textbook has none; it is run once and stands in both. */
  quality: "quick" | "balanced";
  turn: "first" | "follow_up";
  /** Passages for each search. */
  k: number;
  /** Requests that reached the server. */
  calls: number;
  tokens: number;
  /** What the calls were for, in order, `3×` where one was made three times in a row. */
  tasks: string;
}

export interface CallsReport {
  /** Every passage gets the course's score. */
  rows: CallsRow[];
  /** First turns where only `LABELLED_SHARE` of the passages do; the others are of no help. */
  labelled: CallsRow[];
}

/** Of 1,083 passages that were retrieved for 395 questions of PopQA (Yan et al. 2024), 525 are of the right article or hold the answer. */
const LABELLED_SHARE = 0.485;
/** What a judge gives a passage that is of no help. */
const NO_HELP = 0.1;

/** The default one: the strips that it keeps are what is counted. */
const reader = createReader();
const QUESTION = "How does the Halden pump regulate its pressure?";
const FOLLOW_UP = "And how is it cooled?";
const HISTORY = [
  { role: "user", content: QUESTION },
  { role: "assistant", content: "The Halden pump regulates its pressure with a spring valve [1]." },
];
const STANDALONE = "How is the Halden pump cooled?";

/** The scores that the judge gives in its first, and in every later grading. */
const SCORES: Record<Course, { first: number; later: number }> = {
  CORRECT: { first: 0.9, later: 0.9 },
  AMBIGUOUS: { first: 0.5, later: 1 },
  INCORRECT: { first: 0.1, later: 0.9 },
};

/** @param ks passages for each search */
export async function runCallsBench({
  ks = [3, 5, 10, 20],
}: { ks?: readonly number[] } = {}): Promise<CallsReport> {
  const server = await startModelServer();
  const rowsWith = async (
    share: number,
    qualities: readonly CallsRow["quality"][] = ["quick", "balanced"],
    turns: readonly CallsRow["turn"][] = ["first", "follow_up"],
  ): Promise<CallsRow[]> => {
    const rows: CallsRow[] = [];
    for (const course of COURSES)
      for (const turn of turns)
        for (const k of ks) {
          const what = { course, turn, k };
          const textbook = await measured(
            server,
            { ...what, system: "textbook", quality: "balanced" },
            share,
          );
          for (const quality of qualities)
            rows.push(await measured(server, { ...what, system: "ours", quality }, share), {
              ...textbook,
              quality,
            });
        }
    return rows;
  };
  try {
    return {
      rows: await rowsWith(1),
      labelled: await rowsWith(LABELLED_SHARE, ["balanced"], ["first"]),
    };
  } finally {
    await server.close();
  }
}

async function measured(
  server: ModelServer,
  what: Omit<CallsRow, "calls" | "tokens" | "tasks">,
  share: number,
): Promise<CallsRow> {
  server.reset();
  script(server, what.course, share);
  const run = what.system === "ours" ? runOurs : runTextbookOnce;
  await run(server, what);
  return {
    ...what,
    calls: server.requests.length,
    tokens: server.tokens(),
    tasks: inOrder(server.requests.map(({ task }) => task)),
  };
}

function inOrder(tasks: readonly string[]): string {
  const groups: { task: string; times: number }[] = [];
  for (const task of tasks) {
    const last = groups.at(-1);
    if (last?.task === task) last.times += 1;
    else groups.push({ task, times: 1 });
  }
  return groups.map(({ task, times }) => (times === 1 ? task : `${times}× ${task}`)).join(", ");
}

function script(server: ModelServer, course: Course, share: number): void {
  const { first, later } = SCORES[course];
  /** Relevant passages are spread evenly over the ranks, the first among them. */
  const scoreAt = (rank: number, score: number): number =>
    Math.ceil((rank + 1) * share) > Math.ceil(rank * share) ? score : Math.min(score, NO_HELP);
  let gradings = 0;
  server.script("relevance_scores", ({ user }: RecordedRequest) => {
    const score = gradings === 0 ? first : later;
    gradings += 1;
    return { scores: [...user.matchAll(/<source id=/g)].map((_, rank) => scoreAt(rank, score)) };
  });
  let graded = 0;
  server.script("textbook_grade", () => {
    graded += 1;
    return { relevance_score: scoreAt(graded - 1, first), reason: "It says so." };
  });
  server.script("standalone_question", { standalone_question: STANDALONE });
  server.script("web_query", { query: "Halden pump" });
  server.script("textbook_refine", {
    key_points: ["The Halden pump has a spring valve.", "The valve opens at 6 bar."],
  });
  server.script("textbook_rewrite", { rewritten_query: "Halden pump" });
  server.script("textbook_condense", STANDALONE);
  // Both say the first thing that they are shown.
  const shown = ({ user }: RecordedRequest): string =>
    /The Halden pump [^.]*\./.exec(user)?.[0] ?? "";
  server.script("answer", (request: RecordedRequest) => `${shown(request)} [1]`);
  server.script("textbook_answer", shown);
}

/** A new agent for each question, so that no cache and nothing learned from the endpoint helps; the endpoint keeps JSON schemas, so that nothing has to be learnt. */
async function runOurs(
  server: ModelServer,
  { quality, turn, k }: Pick<CallsRow, "quality" | "turn" | "k">,
): Promise<void> {
  const agent = agentFor(server, k);
  try {
    const context: ContextValues = { quality, top_k: k };
    const messages =
      turn === "first"
        ? [{ role: "user", content: QUESTION }]
        : [...HISTORY, { role: "user", content: FOLLOW_UP }];
    const { outcome } = await agent.graph.invoke({ messages }, { context: context });
    if (outcome.status !== "success")
      throw new Error(`the run ended with ${outcome.status}: ${outcome.causes.join(", ")}`);
  } finally {
    await agent.close();
  }
}

function agentFor(server: ModelServer, k: number): AssembledAgent {
  return assemble({
    environment: {
      OPENAI_BASE_URL: server.baseUrl,
      OPENAI_API_KEY: "none",
      LLM_MODEL: "test-model",
      KB_AGENT_AUDIT_LOG_PATH: "off",
    },
    // Calls are counted, however busy the machine is.
    budget: { seconds: 3_600 },
    knowledgeBase: pumpLibrary(k),
    webSearch: [pumpWeb],
    reader,
    checkpointer: false,
  });
}

async function runTextbookOnce(
  server: ModelServer,
  { turn, k }: Pick<CallsRow, "turn" | "k">,
): Promise<void> {
  const model = await createChatModel({ model: "test-model", baseUrl: server.baseUrl });
  await runTextbook({
    model,
    question: turn === "first" ? QUESTION : FOLLOW_UP,
    ...(turn === "first" ? {} : { history: HISTORY.map(({ content }) => content) }),
    documents: Array.from({ length: k }, (_, index) => passage(index).text),
    webSearch: async () => WEB_TEXTS,
  });
}

/** A knowledge base in which each search finds k passages that were not found before. */
function pumpLibrary(k: number): KnowledgeBase {
  let searches = 0;
  return {
    name: "bench",
    modes: ["keyword"],
    async search(_mode, { limit }) {
      const from = searches * k;
      searches += 1;
      return Array.from({ length: Math.min(k, limit) }, (_, index): Hit => ({
        passage: passage(from + index),
        scores: [{ value: 10 - index / 10, scale: "bm25", by: "bench" }],
      }));
    },
    documents: async () => [],
    passagesOf: async () => [],
    version: async () => "1",
    stats: async () => ({ documents: k, passages: k }),
    close: async () => undefined,
  };
}

const PARTS = [
  "rotor",
  "housing",
  "spring valve",
  "bypass",
  "filter",
  "shaft seal",
  "drive belt",
  "oil sump",
  "relief spring",
  "impeller",
  "gauge",
];
const VERBS = [
  "opens",
  "closes",
  "turns",
  "tightens",
  "drains",
  "warms",
  "cools",
  "slides",
  "locks",
  "vents",
  "fills",
  "rests",
  "lifts",
];
const STATES = [
  "at rest",
  "under load",
  "after a cold start",
  "in winter",
  "at full speed",
  "while priming",
  "during a flush",
];

/** About 100 words, different enough from every other that none is taken for a copy. */
function passage(index: number): Passage {
  const pick = (list: readonly string[], salt: number): string =>
    list[(index * salt + Math.floor(index / list.length) * (salt + 3)) % list.length] ?? "";
  const sentences = Array.from({ length: 6 }, (_, line) => {
    const part = pick(PARTS, line + 2);
    return `In case ${index * 7 + line} the ${part} ${pick(VERBS, line + 5)} ${pick(STATES, line + 1)} when reading ${index * 31 + line * 17} is passed by ${pick(PARTS, line + 7)} number ${index * 13 + line}.`;
  });
  const text = `The Halden pump regulates its pressure and is cooled by device ${index + 1} of series ${String.fromCharCode(65 + (index % 26))}${index}. ${sentences.join(" ")}`;
  return {
    id: `p${index}`,
    text,
    title: `Manual, chapter ${index + 1}`,
    path: `manual-${index + 1}.md`,
    kind: "markdown",
    startLine: 1,
  };
}

const WEB_TEXTS = [
  "The Halden pump regulates its pressure with a spring valve that opens at 6 bar.",
  "The Halden pump is cooled by a fan on the shaft behind the belt guard.",
  "Owners report that the pressure gauge of the Halden pump sticks in winter.",
];

const pumpWeb: WebSearchProvider = {
  name: "bench",
  search: async ({ limit }) =>
    WEB_TEXTS.slice(0, limit).map((text, index) => ({
      title: `Pump page ${index + 1}`,
      url: `https://pumps.example/${index + 1}`,
      text,
      provider: "bench",
    })),
};
