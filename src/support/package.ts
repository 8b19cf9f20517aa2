/** The folder and the version of this package; works from `src/` and from `dist/`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const PACKAGE_ROOT = fileURLToPath(new URL("../../", import.meta.url));

export function packageVersion(root = PACKAGE_ROOT): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return String(Reflect.get(Object(manifest), "version"));
}
