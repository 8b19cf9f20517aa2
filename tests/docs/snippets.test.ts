import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "@jest/globals";
import ts from "typescript";

const pages = [
  "README.md",
  ...readdirSync("docs")
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];
// Inside the project, so that imports find its packages.
mkdirSync("node_modules/.cache", { recursive: true });
const folder = mkdtempSync("node_modules/.cache/snippets-");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes each snippet as a module of its own; gives the page that it stands on by its file. */
function writeSnippets(): Map<string, string> {
  const placeOf = new Map<string, string>();
  for (const page of pages)
    for (const { 1: code = "", index } of readFileSync(page, "utf8").matchAll(/^```ts\n(.*?)^```$/gms)) {
      const file = resolve(folder, `${placeOf.size}.ts`);
      writeFileSync(file, `${code}\nexport {};\n`);
      placeOf.set(file, `${page} at ${index}`);
    }
  return placeOf;
}

it("the programs in the README and in docs/ compile against the code", () => {
  const placeOf = writeSnippets();
  const { config } = ts.readConfigFile("tsconfig.json", (path) => readFileSync(path, "utf8"));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const program = ts.createProgram([...placeOf.keys()], {
    ...options,
    noEmit: true,
    skipLibCheck: true,
    noUnusedLocals: false,
    allowImportingTsExtensions: true,
    paths: { "corrective-rag": [resolve("src/index.ts")], "corrective-rag/*": [resolve("src/entries/*.ts"), resolve("src/*.ts")] },
  });
  expect(existsSync("src/index.ts")).toBe(true);
  const mistakes = [...placeOf.keys()].flatMap((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${placeOf.get(file) ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  });
  expect(placeOf.size).toBeGreaterThan(10);
  expect(mistakes).toEqual([]);
});
