import { createRequire } from "node:module";
import { UserError } from "./errors.js";

/**
 * Optional peers are looked for before they are needed, and named where they are missing.
 * @throws UserError when one is not installed
 * @example requirePackages("the model groq:llama-4", ["langchain", "@langchain/groq"])
 */
export function requirePackages(feature: string, names: readonly string[]): void {
  const missing = names.filter((each) => !isInstalled(each));
  if (missing.length === 0) return;
  throw new UserError(
    `${feature} needs ${missing.join(" and ")}, which ${missing.length === 1 ? "is" : "are"} not installed`,
    `npm install ${missing.join(" ")}`,
    2,
    "package_missing",
  );
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return true;
  } catch (error) {
    // A package that keeps its manifest to itself is there all the same.
    return error instanceof Error && "code" in error && error.code !== "MODULE_NOT_FOUND";
  }
}
