/** What web search and fetching have in common. */
import type { Scope } from "../observability/scope.js";
import type { Evidence } from "../state/evidence.js";
import type { WebPage, WebResult } from "../web/search-provider.js";
import {
  evidenceId,
  makeEvidence,
  MAX_EVIDENCE_CHARACTERS,
  type FoundBy,
} from "./make-evidence.js";
import { bestPassages } from "./page-passages.js";

/** @throws Error where the settings, or the user in this conversation, switched the web off */
export function requireWeb({ settings }: Scope): void {
  if (settings.webSearch === "off" || settings.switchedOff.includes("web"))
    throw new Error("web search is switched off");
}

/** A search result as evidence. */
export function evidenceFromResult(
  { url, title, text, provider, date }: Omit<WebResult, "provider"> & { provider?: string },
  by: FoundBy,
): Evidence {
  const source = {
    kind: "web" as const,
    url,
    ...(provider === undefined ? {} : { provider }),
    ...(date === undefined ? {} : { date }),
  };
  return makeEvidence({ id: evidenceId("web", url, text), text, title, source }, by);
}

/** The parts of a fetched page that have most to do with the question, each as evidence. */
export function evidenceFromPage(
  { text, ...page }: WebPage,
  {
    question,
    provider,
    count,
    ...by
  }: FoundBy & { question: string; provider?: string; count: number },
): Evidence[] {
  const from = { ...page, ...(provider === undefined ? {} : { provider }) };
  return bestPassages(text, question, { count, maxCharacters: MAX_EVIDENCE_CHARACTERS }).map(
    (passage) => evidenceFromResult({ ...from, text: passage }, by),
  );
}
