/** `npm run check:live`: what can the endpoint of the environment do, how well does its model judge, and what does a question cost? */
import { readFile, writeFile } from "node:fs/promises";
import { Command } from "commander";
import { createModelSource } from "../src/model/chat-model.js";
import type { Asking } from "../src/model/call-model.js";
import { readEnvironment } from "../src/settings/environment.js";
import { completeSettings, DEFAULT_MODEL } from "../src/settings/run-settings.js";
import { UserError } from "../src/support/errors.js";
import { reportError } from "../src/cli/report-error.js";
import { exitWhenWritten, printJson, say } from "../src/cli/terminal.js";
import { createTestScope } from "../tests/support/test-scope.js";
import { askQuestions, type AskedQuestion } from "./live/ask-questions.js";
import { gradePairs, type GradeAgreement } from "./live/grade-pairs.js";
import { probeEndpoint, type LiveStep } from "./live/probe-endpoint.js";

export interface LiveReport {
  model: string;
  base_url: string;
  /** What it can do, step by step. */
  steps: LiveStep[];
  /** How its grades agree with forty labelled pairs; null where the endpoint does not answer. */
  grades: GradeAgreement | null;
  questions: AskedQuestion[];
  /** Rightly answered or rightly abstained. */
  right: number;
  asked: number;
  /** Share of the answers in which the guard marked or withdrew something. */
  guard_touched: number;
  /** Of a question, on average. */
  cost: { calls: number; tokens: number; took_ms: number };
}

/** @throws UserError when no endpoint is configured */
export async function checkLive({
  environment,
  tell = () => undefined,
}: {
  environment: Readonly<Record<string, string | undefined>>;
  tell?: (line: string) => void;
}): Promise<LiveReport> {
  const settings = completeSettings(readEnvironment(environment).settings);
  if (settings.openaiApiKey === undefined && settings.openaiBaseUrl === undefined)
    throw new UserError(
      "there is no endpoint to check",
      "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, and LLM_MODEL",
    );
  const endpoint = {
    baseUrl: settings.openaiBaseUrl,
    apiKey: settings.openaiApiKey,
    timeoutInMs: settings.modelTimeoutSeconds * 1000,
  };
  const model = settings.model ?? DEFAULT_MODEL;
  const base_url = endpoint.baseUrl ?? "https://api.openai.com/v1";
  tell(`${model} at ${base_url}`);
  const steps = await probeEndpoint({ ...endpoint, model });
  for (const { ok, step, note, took_ms } of steps)
    tell(`${ok ? "yes" : "NO "}  ${step.padEnd(24)} ${note} (${took_ms} ms)`);
  const answers = steps[0]?.ok === true;
  const grades = answers ? await gradePairs(askingOf({ ...endpoint, model })) : null;
  if (grades !== null)
    tell(
      `grades  ${percent(grades.accuracy)} of ${grades.pairs} right, order right in ${percent(grades.auc)}; ` +
        `${percent(grades.relevant_dropped)} of the relevant dropped, ${percent(grades.irrelevant_trusted)} of the irrelevant trusted, ${grades.unread} unreadable`,
    );
  const onAsked = ({
    ok,
    kind,
    question,
    answer,
    calls,
    took_ms,
    warnings,
  }: AskedQuestion): void => {
    tell(`${ok ? "yes" : "NO "}  ${kind.padEnd(14)} ${question} (${calls} calls, ${took_ms} ms)`);
    tell(`       ${answer.replaceAll(/\s+/g, " ").slice(0, 110)}`);
    for (const warning of warnings) tell(`       ! ${warning.slice(0, 160)}`);
  };
  const questions = answers ? await askQuestions({ environment, onAsked }) : [];
  const right = questions.filter(({ ok }) => ok).length;
  const written = questions.filter(({ status, kind }) => status === "success" && kind !== "chat");
  const mean = (of: (asked: AskedQuestion) => number): number =>
    Math.round(
      (questions.reduce((sum, each) => sum + of(each), 0) / (questions.length || 1)) * 10,
    ) / 10;
  const report: LiveReport = {
    model,
    base_url,
    steps,
    grades,
    questions,
    right,
    asked: questions.length,
    guard_touched: written.filter(({ touched }) => touched).length / (written.length || 1),
    cost: {
      calls: mean(({ calls }) => calls),
      tokens: mean(({ tokens }) => tokens),
      took_ms: mean(({ took_ms }) => took_ms),
    },
  };
  tell(
    answers
      ? `${right} of ${questions.length} questions right; the guard touched ${percent(report.guard_touched)} of the answers; ` +
          `a question costs ${report.cost.calls} calls, ${report.cost.tokens} tokens, ${report.cost.took_ms} ms`
      : "nothing more was asked: the endpoint does not answer",
  );
  return report;
}

/** The agent's own way to ask for something with a form, without an agent. */
function askingOf({
  model: defaultModel,
  ...endpoint
}: {
  model: string;
  baseUrl: string | undefined;
  apiKey: string | undefined;
  timeoutInMs: number;
}): Asking {
  const source = createModelSource({ ...endpoint, defaultModel });
  const scope = createTestScope({
    budget: { modelCalls: 100, tokens: 1_000_000, seconds: 600 },
  });
  return {
    scope,
    source,
    today: new Date().toISOString().slice(0, 10),
    prompts: {},
    timeoutInMs: endpoint.timeoutInMs,
    schemas: new Map(),
    streamless: new Set(),
    health: { gradeFailures: 0, passing: 0 },
  };
}

/** What changed against an earlier report, a line each. */
export function differences(before: LiveReport, after: LiveReport): string[] {
  const steps = after.steps.flatMap(({ step, ok }) => {
    const earlier = before.steps.find((each) => each.step === step);
    return earlier === undefined || earlier.ok === ok
      ? []
      : [`${step}: ${earlier.ok ? "yes" : "no"} → ${ok ? "yes" : "no"}`];
  });
  const figures: [string, number, number][] = [
    ["questions right", before.right, after.right],
    ["grades right", before.grades?.accuracy ?? 0, after.grades?.accuracy ?? 0],
    ["guard touched", before.guard_touched, after.guard_touched],
    ["calls", before.cost.calls, after.cost.calls],
    ["tokens", before.cost.tokens, after.cost.tokens],
    ["ms", before.cost.took_ms, after.cost.took_ms],
  ];
  const changed = figures.filter(([, was, is]) => was !== is);
  return [...steps, ...changed.map(([name, was, is]) => `${name}: ${was} → ${is}`)];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

async function main(): Promise<number> {
  const command = new Command("check:live")
    .description(
      "Checks the endpoint of the environment (OPENAI_BASE_URL, OPENAI_API_KEY, LLM_MODEL): what it can do, how its grades agree with 40 labelled pairs, twelve questions through the whole agent. About a minute, some 70 calls and 60,000 tokens.",
    )
    .option("--out FILE", "writes the report there")
    .option("--compare FILE", "says what changed against an earlier report")
    .option("--json", "prints the report")
    .exitOverride();
  try {
    command.parse();
    const { out, compare, json } = command.opts<{ out?: string; compare?: string; json?: true }>();
    const { config } = await import("dotenv");
    config({ quiet: true });
    const tell = json ? say : (line: string) => void process.stdout.write(`${line}\n`);
    const report = await checkLive({ environment: process.env, tell });
    if (compare !== undefined) {
      const before: LiveReport = JSON.parse(await readFile(compare, "utf8"));
      for (const line of differences(before, report)) tell(line);
    }
    if (out !== undefined) await writeFile(out, `${JSON.stringify(report, null, 2)}\n`);
    if (json) printJson(report);
    return report.asked > 0 ? 0 : 1;
  } catch (error) {
    return reportError(error);
  }
}

if (process.argv[1]?.endsWith("check-live.ts") === true) exitWhenWritten(await main());
