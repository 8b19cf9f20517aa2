/** Reads the verdict of a judge of the whole set: `{relevance_score, relevance_label, confidence, reasoning}` or `{score, adequate, tool_needed, hints}`. */
import { jsonCandidates } from "./json-candidates.js";
import { readScore } from "./parse-scores.js";

export interface Verdict {
  /** 0–1. */
  score: number;
  /** The label that the judge stated, as it stated it; `adequate` or `inadequate` from a judge of adequacy. */
  statedLabel?: string;
  /** 0–1. */
  confidence?: number;
  reasoning?: string;
  /** Name of a tool, or `any` when the judge only said that one is needed. */
  toolNeeded?: string;
  hints?: string[];
}

export type ParsedVerdict = { success: true; verdict: Verdict } | { success: false; error: string };

const MAX_DEPTH = 6;
const MAX_REASONING_CHARACTERS = 1_000;
const MAX_HINTS = 8;
const MAX_HINT_CHARACTERS = 200;

/** Pure and total: any output gives a verdict whose numbers lie in 0–1, or the reason why there is none. */
export function parseVerdict(output: unknown): ParsedVerdict {
  const candidates = typeof output === "string" ? jsonCandidates(output) : [output];
  for (const candidate of candidates) {
    const verdict = verdictIn(candidate, 0);
    if (verdict) return { success: true, verdict };
  }
  return { success: false, error: "the answer does not hold a score" };
}

function verdictIn(value: unknown, depth: number): Verdict | undefined {
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return value.length === 1 ? verdictIn(value[0], depth + 1) : undefined;
  const fields = new Map(
    Object.entries(value).map(([key, field]): [string, unknown] => [
      key.toLowerCase().replace(/[^a-z]/g, ""),
      field,
    ]),
  );
  const score = readScore(
    fields.get("relevancescore") ??
      fields.get("score") ??
      fields.get("adequacyscore") ??
      fields.get("adequacy") ??
      fields.get("relevance"),
  );
  if (score === undefined) {
    for (const inner of fields.values()) {
      const verdict = verdictIn(inner, depth + 1);
      if (verdict) return verdict;
    }
    return undefined;
  }
  return { score, ...optional(fields) };
}

function optional(fields: ReadonlyMap<string, unknown>): Omit<Verdict, "score"> {
  const statedLabel = label(fields);
  const confidence = readScore(fields.get("confidence"));
  const reasoning = words(
    fields.get("reasoning") ?? fields.get("explanation") ?? fields.get("reason"),
    MAX_REASONING_CHARACTERS,
  );
  const toolNeeded = tool(
    fields.get("toolneeded") ?? fields.get("needstool") ?? fields.get("toolnecessity"),
    fields.get("toolname") ?? fields.get("tool"),
  );
  const hints = list(fields.get("hints") ?? fields.get("hint") ?? fields.get("missing"));
  return {
    ...(statedLabel === undefined ? {} : { statedLabel }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(toolNeeded === undefined ? {} : { toolNeeded }),
    ...(hints.length === 0 ? {} : { hints }),
  };
}

function label(fields: ReadonlyMap<string, unknown>): string | undefined {
  const stated = words(fields.get("relevancelabel") ?? fields.get("label"), 40);
  if (stated !== undefined) return stated;
  const adequate = fields.get("adequate") ?? fields.get("isadequate");
  if (typeof adequate === "string")
    return /^\s*(true|yes|adequate)\s*$/i.test(adequate) ? "adequate" : "inadequate";
  return typeof adequate === "boolean" ? (adequate ? "adequate" : "inadequate") : undefined;
}

function words(value: unknown, maxCharacters: number): string | undefined {
  const text = typeof value === "string" ? value.trim().slice(0, maxCharacters) : "";
  return text === "" ? undefined : text;
}

const NO_TOOL = /^(?:no|none|null|nil|false|n\/a|not needed|nothing|-)?$/i;

function tool(needed: unknown, name: unknown): string | undefined {
  const named = words(name, MAX_HINT_CHARACTERS);
  const usable = named !== undefined && !NO_TOOL.test(named) ? named : undefined;
  if (typeof needed === "boolean") return needed ? (usable ?? "any") : undefined;
  const said = words(Array.isArray(needed) ? needed[0] : needed, MAX_HINT_CHARACTERS);
  if (said === undefined || NO_TOOL.test(said)) return undefined;
  return /^(?:true|yes)$/i.test(said) ? (usable ?? "any") : said;
}

function list(value: unknown): string[] {
  const items = typeof value === "string" ? value.split(/\n|;/) : Array.isArray(value) ? value : [];
  return items
    .flatMap(
      (item) =>
        words(
          typeof item === "string" ? item.replace(/^[-*•\s]+/, "") : undefined,
          MAX_HINT_CHARACTERS,
        ) ?? [],
    )
    .slice(0, MAX_HINTS);
}
