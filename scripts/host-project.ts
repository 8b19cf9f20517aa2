/**
 * `npm run check:host`: what somebody meets who installs the package. Packs it, makes a project
 * from nothing with today's `langchain` and `@langchain/langgraph`, and checks there: one LangGraph
 * in the tree, the whole public surface typed with NodeNext and with a bundler's resolution, and a
 * question answered. Needs the npm registry.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../", import.meta.url));
const HOST_DEPENDENCIES = [
  "langchain@^1.5.0",
  "@langchain/core",
  "@langchain/langgraph",
  "typescript@~5.9",
  "@types/node@22",
  "esbuild",
];

const folder = mkdtempSync(join(tmpdir(), "host-project-"));
const host = join(folder, "host");
const run = (command: string, args: string[], cwd = host): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

function step<T>(name: string, work: () => T): T {
  const started = Date.now();
  const result = work();
  console.log(`ok  ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  return result;
}

function tarball(): string {
  const packed = run("npm", ["pack", "--json", "--silent", "--pack-destination", folder], PROJECT);
  const [{ filename }] = JSON.parse(packed.slice(packed.indexOf("[\n"))) as [{ filename: string }];
  return join(folder, filename);
}

/** Every version of a package in the host's tree. */
function versionsOf(name: string): string[] {
  const found = new Set<string>();
  const walk = (tree: { dependencies?: Record<string, { version?: string }> }): void => {
    for (const [key, each] of Object.entries(tree.dependencies ?? {})) {
      if (key === name && each.version !== undefined) found.add(each.version);
      walk(each);
    }
  };
  walk(JSON.parse(run("npm", ["ls", name, "--json"])) as object);
  return [...found];
}

try {
  mkdirSync(host);
  writeFileSync(join(host, "package.json"), '{"name":"host","type":"module","private":true}');
  const packed = step("pack", tarball);
  step("install", () =>
    run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", packed, ...HOST_DEPENDENCIES]),
  );
  step("one LangGraph in the tree", () => {
    for (const name of ["@langchain/langgraph", "@langchain/core"]) {
      const versions = versionsOf(name);
      if (versions.length !== 1) throw new Error(`${name}: ${versions.join(", ")}`);
      console.log(`    ${name} ${versions.join()}`);
    }
  });
  copyFileSync(join(PROJECT, "tests/types/public-api.ts"), join(host, "use.ts"));
  for (const [module, resolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ])
    step(`types, ${resolution}`, () =>
      run(process.execPath, [
        "node_modules/typescript/bin/tsc",
        ...["--noEmit", "--strict", "--target", "es2023", "--types", "node"],
        ...["--module", module ?? "", "--moduleResolution", resolution ?? "", "use.ts"],
      ]),
    );
  step("a question to a document of its own", () => {
    writeFileSync(join(host, "canteen.md"), "# Canteen\n\nThe canteen opens at noon.\n");
    writeFileSync(
      join(host, "ask.mjs"),
      `import { createCorrectiveRag, ingest, openSqliteKnowledgeBase } from "corrective-rag";
       import "corrective-rag/answering";
       import "corrective-rag/grading";
       import "corrective-rag/langchain";
       import "corrective-rag/reader";
       const knowledgeBase = await openSqliteKnowledgeBase({ directory: "kb" });
       await ingest({ targets: ["canteen.md"], knowledgeBase });
       const agent = createCorrectiveRag({ model: "embedded", knowledgeBase });
       const { answer, outcome, warnings } = await agent.ask("When does the canteen open?");
       console.log(JSON.stringify({ answer, outcome, warnings }));
       await agent.close();`,
    );
    const said = run(process.execPath, ["ask.mjs"]);
    if (!said.includes("noon") || !said.includes('"warnings":[]'))
      throw new Error(`the answer is ${said}`);
  });
  step("a bundle of esbuild's, with the encoder", () => {
    const esbuild = ["esbuild", "ask-again.mjs", "--bundle", "--platform=node", "--format=esm"];
    writeFileSync(
      join(host, "ask-again.mjs"),
      `import { createCorrectiveRag } from "corrective-rag";
       const agent = createCorrectiveRag({ model: "embedded", knowledgeBase: "kb" });
       const { details, warnings } = await agent.ask("When does the canteen open?");
       console.log(JSON.stringify({ calls: details.rounds[0].calls, warnings }));
       await agent.close();`,
    );
    run("npx", [...esbuild, "--packages=external", "--outfile=bundle.mjs", "--log-level=error"]);
    const said = run(process.execPath, ["bundle.mjs"]);
    if (!said.includes("hybrid_search") || !said.includes('"warnings":[]'))
      throw new Error(`the bundle said ${said}`);
  });
  console.log(`    node_modules: ${run("du", ["-sm", "node_modules"]).split("\t")[0] ?? "?"} MB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
