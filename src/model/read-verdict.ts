/** Reads the verdict of a judge of the whole set, whatever it calls the fields: `{relevance_score, …}` or `{score, tool_needed, hints, …}`. */
import { jsonCandidates } from "./read-json.js";
import { readScore, readScores } from "./read-scores.js";
import type { Parsed } from "./structured-call.js";

export interface Verdict {
  /** 0–1. */
  score: number;
  /** The label that the judge stated, as it stated it; `adequate` or `inadequate` from a judge of adequacy. */
  statedLabel?: string;
  /** 0–1. */
  confidence?: number;
  reasoning?: string;
  /** Name of a tool. */
  toolNeeded?: string;
  hints?: string[];
}

const MAX_DEPTH = 6;
const MAX_REASONING = 1_000;
const MAX_HINTS = 8;
const MAX_HINT = 200;

/** Pure and total: any output gives a verdict whose numbers lie in 0–1, or the reason why there is none. */
export function readVerdict(output: unknown): Parsed<Verdict> {
  const candidates = typeof output === "string" ? jsonCandidates(output) : [output];
  for (const candidate of candidates) {
    const value = verdictIn(candidate, 0);
    if (value) return { success: true, value };
  }
  const said = readScores(output, 1);
  const [score] = said.success ? said.value : [];
  if (score !== undefined) return { success: true, value: { score } };
  return { success: false, error: "the answer does not hold a score" };
}

type Fields = ReadonlyMap<string, unknown>;

function verdictIn(value: unknown, depth: number): Verdict | undefined {
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return value.length === 1 ? verdictIn(value[0], depth + 1) : undefined;
  const fields: Fields = new Map(
    Object.entries(value).map(([key, field]) => [key.toLowerCase().replace(/[^a-z]/g, ""), field]),
  );
  const score = readScore(first(fields, "relevancescore", "score", "adequacyscore", "adequacy"));
  if (score !== undefined) return { score, ...rest(fields) };
  for (const inner of fields.values()) {
    const verdict = verdictIn(inner, depth + 1);
    if (verdict) return verdict;
  }
  return undefined;
}

function rest(fields: Fields): Omit<Verdict, "score"> {
  const statedLabel = words(first(fields, "relevancelabel", "label"), 40) ?? adequacy(fields);
  const confidence = readScore(fields.get("confidence"));
  const reasoning = words(first(fields, "reasoning", "explanation", "reason"), MAX_REASONING);
  const needed = first(fields, "toolneeded", "needstool");
  const tool = words(Array.isArray(needed) ? needed[0] : needed, MAX_HINT);
  const toolNeeded = tool === undefined || NO_TOOL.test(tool) ? undefined : tool;
  const hints = list(first(fields, "hints", "hint", "missing"));
  return {
    ...(statedLabel !== undefined && { statedLabel }),
    ...(confidence !== undefined && { confidence }),
    ...(reasoning !== undefined && { reasoning }),
    ...(toolNeeded !== undefined && { toolNeeded }),
    ...(hints.length > 0 && { hints }),
  };
}

function first(fields: Fields, ...names: readonly string[]): unknown {
  return names.map((name) => fields.get(name)).find((value) => value !== undefined);
}

function adequacy(fields: Fields): string | undefined {
  const said = fields.get("adequate");
  if (typeof said !== "boolean" && typeof said !== "string") return undefined;
  return /^\s*(?:true|yes|adequate)\s*$/i.test(String(said)) ? "adequate" : "inadequate";
}

const NO_TOOL = /^(?:no|none|null|nil|false|n\/a|not needed|nothing|-)$/i;

function words(value: unknown, maxCharacters: number): string | undefined {
  const text = typeof value === "string" ? value.trim().slice(0, maxCharacters) : "";
  return text === "" ? undefined : text;
}

function list(value: unknown): string[] {
  const items: unknown[] =
    typeof value === "string" ? value.split(/[\n;]/) : Array.isArray(value) ? value : [];
  return items
    .flatMap((item) => (typeof item === "string" ? [item.replace(/^[-*•\s]+/, "")] : []))
    .flatMap((item) => words(item, MAX_HINT) ?? [])
    .slice(0, MAX_HINTS);
}
