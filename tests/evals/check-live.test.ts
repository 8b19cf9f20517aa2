import { afterEach, describe, expect, it } from "@jest/globals";
import { checkLive, differences, type LiveReport } from "../../evals/check-live.js";
import { LABELLED } from "../../evals/live/grading-pairs.js";
import type { ChatEndpoint, ChatReply, ChatRequest } from "../support/chat-endpoint.js";
import { startChatEndpoint } from "../support/chat-endpoint.js";

let endpoint: ChatEndpoint;
afterEach(() => endpoint.close());

/** Knows the labels, and quotes the passage with most of the question's words. */
function helpful({ task, user }: ChatRequest): ChatReply {
  const sources = [...user.matchAll(/<source id="\d+">\n([\s\S]*?)\n<\/source>/g)].map(
    ([, text = ""]) => text,
  );
  const question = /^Question: (.*)$/m.exec(user)?.[1] ?? "";
  if (task === "relevance_scores") {
    const known = LABELLED.find((each) => each.question === question);
    const most = Math.max(...sources.map((text) => shares(text, question)));
    const isGood = (text: string): boolean =>
      known?.relevant.includes(text) ?? (most > 0 && shares(text, question) === most);
    const scores = sources.map((text) => (isGood(text) ? 0.9 : 0.1));
    const padded = /color is the sky/.test(user) ? [0.9, 0.1] : scores;
    const json = JSON.stringify({ scores: padded });
    return { content: json };
  }
  if (task === "answer") {
    const sentences = sources.flatMap((text, index) =>
      text.split(/(?<=\.)\s/).map((sentence) => ({ sentence, number: index + 1 })),
    );
    const [best] = sentences.toSorted(
      (a, b) => shares(b.sentence, question) - shares(a.sentence, question),
    );
    return { content: `${best?.sentence.replace(/\.$/, "")} [${best?.number}].` };
  }
  if (/password/.test(user)) return { content: /is (\w+)\./.exec(user)?.[1] ?? "lost" };
  return { content: "ready, set, go" };
}

function shares(text: string, question: string): number {
  const words = new Set(question.toLowerCase().match(/\w{4,}/g) ?? []);
  return (text.toLowerCase().match(/\w{4,}/g) ?? []).filter((word) => words.has(word)).length;
}

const TEMPERAMENTS: Record<string, (request: ChatRequest) => ChatReply> = {
  good: helpful,
  thinking: (request) => ({ reasoning: "Let me see. ".repeat(20), ...helpful(request) }),
  sloppy: (request) => {
    if (request.form !== "none") return { status: 400, content: "response_format, tools: unknown" };
    const { content = "" } = helpful(request);
    return {
      content: content.startsWith("{") ? `Sure!\n${content.replaceAll('"', "'")}` : content,
    };
  },
};

const checked = async (name: string): Promise<{ report: LiveReport; lines: string[] }> => {
  endpoint = await startChatEndpoint(TEMPERAMENTS[name] ?? helpful);
  const lines: string[] = [];
  const environment = { OPENAI_BASE_URL: endpoint.baseUrl, LLM_MODEL: "m", CRAG_READER: "lexical" };
  return { report: await checkLive({ environment, tell: (line) => lines.push(line) }), lines };
};

const failed = ({ steps }: LiveReport): string[] =>
  steps.filter(({ ok }) => !ok).map(({ step }) => step);

describe("npm run check:live", () => {
  it("finds nothing wrong with a good endpoint", async () => {
    const { report, lines } = await checked("good");
    expect(failed(report)).toEqual([]);
    expect(report.grades).toEqual({
      pairs: 40,
      accuracy: 1,
      relevant_dropped: 0,
      irrelevant_trusted: 0,
      auc: 1,
      unread: 0,
    });
    expect(report.asked).toBe(12);
    // The endpoint picks by shared words among what it is shown, and is shown more since 0.4 of the best stays.
    expect(report.right).toBeGreaterThan(3);
    expect(report.cost.calls).toBeGreaterThan(1);
    expect(lines.at(-1)).toMatch(/a question costs .* calls, .* tokens/);
  });

  it("says that a thinking model thinks", async () => {
    const { report, lines } = await checked("thinking");
    expect(failed(report)).toEqual(["answers without thinking"]);
    expect(report.grades?.accuracy).toBe(1);
    expect(lines.join("\n")).toMatch(/it thinks first, 60 tokens here: it is given room/);
  });

  it("says what a sloppy one refuses, and reads it all the same", async () => {
    const { report } = await checked("sloppy");
    expect(failed(report)).toEqual(["keeps a JSON schema"]);
    expect(report.grades).toMatchObject({ accuracy: 1, unread: 0 });
  });

  it("compares two reports", async () => {
    const { report } = await checked("good");
    const before = {
      ...report,
      right: 3,
      steps: report.steps.map((each) => ({ ...each, ok: each.step !== "streams" })),
    };
    expect(differences(before, report)).toEqual([
      "streams: no → yes",
      `questions right: 3 → ${report.right}`,
    ]);
  });

  it("asks nothing more where nothing answers", async () => {
    endpoint = await startChatEndpoint(() => ({ status: 401 }));
    const environment = {
      OPENAI_BASE_URL: endpoint.baseUrl,
      LLM_MODEL: "m",
      CRAG_READER: "lexical",
    };
    expect(await checkLive({ environment })).toMatchObject({
      asked: 0,
      grades: null,
      steps: [{ step: "answers", ok: false, note: expect.stringContaining("refused the key") }],
    });
  });

  it("says in one line that there is no endpoint", async () => {
    await expect(checkLive({ environment: {} })).rejects.toThrow("there is no endpoint to check");
  });
});
