import { readFile, writeFile } from "node:fs/promises";
import { GENERATED } from "./generated-docs.js";

for (const { path, render } of GENERATED) {
  const current = await readFile(path, "utf8").catch(() => "");
  const text = await render(current);
  if (text !== current) {
    await writeFile(path, text);
    process.stderr.write(`wrote ${path}\n`);
  }
}
