/**
 * Fits the weights that are shipped: `node --import tsx evals/fit-reader.ts --data FOLDER [--out FILE]`.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  fitWeights,
  measureFamily,
  type MeasuredFamily,
} from "../src/reader/calibrate/fit-weights.js";
import { readFamily } from "../src/reader/calibrate/labels.js";
import { createReader } from "../src/reader/create-reader.js";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string", default: "src/reader/weights.json" },
    reader: { type: "string", default: "trained" },
  },
});
const data = values.data ?? "";
const reader = createReader({ model: values.reader });
const measured: MeasuredFamily[] = [];
for (const folder of ["evidence", "claims"])
  for (const file of readdirSync(join(data, folder))) {
    if (!file.endsWith(".jsonl") || file.endsWith("-articles.jsonl")) continue;
    measured.push(await measureFamily(readFamily(join(data, folder, file)), reader));
  }
await reader.close();
writeFileSync(values.out, `${JSON.stringify(fitWeights(measured), null, 1)}\n`);
