import { readFile } from "node:fs/promises";
import { UserError } from "../support/errors.js";

/**
 * Puts the variables of `.env` in the working directory beside those of the environment, which win; a missing file is no mistake.
 * @throws UserError for a file in another encoding than UTF-8, of which nothing would be read: PowerShell's `>` writes UTF-16
 */
export async function loadDotEnv(
  environment: Record<string, string | undefined> = process.env,
): Promise<void> {
  const bytes = await readFile(".env").catch(() => undefined);
  if (bytes?.includes(0) === true)
    throw new UserError(
      ".env is not UTF-8 text, so that nothing of it would be read",
      "save it as UTF-8",
    );
  const { config } = await import("dotenv");
  config({ quiet: true, processEnv: environment });
}
