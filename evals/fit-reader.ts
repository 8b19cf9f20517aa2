/**
 * Fits the weights of the readers without a joint one (`fit-joint.ts` fits those of the joint one).
 * Run again when the encoder or a signal changes.
 *
 *   node --import tsx evals/fit-reader.ts --data FOLDER [--limit 300] [--out FILE]
 */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { SHIPPED_WEIGHTS } from "../src/reader/weights.js";
import { createReader } from "../src/reader/create-reader.js";
import { evenlySpread } from "./evenly-spread.js";
import { evidenceFromQa } from "./evidence-from-qa.js";
import { fitWeights, measureFamily, type Family } from "./fit-weights.js";
import { readEvidenceFile, readQaDirectory } from "./formats.js";
import { readClaims } from "./labeled-claims.js";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string", default: "src/reader/weights.json" },
    /** Sets of a family at most, spread evenly; claims five times as many. */
    limit: { type: "string", default: "300" },
    reader: { type: "string", default: "trained" },
  },
});
const { data } = values;
if (data === undefined) throw new Error("name the folder of labeled data: --data FOLDER");
const limit = Number(values.limit);

/**
 * Picked where detectors disagree: nothing tells its claims apart (AUC .59 either way), and fitting
 * on it costs .007 to .010 AUC on each of four other sets.
 */
const LEFT_OUT = "faithbench.jsonl";

const filesIn = (folder: string): string[] =>
  readdirSync(join(data, folder))
    .filter((name) => name.endsWith(".jsonl") && !name.endsWith("-articles.jsonl"))
    .filter((name) => name !== LEFT_OUT)
    .map((name) => join(data, folder, name));
const nameOf = (file: string): string => basename(file, ".jsonl");

const families: Family[] = [];
for (const file of filesIn("evidence"))
  families.push({ name: nameOf(file), sets: await readEvidenceFile(file), claims: [] });
for (const file of filesIn("claims"))
  families.push({ name: nameOf(file), sets: [], claims: await readClaims(file) });
for (const name of ["squad2", "nq"]) {
  const directory = join(data, "qa", name);
  if (!existsSync(directory)) continue;
  families.push({ name, sets: evidenceFromQa(await readQaDirectory(directory)), claims: [] });
}

const reader = createReader({
  model: values.reader,
  notice: (message) => process.stderr.write(`${message}\n`),
});
const measured = [];
try {
  for (const { name, sets, claims } of families) {
    const sample = {
      name,
      sets: evenlySpread(sets, limit),
      claims: evenlySpread(claims, 5 * limit),
    };
    measured.push(await measureFamily(sample, reader));
    process.stderr.write(`${name}: ${sample.sets.length} sets, ${sample.claims.length} claims\n`);
  }
} finally {
  await reader.close();
}
writeFileSync(values.out, `${JSON.stringify(fitWeights(measured, SHIPPED_WEIGHTS), null, 1)}\n`);
