/** `doctor`: what is set, what is missing, what answers, and how to mend each finding. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CorrectiveRag } from "../corrective-rag.js";
import { DEMO_DIRECTORY } from "../assembly/demo.js";
import { folderOf } from "../assembly/knowledge-base.js";
import { mcpTools } from "../assembly/mcp-tools.js";
import { createChatModel, providerOf } from "../model/chat-model.js";
import { DEFAULT_MODEL } from "../settings/run-settings.js";
import { entriesOf } from "../settings/setting.js";
import { SETTINGS, type Settings } from "../settings/table.js";
import { hintOf, reasonOf } from "../support/errors.js";
import { oneLine } from "../text/one-line.js";
import { counted } from "../text/words.js";
import { providerNames } from "../web/providers/create-providers.js";
import { openAgent } from "./open.js";
import { DONE, FAILED } from "./report-error.js";
import { print, printJson, styleFor } from "./terminal.js";

interface DoctorOptions {
  kb?: string;
  json?: boolean;
}

/** `ok`: works. `note`: works, but could work better. `bad`: does not work. */
interface Finding {
  about: string;
  state: "ok" | "note" | "bad";
  text: string;
  mend?: string;
}

/** An endpoint that says nothing for so long is taken for dead. */
const PATIENCE_IN_MS = 15_000;

export async function doctor({ kb, json }: DoctorOptions): Promise<number> {
  const agent = await openAgent({ kb, needsBase: false, settings: { auditLog: "off" } });
  try {
    const findings = [
      environment(),
      await knowledgeBase(agent, kb),
      reader(agent),
      await model(agent.settings, agent.reasonerKind),
      web(agent.settings),
      reranker(agent.settings),
      ...(await mcpServers(agent.settings)),
    ];
    if (json) printJson({ findings });
    else for (const finding of findings) tell(finding);
    return findings.some(({ state }) => state === "bad") ? FAILED : DONE;
  } finally {
    await agent.close();
  }
}

/** Which variables are set; never the value of a key. */
function environment(): Finding {
  const set = entriesOf(SETTINGS).flatMap(({ env, setting }) => {
    if (env === undefined) return [];
    const name = [env, ...(setting.aliases ?? [])].find((each) => process.env[each]);
    if (name === undefined) return [];
    return [`${name}=${setting.secret ? "***" : (process.env[name] ?? "")}`];
  });
  const text = set.length === 0 ? "nothing is set; nothing needs to be" : set.join(", ");
  return { about: "settings", state: "ok", text };
}

async function knowledgeBase(agent: CorrectiveRag, kb: string | undefined): Promise<Finding> {
  const about = "knowledge base";
  try {
    const opened = await agent.knowledgeBase();
    const { documents, passages, embedding } = await opened.stats();
    const file = join(kb ?? folderOf(agent.settings), "kb.sqlite");
    const size = existsSync(file) ? `, ${(statSync(file).size / 1e6).toFixed(1)} MB` : "";
    const vectors = embedding
      ? `vectors by ${embedding.model}${embedding.pending ? ` (${embedding.pending} passages have none yet)` : ""}`
      : "no vectors";
    const held = `${counted(documents, "document")}, ${counted(passages, "passage")}`;
    const text = `${opened.name}: ${held}, ${vectors}${size}`;
    if (opened.name.includes(DEMO_DIRECTORY) || documents === 0)
      return { about, state: "note", text, mend: "corrective-rag ingest PATH" };
    return { about, state: "ok", text };
  } catch (error) {
    return { about, state: "bad", text: reasonOf(error), mend: hintOf(error) };
  }
}

function reader({ settings, notices }: CorrectiveRag): Finding {
  const trouble = notices.find((notice) => notice.includes("encoder"));
  return trouble === undefined
    ? { about: "reader", state: "ok", text: settings.reader }
    : { about: "reader", state: "note", text: trouble, mend: "npm install onnxruntime-web" };
}

async function model(settings: Settings, kind: "model" | "embedded"): Promise<Finding> {
  const about = "model";
  if (kind === "embedded")
    return {
      about,
      state: "note",
      text: `${settings.model === undefined ? "none" : `${settings.model} has no endpoint`}: answers are quoted from the documents`,
      mend: "set OPENAI_API_KEY, or OPENAI_BASE_URL for a model of your own",
    };
  const name = settings.model ?? DEFAULT_MODEL;
  const baseUrl = settings.openaiBaseUrl;
  const where = providerOf(name) ? "" : ` at ${baseUrl ?? "https://api.openai.com/v1"}`;
  try {
    const chat = await createChatModel({
      model: name,
      baseUrl,
      apiKey: settings.openaiApiKey,
      maxTokens: 16,
      timeoutInMs: PATIENCE_IN_MS,
    });
    await chat.invoke([{ role: "user", content: "Say yes." }], {
      signal: AbortSignal.timeout(PATIENCE_IN_MS),
    });
    return { about, state: "ok", text: `${name}${where} answers` };
  } catch (error) {
    return {
      about,
      state: "bad",
      text: `${name}${where} does not answer: ${oneLine(reasonOf(error), 160)}`,
      mend: hintOf(error) ?? "check OPENAI_BASE_URL, OPENAI_API_KEY and CRAG_MODEL",
    };
  }
}

function web(settings: Settings): Finding {
  const about = "web search";
  const providers = providerNames(settings);
  if (settings.webSearch === "off") return { about, state: "ok", text: "switched off" };
  if (providers.length > 0)
    return { about, state: "ok", text: `${settings.webSearch}: ${providers.join(", ")}` };
  return {
    about,
    state: "note",
    text: "no provider: only your documents are searched",
    mend: "set TAVILY_API_KEY, BRAVE_API_KEY or SEARXNG_URL, or name mediawiki in CRAG_WEB_PROVIDERS",
  };
}

function reranker({ reranker: name }: Settings): Finding {
  return { about: "reranker", state: "ok", text: name ?? "none: the reader orders what is found" };
}

/** The tools that MCP servers offer; nothing where none are named. */
async function mcpServers({ mcpConfig }: Settings): Promise<Finding[]> {
  if (mcpConfig === undefined) return [];
  const about = "MCP tools";
  const trouble: string[] = [];
  const servers = mcpTools(mcpConfig, (message) => trouble.push(message));
  try {
    const text = (await servers.get()).map(({ name }) => name).join(", ") || "none";
    return trouble.length === 0
      ? [{ about, state: "ok", text }]
      : [{ about, state: "note", text, mend: `${trouble.join("; ")}: see ${mcpConfig}` }];
  } catch (error) {
    return [{ about, state: "bad", text: reasonOf(error), mend: hintOf(error) }];
  } finally {
    await servers.close();
  }
}

function tell({ about, state, text, mend }: Finding): void {
  const { green, yellow, red, dim } = styleFor(process.stdout);
  print(
    `${state.padEnd(4)}  ${about.padEnd(15)} ${text}`,
    { ok: green, note: yellow, bad: red }[state],
  );
  if (mend !== undefined) print(`${" ".repeat(22)}${mend}`, dim);
}
