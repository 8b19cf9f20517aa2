import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * Starts a worker thread from a module of this package, compiled or not.
 * @param module path of the module without its extension, relative to `base`
 * @param base `import.meta.url` of the caller
 * @example startWorker("./parse-worker", import.meta.url)
 */
export function startWorker(module: string, base: string, given: WorkerOptions = {}): Worker {
  // The API server preloads a module into every thread that reads the last argument.
  const options = { argv: process.argv.slice(2), ...given };
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
