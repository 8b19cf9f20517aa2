import { callKey } from "../state/tool-history.js";
import type { Plan, PlanInput } from "../reasoning/reasoner.js";

/** Calls of one round at most. */
const MAX_CALLS = 6;

/**
 * A model's calls beside those of the rules. The rules' calls come first, so that no question loses its own words. A model that saw hints, or
 * earlier calls, which may be made of hints, saw words that stem from evidence; then only its local searches are taken, because what leaves the
 * machine or reaches a user's tool must not carry them.
 */
export function mergePlans(
  input: PlanInput,
  byRule: Plan,
  planned: { calls: { tool: string; arguments_json: string }[]; reason: string },
): Plan {
  const sawEvidence = input.hints.length > 0 || input.history.length > 0;
  const seen = new Set([...input.history, ...byRule.calls].map(callKey));
  const calls = [...byRule.calls];
  for (const { tool, arguments_json } of planned.calls) {
    const description = input.tools.find((each) => each.name === tool);
    const args = argumentsOf(arguments_json);
    if (description === undefined || args === undefined || calls.length >= MAX_CALLS) continue;
    if (sawEvidence && (description.external || description.strategy === undefined)) continue;
    const call = { tool, args };
    if (seen.has(callKey(call))) continue;
    seen.add(callKey(call));
    calls.push(call);
  }
  return { calls, reason: planned.reason.trim() === "" ? byRule.reason : planned.reason };
}

function argumentsOf(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
