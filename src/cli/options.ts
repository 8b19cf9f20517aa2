/** The options of the commands as their code gets them, checked. */
import type { ProfileName, Quality } from "../settings/run-settings.js";

export interface AskOptions {
  kb?: string;
  profile?: ProfileName;
  quality?: Quality;
  web?: "on" | "off";
  json?: boolean;
  stream?: boolean;
}
export type ChatOptions = Omit<AskOptions, "json" | "stream">;
export interface IngestOptions {
  kb?: string;
  json?: boolean;
}
export interface DevOptions {
  port: number;
  host: string;
  browser: boolean;
  reload: boolean;
}
export interface AuditOptions {
  log?: string;
  json?: boolean;
  limit?: number;
}
