import { createHash } from "node:crypto";
import type { Evidence } from "../state/evidence.js";
import type { WebPage, WebResult } from "../web/search-provider.js";
import { bestPassages } from "./page-passages.js";

/** Characters of one piece of web evidence: every checkpoint and every stream of values carries it. */
export const MAX_EVIDENCE_CHARACTERS = 2_000;

/** A search result as evidence. */
export function evidenceFromResult(
  result: WebResult,
  { tool, round }: { tool: string; round: number },
): Evidence {
  const { url, title, provider, date } = result;
  return webEvidence({ url, title, text: cut(result.text), provider, date, tool, round });
}

/** The parts of a fetched page that have most to do with the question, each as evidence of its own. */
export function evidenceFromPage(
  page: WebPage,
  {
    question,
    tool,
    round,
    provider,
    count,
  }: { question: string; tool: string; round: number; provider?: string; count: number },
): Evidence[] {
  const { url, title, date } = page;
  return bestPassages(page.text, question, { count, maxCharacters: MAX_EVIDENCE_CHARACTERS }).map(
    ({ text }) => webEvidence({ url, title, text, provider, date, tool, round }),
  );
}

function webEvidence({
  url,
  title,
  text,
  provider,
  date,
  tool,
  round,
}: Omit<WebResult, "provider"> & { provider?: string; tool: string; round: number }): Evidence {
  return {
    id: evidenceId(url, text),
    text,
    title,
    source: {
      kind: "web",
      url,
      ...(provider === undefined ? {} : { provider }),
      ...(date === undefined ? {} : { date }),
    },
    tool,
    round,
    scores: [],
    status: "ungraded",
  };
}

/** Of address and text: the same passage found twice has the same id, and another snippet of the same page is graded on its own. */
function evidenceId(url: string, text: string): string {
  return `web:${createHash("sha256").update(`${url}\n${text}`).digest("hex").slice(0, 16)}`;
}

function cut(text: string): string {
  if (text.length <= MAX_EVIDENCE_CHARACTERS) return text;
  const part = text.slice(0, MAX_EVIDENCE_CHARACTERS - 1);
  const space = part.lastIndexOf(" ");
  return `${(space > MAX_EVIDENCE_CHARACTERS / 2 ? part.slice(0, space) : part).trimEnd()}…`;
}
