import type { RunSettings } from "../../src/settings/run-settings.js";
import { decide, type Decision } from "../../src/grading/decide.js";
import type { DecideInput } from "../../src/grading/apply-verdict.js";
import { PROFILES } from "../../src/grading/profiles.js";
import type { Evidence, EvidenceSource } from "../../src/state/evidence.js";

export function item(id: string, over: Partial<Evidence> = {}): Evidence {
  const source: EvidenceSource = { kind: "file", path: `${id}.md`, start_line: 1 };
  return {
    id,
    text: `text of ${id}`,
    title: id,
    source,
    tool: "keyword_search",
    round: 0,
    scores: [],
    status: "ungraded",
    ...over,
  };
}

export function webItem(id: string, over: Partial<Evidence> = {}): Evidence {
  return item(id, {
    source: { kind: "web", url: `https://example.org/${id}` },
    tool: "web_search",
    ...over,
  });
}

/** A decision on items named a, b, c … that the profile's judge gave these scores. */
export function decided(
  profile: RunSettings["profile"],
  scores: readonly number[],
  over: Partial<DecideInput> = {},
): Decision {
  const evidence = over.evidence ?? scores.map((_, index) => item(String.fromCharCode(97 + index)));
  const { judge, defaults } = PROFILES[profile];
  const setScore =
    judge === "set" || judge === "adequacy" ? { set: { score: scores[0] ?? 0 } } : {};
  const signals =
    judge === "signals"
      ? { signals: { rerank: scores[0] ?? 0, coverage: scores[0] ?? 0, agreement: scores[0] ?? 0 } }
      : {};
  return decide({
    profile: PROFILES[profile],
    thresholds: defaults,
    evidence,
    judgement: {
      judge,
      scores: Object.fromEntries(
        evidence.map(({ id }, index) => [id, scores[index] ?? scores[0] ?? 0]),
      ),
      ...setScore,
      ...signals,
    },
    iteration: 0,
    maxIterations: 3,
    roundWasNew: true,
    untriedStrategies: ["vector", "web"],
    stepsLeft: 40,
    correctionSteps: { REFINE: 5, RE_RETRIEVE: 6 },
    webAvailable: true,
    ...over,
  });
}
