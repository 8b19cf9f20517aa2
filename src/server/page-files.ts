/**
 * The files of the page: our own from `ui/`, and the two libraries it uses, from where they are
 * installed.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface PageFile {
  body: string;
  type: string;
}

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
};

/** Names of our own files: no folders, so that a request cannot leave `ui/`. */
const OWN_FILE = /^[a-z][a-z-]*\.(?:js|css|svg)$/;

/** The modules that browsers can load as they are, relative to the package's folder. */
const LIBRARIES: Record<string, { package: string; file: string }> = {
  "preact.js": { package: "preact", file: "dist/preact.mjs" },
  "preact-hooks.js": { package: "preact", file: "hooks/dist/hooks.mjs" },
  "htm.js": { package: "htm", file: "dist/htm.module.js" },
};

/** @returns undefined when there is no such file */
export async function ownFile(name: string): Promise<PageFile | undefined> {
  return OWN_FILE.test(name) ? readPageFile(join(pageFolder(), name)) : undefined;
}

export async function libraryFile(name: string): Promise<PageFile | undefined> {
  const library = Object.hasOwn(LIBRARIES, name) ? LIBRARIES[name] : undefined;
  return library && readPageFile(join(folderOf(library.package), library.file));
}

export interface PageDocument extends PageFile {
  /** For the Content-Security-Policy: what the page may load, its import map named by its hash. */
  policy: string;
}

export async function pageDocument(): Promise<PageDocument> {
  const body = await readFile(join(pageFolder(), "index.html"), "utf8");
  const importMap = /<script type="importmap">([\s\S]*?)<\/script>/.exec(body)?.[1] ?? "";
  const hash = createHash("sha256").update(importMap).digest("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return { body, type: TYPES[".html"] ?? "", policy };
}

async function readPageFile(path: string): Promise<PageFile | undefined> {
  if (!existsSync(path)) return undefined;
  return {
    body: await readFile(path, "utf8"),
    type: TYPES[extname(path).replace("mjs", "js")] ?? "text/plain",
  };
}

/** `ui/` of the package, from `src/` as well as from `dist/`. */
function pageFolder(): string {
  return fileURLToPath(new URL("../../ui/", import.meta.url));
}

/** The folder of an installed package, wherever npm put it. */
function folderOf(name: string): string {
  let folder = dirname(createRequire(import.meta.url).resolve(name));
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder;
}
