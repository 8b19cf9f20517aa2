/** `--web ask`: the person at the terminal allows, rewords or denies each web search. */
import { createInterface } from "node:readline/promises";
import type { CorrectiveRagResult } from "../corrective-rag.js";
import { PermissionRequest } from "../state/permission.js";
import { printable, say } from "./terminal.js";

export const WEB_CHOICES = ["on", "ask", "off"] as const;

/** Puts one question to the person and returns the line that was typed. */
export type Prompt = (text: string) => Promise<string>;

const CHOICE = "  [y] allow  [e] reword  [a] always here  [n] deny > ";

/** Decides on each request of a run that waits; where nobody is at the terminal, all are denied. */
export async function decisionsOn(
  interrupts: CorrectiveRagResult["interrupts"],
  ask: Prompt | undefined,
): Promise<{ decisions: object[] }> {
  const requests = interrupts.flatMap(({ value }) => {
    const request = PermissionRequest.safeParse(value);
    return request.success ? request.data.actionRequests : [];
  });
  if (ask === undefined && requests.length > 0)
    say("the web search was not allowed: nobody is at the terminal");
  const decisions: object[] = [];
  for (const { name, args, description } of requests)
    decisions.push(
      ask === undefined ? { type: "reject" } : await decisionOn(name, args, description, ask),
    );
  return { decisions };
}

async function decisionOn(
  name: string,
  args: Record<string, unknown>,
  description: string,
  ask: Prompt,
): Promise<object> {
  say(printable(description));
  const choice = (await ask(CHOICE)).trim().toLowerCase();
  if (choice.startsWith("y")) return { type: "approve" };
  if (choice.startsWith("a")) return { type: "approve", always_in_this_thread: true };
  if (!choice.startsWith("e")) return { type: "reject" };
  const query = await ask("  search for > ");
  return { type: "edit", editedAction: { name, args: { ...args, query } } };
}

/** The terminal's prompt; undefined where standard input is no terminal. */
export function terminalPrompt(): Prompt | undefined {
  if (!process.stdin.isTTY) return undefined;
  return async (text) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await lines.question(text);
    } finally {
      lines.close();
    }
  };
}
