/** `doctor`: checks settings, knowledge base, model and MCP servers; says how to fix each fault. */
import type { CorrectiveRag } from "../corrective-rag.js";
import { DEMO_DIRECTORY } from "../assembly/demo.js";
import { providerNames } from "../assembly/adapters.js";
import { mcpTools } from "../assembly/mcp-tools.js";
import { createChatModel, providerOf } from "../model/chat-model.js";
import { redactText } from "../observability/redact.js";
import { DEFAULT_MODEL } from "../settings/run-settings.js";
import { readEnvironment } from "../settings/environment.js";
import { ENTRIES } from "../settings/table.js";
import { hintOf, reasonOf, UserError } from "../support/errors.js";
import { counted, oneLine } from "../text/words.js";
import { WEB_PROVIDER_ADVICE } from "../settings/table/web.js";
import { openAgent } from "./open.js";
import { DONE, FAILED } from "./report-error.js";
import { asTyped, columnsOf, print, printJson, styleFor, wrapped } from "./terminal.js";

/** `ok`: works. `note`: works, but could work better. `bad`: does not work. */
interface Finding {
  state: "ok" | "note" | "bad";
  text: string;
  fix?: string;
}

/** Finds nothing for a part that is not in use; throws for one that does not work. */
type Check = (agent: CorrectiveRag) => Promise<Finding | undefined> | Finding;

const CHECKS: Readonly<Record<string, Check>> = {
  settings,
  "knowledge base": knowledgeBase,
  reader,
  model,
  "web search": webSearch,
  reranker,
  "MCP tools": mcpServers,
};

/** Time limit for an endpoint. */
const PATIENCE_IN_MS = 15_000;

export async function doctor({ kb, json }: { kb?: string; json?: boolean }): Promise<number> {
  const findings: ({ about: string } & Finding)[] = [];
  const agent = await openWithout(findings, kb);
  try {
    for (const [about, check] of Object.entries(CHECKS)) {
      const found = await findingOf(check, agent);
      // An address may hold a password.
      if (found !== undefined) findings.push({ about, ...found, text: redactText(found.text) });
    }
    if (json) printJson({ findings });
    else for (const { about, ...finding } of findings) tell(about, finding);
    return findings.some(({ state }) => state === "bad") ? FAILED : DONE;
  } finally {
    await agent.close();
  }
}

/** Opens the agent without the settings that are wrong, so that everything else is checked. */
async function openWithout(
  findings: ({ about: string } & Finding)[],
  kb?: string,
): Promise<CorrectiveRag> {
  try {
    return await openAgent({ kb, needsBase: false, settings: { auditLog: "off" } });
  } catch (error) {
    const text = reasonOf(error);
    const wrong =
      namesSet().find((name) => text.includes(name)) ??
      namesSet().find((name) => text.split(" ").includes(process.env[name] ?? ""));
    if (!(error instanceof UserError) || wrong === undefined) throw error;
    findings.push({ about: wrong, state: "bad", text, fix: hintOf(error) });
    // Empty, and not deleted: else `.env` would set it again.
    process.env[wrong] = "";
    return openWithout(findings, kb);
  }
}

function namesSet(): string[] {
  return ENTRIES.flatMap(({ env, setting }) =>
    env === undefined ? [] : [env, ...(setting.aliases ?? [])].filter((name) => process.env[name]),
  );
}

async function findingOf(check: Check, agent: CorrectiveRag): Promise<Finding | undefined> {
  try {
    return await check(agent);
  } catch (error) {
    return { state: "bad", text: reasonOf(error), fix: hintOf(error) };
  }
}

/** Lists the variables that are set, without the values of keys, and those that say nothing. */
function settings(): Finding {
  const { warnings } = readEnvironment(process.env);
  if (warnings.length > 0) return { state: "note", text: warnings.join("; ") };
  const secret = new Set(
    ENTRIES.flatMap(({ env, setting }) =>
      setting.secret ? [env, ...(setting.aliases ?? [])] : [],
    ),
  );
  const set = namesSet().map(
    (name) => `${name}=${secret.has(name) ? "***" : (process.env[name] ?? "")}`,
  );
  return { state: "ok", text: set.join(", ") || "nothing is set, and nothing needs to be" };
}

async function knowledgeBase(agent: CorrectiveRag): Promise<Finding> {
  const opened = await agent.knowledgeBase();
  const { documents, passages, embedding } = await opened.stats();
  const pending = embedding?.pending ? ` (${embedding.pending} passages have none yet)` : "";
  const vectors = embedding ? `vectors by ${embedding.model}${pending}` : "no vectors";
  const held = `${counted(documents, "document")}, ${counted(passages, "passage")}`;
  const text = `${opened.name}: ${held}, ${vectors}`;
  const lacksVectors = embedding === undefined && agent.settings.reader === "trained";
  const isUnfinished = documents === 0 || pending !== "" || lacksVectors;
  return opened.name.includes(DEMO_DIRECTORY) || isUnfinished
    ? { state: "note", text, fix: "corrective-rag ingest PATH" }
    : { state: "ok", text };
}

function reader({ settings, notices }: CorrectiveRag): Finding {
  const trouble = notices.find((notice) => notice.includes("encoder"));
  return trouble === undefined
    ? { state: "ok", text: settings.reader }
    : { state: "note", text: trouble, fix: "npm install onnxruntime-web" };
}

async function model({ settings, reasonerKind }: CorrectiveRag): Promise<Finding> {
  const { openaiBaseUrl: baseUrl, openaiApiKey: apiKey } = settings;
  if (reasonerKind === "embedded") {
    const why = settings.model === undefined ? "none" : `${settings.model} has no endpoint`;
    return {
      state: "note",
      text: `${why}: answers are quoted from the documents`,
      fix: "set OPENAI_API_KEY, or OPENAI_BASE_URL for a model of your own",
    };
  }
  const name = settings.model ?? DEFAULT_MODEL;
  const provider = providerOf(name)?.provider;
  const where = provider ? "" : ` at ${baseUrl ?? "https://api.openai.com/v1"}`;
  try {
    const limits = { maxTokens: 16, timeoutInMs: PATIENCE_IN_MS };
    const chat = await createChatModel({ model: name, baseUrl, apiKey, ...limits });
    await chat.invoke([{ role: "user", content: "Say yes." }], {
      signal: AbortSignal.timeout(PATIENCE_IN_MS),
    });
    return { state: "ok", text: `${name}${where} answers` };
  } catch (error) {
    throw new UserError(
      `${name}${where} does not answer: ${oneLine(reasonOf(error), 160)}`,
      hintOf(error) ??
        (provider === undefined || provider === "openai"
          ? "check OPENAI_BASE_URL, OPENAI_API_KEY and CRAG_MODEL"
          : `check CRAG_MODEL and the key of ${provider}`),
    );
  }
}

function webSearch({ settings }: CorrectiveRag): Finding {
  const providers = providerNames(settings);
  if (settings.webSearch === "off") return { state: "ok", text: "switched off" };
  if (providers.length > 0)
    return { state: "ok", text: `${settings.webSearch}: ${providers.join(", ")}` };
  return {
    state: "note",
    text: "no provider: only your documents are searched",
    fix: `${WEB_PROVIDER_ADVICE}, or name mediawiki in CRAG_WEB_PROVIDERS`,
  };
}

function reranker({ settings }: CorrectiveRag): Finding {
  return { state: "ok", text: settings.reranker ?? "none: the reader ranks the passages" };
}

async function mcpServers({
  settings: { mcpConfig },
}: CorrectiveRag): Promise<Finding | undefined> {
  if (mcpConfig === undefined) return undefined;
  const trouble: string[] = [];
  const servers = mcpTools(mcpConfig, (message) => trouble.push(message));
  try {
    const text = (await servers.get()).map(({ name }) => name).join(", ") || "none";
    if (trouble.length === 0) return { state: "ok", text };
    return { state: "note", text, fix: `${trouble.join("; ")}: see ${mcpConfig}` };
  } finally {
    await servers.close();
  }
}

/** Above what a check found. */
const COLUMN = " ".repeat(22);

function tell(about: string, { state, text, fix }: Finding): void {
  const { green, yellow, red, dim } = styleFor(process.stdout);
  const columns = columnsOf(process.stdout);
  const finding = wrapped(text, columns && columns - COLUMN.length);
  print(
    `${state.padEnd(4)}  ${about.padEnd(15)} ${finding.replaceAll("\n", `\n${COLUMN}`)}`,
    { ok: green, note: yellow, bad: red }[state],
  );
  if (fix !== undefined) print(`${COLUMN}${asTyped(fix)}`, dim);
}
