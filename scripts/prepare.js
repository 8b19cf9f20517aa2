// `npm install` in a clone builds dist/. With --omit=dev there is no compiler, and nothing is built.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";

try {
  createRequire(import.meta.url).resolve("typescript");
} catch {
  console.log("corrective-rag: dist/ was not built, because the compiler is not installed");
  process.exit(0);
}
const npm = process.env["npm_execpath"];
const built =
  npm === undefined
    ? spawnSync("npm", ["run", "build"], { stdio: "inherit", shell: true })
    : spawnSync(process.execPath, [npm, "run", "build"], { stdio: "inherit" });
process.exit(built.status ?? 1);
