// `npm install` in a clone builds dist/, and so does the first `npx corrective-rag` there. It is built aside and then put in its place:
// another process may be running from it. With --omit=dev there is no compiler, and what was built before stays.
import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const dist = join(root, "dist");
let compiler;
try {
  compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
} catch {
  if (!existsSync(join(dist, "cli", "main.js")))
    console.log(
      "corrective-rag: not built, for lack of the compiler (run: npm ci && npm prune --omit=dev)",
    );
  process.exit(0);
}
const [built, before] = ["new", "old"].map((age) => join(root, `.dist-${age}-${process.pid}`));
// Types are checked by `npm run typecheck`, which takes half of the time.
run(compiler, "-p", "tsconfig.build.json", "--noCheck", "--outDir", built);
run("scripts/finish-build.js", built);
try {
  renameSync(dist, before);
} catch {
  // There was none yet.
}
renameSync(built, dist);
rmSync(before, { recursive: true, force: true });

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status === 0) return;
  rmSync(built, { recursive: true, force: true });
  process.exit(status ?? 1);
}
