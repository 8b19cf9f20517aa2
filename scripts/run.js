// Runs the command line from its TypeScript sources without a loader in the way: whatever changed since the last run is stripped of its
// types into dist/, one file for one file, and then plain Node runs it. Half the start-up time of a loader, which every `ask` would pay.
// The package itself is built by `npm run build`, with declarations.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import module from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const source = join(root, "src");
const target = join(root, "dist");
const stampFile = join(target, ".sources.json");

// From Node 22.1 on, what was compiled once is kept for the next start. NODE_COMPILE_CACHE says where, NODE_DISABLE_COMPILE_CACHE that it is not.
module.enableCompileCache?.();
try {
  await bringUpToDate();
  await import("../dist/cli/main.js");
} catch (error) {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  const isBare = error.message.includes("@swc/core") && existsSync(join(root, "node_modules"));
  const mend = isBare
    ? "this clone is not built (run: npm ci && npm prune --omit=dev)"
    : "the dependencies are not installed (run: npm ci)";
  process.stderr.write(`error: ${mend}\n`);
  process.exit(1);
}

async function bringUpToDate() {
  const now = Object.fromEntries(
    readdirSync(source, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|json)$/.test(entry.name))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .map((path) => [relative(source, path), stampOf(path)]),
  );
  const before = readStamps();
  const changed = Object.keys(now).filter((path) => now[path] !== before[path]);
  const gone = Object.keys(before).filter((path) => !(path in now));
  if (changed.length + gone.length === 0) return;
  const compiler = await import("@swc/core").catch((error) => {
    // With --omit=dev there is none, and what was built before runs.
    if (!existsSync(join(target, "cli", "main.js"))) throw error;
  });
  if (compiler === undefined) return;
  await Promise.all([
    ...changed.map((path) => compile(path, compiler.transform)),
    ...gone.map((path) => rm(join(target, outputOf(path)), { force: true })),
  ]);
  await write(stampFile, JSON.stringify(now));
}

async function compile(path, transform) {
  const text = await readFile(join(source, path), "utf8");
  if (path.endsWith(".json")) return write(join(target, path), text);
  const { code } = await transform(text, {
    filename: path,
    configFile: false,
    swcrc: false,
    jsc: {
      parser: { syntax: "typescript" },
      target: "es2022",
      experimental: { keepImportAttributes: true },
    },
    module: { type: "es6" },
  });
  return write(join(target, outputOf(path)), code);
}

/** Another process may be doing the same: a file is there whole or not at all. */
async function write(path, text) {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}

function stampOf(path) {
  const { mtimeMs, size } = statSync(path);
  return `${mtimeMs}:${size}`;
}

function readStamps() {
  try {
    return JSON.parse(readFileSync(stampFile, "utf8"));
  } catch {
    return {};
  }
}

function outputOf(path) {
  return path.replace(/\.ts$/, ".js");
}
