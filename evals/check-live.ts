/**
 * `npm run check:live [-- --json]`: what can the endpoint of the environment (OPENAI_BASE_URL, OPENAI_API_KEY, LLM_MODEL) do? Step by step, then twenty fixed
 * questions through the whole agent. It needs a real endpoint and spends some 60,000 tokens.
 */
import { embedderFrom } from "../src/assembly/embedder.js";
import { readEnvironment } from "../src/settings/environment.js";
import { completeSettings, DEFAULT_MODEL } from "../src/settings/run-settings.js";
import { UserError } from "../src/support/errors.js";
import { reportError } from "../src/cli/report-error.js";
import { exitWhenWritten, printJson, say } from "../src/cli/terminal.js";
import type { AskedQuestion } from "./live/ask-questions.js";
import { askQuestions } from "./live/ask-questions.js";
import type { LiveStep } from "./live/probe-endpoint.js";
import { probeEndpoint } from "./live/probe-endpoint.js";

export interface LiveReport {
  model: string;
  base_url: string;
  steps: LiveStep[];
  questions: AskedQuestion[];
  /** Rightly answered or rightly abstained. */
  right: number;
  asked: number;
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
    model: settings.model ?? DEFAULT_MODEL,
    baseUrl: settings.openaiBaseUrl,
    apiKey: settings.openaiApiKey,
  };
  const baseUrl = endpoint.baseUrl ?? "https://api.openai.com/v1";
  tell(`${endpoint.model} at ${baseUrl}`);
  const steps = await probeEndpoint({
    ...endpoint,
    timeoutInMs: settings.modelTimeoutSeconds * 1000,
    embedder: await embedderFrom(settings),
  });
  for (const { ok, step, note, tookMs } of steps)
    tell(`${ok ? "yes" : "NO "}  ${step.padEnd(22)} ${note} (${tookMs} ms)`);
  const usable = steps[0]?.ok === true;
  const onAsked = ({
    ok,
    kind,
    question,
    calls,
    tookMs,
    answer,
    warnings,
  }: AskedQuestion): void => {
    tell(
      `${ok ? "yes" : "NO "}  ${kind.padEnd(14)} ${question}\n       ${answer.replaceAll(/\s+/g, " ").slice(0, 110)} (${calls} calls, ${tookMs} ms)`,
    );
    for (const warning of warnings) tell(`       ! ${warning.slice(0, 160)}`);
  };
  const questions = usable ? await askQuestions({ environment, onAsked }) : [];
  const right = questions.filter(({ ok }) => ok).length;
  tell(
    usable
      ? `${right} of ${questions.length} questions right`
      : "the questions were not asked: the endpoint does not answer",
  );
  return {
    model: endpoint.model,
    base_url: baseUrl,
    steps,
    questions,
    right,
    asked: questions.length,
  };
}

async function main(): Promise<number> {
  const json = process.argv.includes("--json");
  try {
    const { config } = await import("dotenv");
    config({ quiet: true });
    const report = await checkLive({
      environment: process.env,
      tell: json ? say : (line) => void process.stdout.write(`${line}\n`),
    });
    if (json) printJson(report);
    return report.asked > 0 ? 0 : 1;
  } catch (error) {
    return reportError(error, { help: "see docs/using.md" });
  }
}

if (process.argv[1]?.endsWith("check-live.ts") === true) exitWhenWritten(await main());
