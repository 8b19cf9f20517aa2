import type { Turn } from "../../reasoner.js";

/** Turns shown at most, the latest ones, each cut: enough for what "it" or "the second one" can refer to. */
const MAX_TURNS = 8;
const MAX_CHARACTERS = 1200;

/** Earlier turns as lines, oldest first. */
export function conversation(history: readonly Turn[]): string {
  return history
    .slice(-MAX_TURNS)
    .map((turn) => `${turn.role === "user" ? "User" : "Assistant"}: ${cut(turn.text)}`)
    .join("\n");
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line;
}
