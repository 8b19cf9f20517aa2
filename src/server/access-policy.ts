import type { AccessPolicy } from "./access.js";

const STUDIO = ["https://smith.langchain.com", "https://eu.smith.langchain.com"];

/** Reads the policy of the server from its environment. */
export function accessPolicy(
  environment: Readonly<Record<string, string | undefined>>,
): AccessPolicy {
  const list = (name: string): string[] =>
    (environment[name] ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
  return {
    origins: [...STUDIO, ...list("CRAG_ALLOWED_ORIGINS").map((entry) => entry.replace(/\/$/, ""))],
    hosts: list("CRAG_ALLOWED_HOSTS").map((entry) => entry.toLowerCase()),
    webhookOrigins: list("CRAG_WEBHOOK_ORIGINS").map((entry) => entry.replace(/\/$/, "")),
    keys: list("CRAG_API_KEYS"),
    maxBodyBytes: Number(environment["CRAG_MAX_BODY_BYTES"] ?? 1_048_576),
    maxTextBytes: Number(environment["CRAG_MAX_QUESTION_BYTES"] ?? 16_384),
    maxItems: 200,
  };
}
