/**
 * `docs/model-path.md`: eleven styles of model, as people have them, through all profiles, over real HTTP. What the models know is scripted and the same
 * for all of them; how they say it is not. Run by `node --import tsx evals/model-path.ts`.
 */
import { writeFile } from "node:fs/promises";
import { createCorrectiveRag } from "../src/corrective-rag.js";
import { createReader } from "../src/reader/create-reader.js";
import type { Reader } from "../src/reader/reader.js";
import { PROFILE_NAMES, type ProfileName } from "../src/settings/run-settings.js";
import type { WebSearchProvider } from "../src/web/search-provider.js";
import type { ChatReply, ChatRequest } from "../tests/support/chat-endpoint.js";
import { startChatEndpoint } from "../tests/support/chat-endpoint.js";
import { defaultAnswer } from "../tests/support/model-server-answers.js";
import { passageBase } from "./live/passage-base.js";
import { PASSAGES } from "./live/questions.js";

export const KINDS = ["answerable", "partly", "unanswerable"] as const;
export type Kind = (typeof KINDS)[number];

const QUESTIONS: Readonly<Record<Kind, string>> = {
  answerable: "How high is Mount Ashen?",
  partly: "How high is Mount Ashen, and who climbed it first?",
  unanswerable: "Who designed the lighthouse of Quellin?",
};

export interface PathRow {
  style: string;
  profile: ProfileName;
  kind: Kind;
  /** The fact was stated and cited, or it abstained where nothing states it. */
  right: boolean;
  status: string;
  causes: string[];
  /** Requests that reached the endpoint, refused ones included. */
  calls: number;
  tokens: number;
  answer: string;
}

/** What every one of the models knows: whether a source states the height, and that none says who climbed or designed anything. */
function truth({ task, user }: ChatRequest): unknown {
  const question = /^(?:Question|Message): (.*)$/m.exec(user)?.[1] ?? "";
  const asksHeight = /how high/i.test(question);
  const asksMore = /climbed/.test(question);
  const sources = [...user.matchAll(/<source id="(\d+)"[^>]*>\n([\s\S]*?)\n<\/source>/g)];
  const height = sources.find(([, , text = ""]) => text.includes("1,208"))?.[1];
  const known = asksHeight && height !== undefined;
  const score = known ? (asksMore ? 0.6 : 0.95) : 0.1;
  const reasoning = known ? "The height is stated." : "No source says so.";
  switch (task) {
    case "relevance_scores":
      return {
        scores: sources.map(([, , text = ""]) =>
          asksHeight && text.includes("1,208") ? 0.95 : 0.1,
        ),
      };
    case "relevance_score":
      return { score: known ? 0.95 : 0.1 };
    case "relevance_verdict": {
      const relevance_label = score >= 0.7 ? "relevant" : score >= 0.5 ? "ambiguous" : "irrelevant";
      return { relevance_score: score, relevance_label, confidence: 0.9, reasoning };
    }
    case "adequacy_verdict":
      return { score, tool_needed: null, hints: score > 0.9 ? [] : ["first ascent"], reasoning };
    case "answer":
      if (!known) return "UNANSWERABLE: The sources do not say who that was.";
      return `Mount Ashen is 1,208 metres high [${height}].${asksMore ? " The sources do not say who climbed it first." : ""}`;
    default:
      return defaultAnswer(task, user);
  }
}

function said(request: ChatRequest): string {
  const value = truth(request);
  return typeof value === "string" ? value : JSON.stringify(value);
}

const REFUSED = (form: string): ChatReply => ({
  status: 400,
  content: `${form} is not supported by this server`,
});
const THOUGHT = "The question asks for a height. Let me look at each source in turn. ";
const isAnswer = ({ task }: ChatRequest): boolean => task === "answer";

/** How models say what they know. */
export const STYLES: Readonly<Record<string, (request: ChatRequest) => ChatReply>> = {
  "keeps JSON schemas": (request) => ({ content: said(request) }),
  "refuses JSON schemas": (request) =>
    request.form === "none" ? { content: said(request) } : REFUSED("response_format"),
  "wraps JSON in prose": (request) => ({
    content: isAnswer(request)
      ? said(request)
      : `Certainly! Here is my assessment:\n\`\`\`json\n${said(request)}\n\`\`\`\nLet me know if you need more.`,
  }),
  "loose values": (request) => ({
    content: isAnswer(request)
      ? said(request)
      : said(request)
          .replaceAll(
            /0\.(\d)(\d?)\b/g,
            (_match, tens: string, ones: string) => `"${tens}${ones || 0}%"`,
          )
          .replaceAll(/"(relevant|ambiguous|irrelevant)"/g, (word) => word.toUpperCase())
          .replaceAll('"', "'"),
  }),
  "thinks, sent apart": (request) => ({ reasoning: THOUGHT.repeat(5), content: said(request) }),
  "thinks in tags": (request) => ({
    content: `<think>\n${THOUGHT.repeat(5)}[2]?\n</think>\n\n${said(request)}`,
  }),
  "thinks, beginning unmarked": (request) => ({
    content: `${THOUGHT.repeat(5)}\n</think>\n\n${said(request)}`,
  }),
  "thinks beyond the limit": (request) =>
    (request.limit ?? 0) < 2000
      ? { reasoning: THOUGHT.repeat(100), finish: "length" }
      : { reasoning: THOUGHT.repeat(100), content: said(request) },
  "cites in its own way": (request) => ({
    content: said(request).replaceAll(/ \[(\d+)\]/g, isAnswer(request) ? "【$1】" : " [$1]"),
  }),
  pads: (request) => ({
    content:
      isAnswer(request) && !said(request).startsWith("UNANSWERABLE")
        ? `Great question! Based on the sources provided, here is what I found:\n\n**${said(request).replace(/ (\[\d+\])\./, "** $1.")}\n\nI hope this helps! Let me know if you have any other questions.`
        : said(request),
  }),
  "refuses in its own words": (request) => ({
    content: said(request).replace(
      /^UNANSWERABLE: .*/,
      "I'm sorry, but the provided documents do not contain information about who that was.",
    ),
  }),
};

/** A page about the island that answers none of the questions. */
const WEB: WebSearchProvider = {
  name: "island-pages",
  search: async () => [
    {
      title: "Visit Velmora",
      url: "https://velmora.example/visit",
      text: "Velmora welcomes walkers and anglers from May to September. Rooms are to be had in Quellin.",
      provider: "island-pages",
    },
  ],
};

/** Runs each style through each profile and kind of question, each in an agent of its own, so that nothing learned helps. */
export async function runModelPath({
  styles = Object.keys(STYLES),
  profiles = PROFILE_NAMES,
  reader = createReader({ model: "lexical" }),
  onRow = () => undefined,
}: {
  styles?: readonly string[];
  profiles?: readonly ProfileName[];
  /** Shared by all runs; by words alone by default, which is quick to begin with. */
  reader?: Reader;
  onRow?: (row: PathRow) => void;
} = {}): Promise<PathRow[]> {
  const rows: PathRow[] = [];
  for (const style of styles) {
    for (const profile of profiles) {
      for (const kind of KINDS) {
        const row = await runOnce({ style, profile, kind, reader });
        rows.push(row);
        onRow(row);
      }
    }
  }
  return rows;
}

async function runOnce({
  style,
  profile,
  kind,
  reader,
}: Pick<PathRow, "style" | "profile" | "kind"> & { reader: Reader }): Promise<PathRow> {
  const says = STYLES[style];
  if (says === undefined) throw new Error(`there is no style "${style}"`);
  const endpoint = await startChatEndpoint(says);
  const agent = createCorrectiveRag({
    environment: { OPENAI_BASE_URL: endpoint.baseUrl, LLM_MODEL: "a-model" },
    settings: { profile, thresholds: { autoApproveMaxItems: 0 }, auditLog: "off" },
    knowledgeBase: passageBase(PASSAGES),
    webSearch: [WEB],
    reader,
    checkpointer: false,
  });
  try {
    const { answer, citations, outcome } = await agent.ask(QUESTIONS[kind]);
    const right =
      kind === "unanswerable"
        ? outcome.status !== "success"
        : outcome.status === "success" && answer.includes("1,208") && citations.length > 0;
    return {
      style,
      profile,
      kind,
      right,
      status: outcome.status,
      causes: outcome.causes,
      calls: endpoint.requests.length,
      tokens: endpoint.tokens(),
      answer,
    };
  } finally {
    await agent.close();
    await endpoint.close();
  }
}

/** The page, made from the rows. */
export function modelPathPage(rows: readonly PathRow[]): string {
  const styles = [...new Set(rows.map(({ style }) => style))];
  const profiles = [...new Set(rows.map(({ profile }) => profile))];
  const cell = (style: string, profile: string): string =>
    KINDS.flatMap((kind) =>
      rows.filter((row) => row.style === style && row.profile === profile && row.kind === kind),
    )
      .map(({ right, calls }) => (right ? String(calls) : `**${calls}**`))
      .join("/");
  const right = rows.filter((row) => row.right).length;
  return [
    "# Styles of model in every profile",
    "",
    "<!-- Made by `node --import tsx evals/model-path.ts`: do not edit. -->",
    "",
    "A local server plays eleven styles of model over HTTP. All of them say what is true, each in its",
    "own manner. Each cell has the number of requests for three questions:",
    "",
    ...KINDS.map((kind) => `- ${kind}: “${QUESTIONS[kind]}”`),
    "",
    "A result is right if the fact is stated and cited, or if the run abstains where no source states",
    `it. ${right} of ${rows.length} are right; a wrong one is in bold. Each run begins with an unknown endpoint, so that`,
    "refused requests are counted as well.",
    "",
    `| model | ${profiles.join(" | ")} |`,
    `|---|${"---|".repeat(profiles.length)}`,
    ...styles.map(
      (style) => `| ${style} | ${profiles.map((each) => cell(style, each)).join(" | ")} |`,
    ),
    "",
    "Outcome, calls and tokens over all styles, least to most:",
    "",
    "| profile | question | outcome | calls | tokens |",
    "|---|---|---|---|---|",
    ...profiles.flatMap((profile) =>
      KINDS.map((kind) => {
        const cases = rows.filter((row) => row.profile === profile && row.kind === kind);
        const outcomes = [...new Set(cases.map(({ status }) => OUTCOMES[status] ?? status))];
        const [calls, tokens] = [
          range(cases.map((row) => row.calls)),
          range(cases.map((row) => row.tokens)),
        ];
        return `| ${profile} | ${kind} | ${outcomes.join(" or ")} | ${calls} | ${tokens} |`;
      }),
    ),
    "",
  ].join("\n");
}

const OUTCOMES: Readonly<Record<string, string>> = { success: "answered" };

function range(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? String(least) : `${least}–${most}`;
}

if (process.argv[1]?.endsWith("model-path.ts") === true) {
  const reader = createReader();
  const rows = await runModelPath({
    reader,
    onRow: ({ style, profile, kind, right, status, calls }) =>
      void process.stderr.write(
        `${right ? "ok " : "NO "} ${style}, ${profile}, ${kind}: ${status}, ${calls}\n`,
      ),
  });
  await reader.close();
  await writeFile("docs/model-path.md", modelPathPage(rows));
}
