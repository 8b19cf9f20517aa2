/** The questions, asked of the whole agent with the endpoint behind it. */
import { createCorrectiveRag } from "../../src/corrective-rag.js";
import { passageBase } from "./passage-base.js";
import { PASSAGES, QUESTIONS, type LiveQuestion } from "./questions.js";

export interface AskedQuestion {
  kind: LiveQuestion["kind"];
  question: string;
  ok: boolean;
  answer: string;
  status: string;
  /** The guard marked or withdrew something. */
  touched: boolean;
  calls: number;
  tokens: number;
  took_ms: number;
  warnings: string[];
}

export async function askQuestions({
  environment,
  onAsked,
}: {
  environment: Readonly<Record<string, string | undefined>>;
  onAsked?: (asked: AskedQuestion) => void;
}): Promise<AskedQuestion[]> {
  const agent = createCorrectiveRag({
    environment: { ...environment, KB_AGENT_AUDIT_LOG_PATH: "off", WEB_SEARCH: "off" },
    knowledgeBase: passageBase(PASSAGES),
    // Else two passages would be approved without a grade.
    settings: { thresholds: { autoApproveMaxItems: 0 } },
    checkpointer: false,
  });
  const results: AskedQuestion[] = [];
  try {
    for (const question of QUESTIONS) {
      const startedAt = Date.now();
      const messages = await conversation(question, async (text) => (await agent.ask(text)).answer);
      const { answer, citations, outcome, details, warnings } = await agent.ask({ messages });
      const usage = details?.usage;
      const asked = {
        kind: question.kind,
        question: question.question,
        ok: isRight(question, answer, outcome.status),
        answer,
        status: outcome.status,
        touched:
          citations.some(({ status }) => status !== "supported") ||
          (details?.withdrawn ?? []).length > 0,
        calls: usage?.model_calls ?? 0,
        tokens: (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0),
        took_ms: Date.now() - startedAt,
        warnings,
      };
      results.push(asked);
      onAsked?.(asked);
    }
  } finally {
    await agent.close();
  }
  return results;
}

async function conversation(
  { question, after }: LiveQuestion,
  ask: (text: string) => Promise<string>,
): Promise<{ role: string; content: string }[]> {
  const last = { role: "user", content: question };
  return after === undefined
    ? [last]
    : [{ role: "user", content: after }, { role: "assistant", content: await ask(after) }, last];
}

function isRight(
  { kind, expected, forbidden }: LiveQuestion,
  answer: string,
  status: string,
): boolean {
  if (forbidden?.test(answer) === true) return false;
  if (kind === "unanswerable") return status === "abstained" || status === "closest_passages";
  return status === "success" && (expected?.test(answer) ?? true);
}
