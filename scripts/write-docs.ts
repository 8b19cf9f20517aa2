import { readFile, writeFile } from "node:fs/promises";
import { DEMO_VECTORS } from "../src/assembly/demo.js";
import { writeDemoVectors } from "./demo-vectors.js";
import { GENERATED } from "./generated-docs.js";

for (const { path, render } of GENERATED) {
  const current = await readFile(path, "utf8").catch(() => "");
  const text = await render(current);
  if (text !== current) {
    await writeFile(path, text);
    process.stderr.write(`wrote ${path}\n`);
  }
}
if (await writeDemoVectors()) process.stderr.write(`wrote ${DEMO_VECTORS}\n`);
