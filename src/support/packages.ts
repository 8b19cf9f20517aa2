/** This package's folder, version and threads, and the optional packages beside it. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { UserError } from "./errors.js";

/** The same from `src/` and from `dist/`. */
export const PACKAGE_ROOT = fileURLToPath(new URL("../../", import.meta.url));

export function packageVersion(root = PACKAGE_ROOT): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return String(Reflect.get(Object(manifest), "version"));
}

/**
 * Starts a worker thread from a module of this package, compiled or not.
 * @param module path of the module without its extension, relative to `base`
 * @param base `import.meta.url` of the caller
 * @example startWorker("./parse-worker", import.meta.url)
 */
export function startWorker(module: string, base: string, given: WorkerOptions = {}): Worker {
  // The API server preloads a module into every thread that reads the last argument.
  const options: WorkerOptions = { argv: process.argv.slice(2), ...given };
  // A file is no input, which is what `node --input-type=module -e …` says that its modules are.
  if (process.execArgv.some((each) => each.startsWith("--input-type"))) options.execArgv = [];
  if (!base.endsWith(".ts")) return new Worker(new URL(`${module}.js`, base), options);
  // In tests and benchmarks, which run the sources, a worker does not inherit the loader.
  const loader = createRequire(base)
    .resolve("tsx/esm/api")
    .replace("api/index.cjs", "api/index.mjs");
  const [register, entry] = [pathToFileURL(loader), new URL(`${module}.ts`, base)];
  const code =
    `import("${register.href}").then((tsx) => { tsx.register(); ` +
    `return import("${entry.href}"); });`;
  return new Worker(code, { ...options, eval: true, execArgv: [] });
}

/**
 * Checks for optional peers before they are needed.
 * @throws UserError naming those that are not installed
 * @param names `name@4` allows no later major version
 * @example requirePackages("the model groq:llama-4", ["langchain", "@langchain/groq"])
 */
export function requirePackages(feature: string, names: readonly string[]): void {
  const missing = names.filter((each) => !isInstalled(each));
  if (missing.length === 0) return;
  // Its old optional peers disagree with today's core, at which npm gives up.
  const flag = names.includes("@langchain/community") ? "--force " : "";
  throw new UserError(
    `${feature} needs ${missing.join(" and ")}: not installed`,
    `npm install ${flag}${missing.join(" ")}`,
    2,
    "package_missing",
  );
}

/** True for a package that can be imported, also one that does not export its manifest. */
export function isInstalled(named: string): boolean {
  const { resolve } = createRequire(import.meta.url);
  const [, name = named, newest] = /^(.+)@(\d+)$/u.exec(named) ?? [];
  return [`${name}/package.json`, ...(newest ? [] : [name])].some((each) => {
    try {
      const found = resolve(each);
      return !newest || Number.parseInt(packageVersion(dirname(found))) <= Number(newest);
    } catch (error) {
      return error instanceof Error && "code" in error && error.code !== "MODULE_NOT_FOUND";
    }
  });
}
