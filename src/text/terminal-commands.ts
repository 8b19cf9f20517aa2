/** A command to the terminal as a whole (ECMA-48, 5.4): a colour, a move of the cursor. Without its first character it would read as text. */
const COMMAND = /\u001b\[[0-?]*[ -/]*[@-~]/gu;

/** A text without the commands that come along when it is copied from a terminal. */
export function withoutTerminalCommands(text: string): string {
  return text.replace(COMMAND, "");
}
