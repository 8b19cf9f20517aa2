import { readEnvironment, type Variables } from "../settings/environment.js";
import { completeSettings } from "../settings/run-settings.js";
import type { AccessPolicy } from "./access.js";

const STUDIO = ["https://smith.langchain.com", "https://eu.smith.langchain.com"];

/** Reads the policy of the server from its environment. */
export function accessPolicy(environment: Variables): AccessPolicy {
  const settings = completeSettings(readEnvironment(environment).settings);
  const withoutSlash = (origin: string): string => origin.replace(/\/$/, "");
  return {
    origins: [...STUDIO, ...(settings.allowedOrigins ?? []).map(withoutSlash)],
    hosts: (settings.allowedHosts ?? []).map((host) => host.toLowerCase()),
    webhookOrigins: (settings.webhookOrigins ?? []).map(withoutSlash),
    keys: settings.apiKeys ?? [],
    maxBodyBytes: settings.maxBodyBytes,
    maxUploadBytes: settings.maxUploadBytes,
    maxTextBytes: settings.maxQuestionBytes,
    maxItems: 200,
  };
}
