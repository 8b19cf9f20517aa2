import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { execFile } from "node:child_process";
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { bareEnvironment, PROJECT } from "../support/run-command.js";

jest.setTimeout(240_000);
const execute = promisify(execFile);

/** Copies of the package and of a project that depends on it, so that nothing is built inside the working tree. */
let folder: string;
let packed: { files: { path: string; size: number }[] };
let consumer: string;

const exec = (file: string, args: string[], cwd: string, env: Record<string, string> = {}) =>
  execute(file, args, {
    cwd,
    env: { ...bareEnvironment(), NO_UPDATE_NOTIFIER: "1", ...env },
    maxBuffer: 1 << 26,
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pack-"));
  const copy = join(folder, "package");
  await mkdir(copy);
  for (const name of await readdir(PROJECT)) {
    if (
      [
        "node_modules",
        "dist",
        ".git",
        ".corrective-rag",
        ".langgraph_api",
        "coverage",
        ".env",
      ].includes(name)
    )
      continue;
    await cp(join(PROJECT, name), join(copy, name), { recursive: true });
  }
  await symlink(join(PROJECT, "node_modules"), join(copy, "node_modules"));
  await mkdir(join(copy, "dist"));
  await writeFile(join(copy, "dist", "running.js"), "");
  const { stdout } = await exec(
    "npm",
    ["pack", "--json", "--loglevel=error", "--pack-destination", folder],
    copy,
  );
  const [first] = JSON.parse(stdout.slice(stdout.indexOf("[\n")));
  packed = first;

  consumer = join(folder, "consumer");
  const modules = join(consumer, "node_modules");
  await mkdir(join(modules, "corrective-rag"), { recursive: true });
  await exec(
    "tar",
    [
      "-xzf",
      join(folder, first.filename),
      "--strip-components=1",
      "-C",
      join(modules, "corrective-rag"),
    ],
    folder,
  );
  for (const name of await readdir(join(PROJECT, "node_modules"))) {
    // The package brings the part of it that it needs.
    if (name === "onnxruntime-web") continue;
    if (!name.startsWith("."))
      await symlink(join(PROJECT, "node_modules", name), join(modules, name));
  }
  await writeFile(
    join(consumer, "package.json"),
    '{"name":"consumer","type":"module","private":true}',
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/**
 * Checks programs, and our declarations that they load, without `skipLibCheck`; the declarations of
 * other packages are theirs to check.
 */
const CHECK = `
import ts from "typescript";
const [folder, ...files] = process.argv.slice(2);
const program = ts.createProgram(files, {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  noEmit: true,
  strict: true,
  types: ["node"],
});
const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
const mistakes = ours.flatMap((file) => ts.getPreEmitDiagnostics(program, file));
console.log(ts.formatDiagnostics(mistakes, ts.createCompilerHost({})));
`;

/** Writes each program of the README and docs/ as a module of its own, named after its page. */
async function writePrograms(): Promise<string[]> {
  const files: string[] = [];
  const pages = (await readdir(join(PROJECT, "docs"))).map((name) => join("docs", name));
  for (const page of ["README.md", ...pages.filter((name) => name.endsWith(".md"))]) {
    const text = await readFile(join(PROJECT, page), "utf8");
    for (const { 1: program = "", index } of text.matchAll(/^```ts\n(.*?)^```$/gms)) {
      const file = `${page.replace("/", "-")}-at-${index}.ts`;
      await writeFile(join(consumer, file), `${program}\nexport {};\n`);
      files.push(file);
    }
  }
  return files;
}

it("replaces dist, from which another process may be running, only by a whole build", async () => {
  const copy = join(folder, "package");
  const isOfThisBuild = packed.files.every(({ path }) => path !== "dist/running.js");
  expect(isOfThisBuild).toBe(true);
  await writeFile(join(copy, "tsconfig.build.json"), '{"files":[]}');
  await expect(exec(process.execPath, ["scripts/prepare.js"], copy)).rejects.toThrow();
  expect(await readdir(join(copy, "dist"))).toContain("index.js");
  expect((await readdir(copy)).filter((name) => name.startsWith(".dist"))).toEqual([]);
});

describe("the package", () => {
  it("holds the compiled code with its types, the docs, the page and the configuration, and nothing else", () => {
    const paths = packed.files.map(({ path }) => path);
    for (const path of [
      "package.json",
      "README.md",
      "LICENSE",
      ".env.example",
      "langgraph.json",
      "dist/index.js",
      "dist/index.d.ts",
      "dist/agent.js",
      "dist/cli/main.js",
      "examples/open-graph.ts",
    ]) {
      expect(paths).toContain(path);
    }
    expect(paths.some((path) => /^docs\/.*\.md$/.test(path))).toBe(true);
    expect(
      paths.filter((path) => path.endsWith(".json") && path.startsWith("dist/")).length,
    ).toBeGreaterThan(0);
    expect(
      paths.filter(
        (path) =>
          !/^(?:dist|docs|examples|models|src|ui)\/|^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md|\.env\.example|langgraph\.json)$/.test(
            path,
          ),
      ),
    ).toEqual([]);
    expect(paths.filter((path) => /(?:\.test\.|\.jsonl$|\.sqlite|\.env$)/.test(path))).toEqual([]);
    // Editors and stack traces lead to the source.
    expect(paths).toEqual(
      expect.arrayContaining(["dist/index.js.map", "dist/index.d.ts.map", "src/index.ts"]),
    );
    const bytes = (folder: RegExp): number =>
      packed.files.filter(({ path }) => folder.test(path)).reduce((sum, { size }) => sum + size, 0);
    expect(bytes(/^models\//)).toBeLessThan(45_000_000);
    expect(bytes(/^dist\/runtime\//)).toBeLessThan(15_000_000);
    expect(bytes(/^(?!models\/|dist\/runtime\/)/)).toBeLessThan(6_500_000);
  });

  it("leaves LangChain's core to the project that uses it, so that there is one", async () => {
    const { dependencies, peerDependencies } = JSON.parse(
      await readFile(join(PROJECT, "package.json"), "utf8"),
    );
    expect(Object.keys(dependencies)).not.toContain("@langchain/core");
    expect(Object.keys(peerDependencies)).toContain("@langchain/core");
    // Optional packages of this one ask for an older core, at which npm gives up.
    expect(Object.keys(peerDependencies)).not.toContain("@langchain/community");
  });

  it("can be typed against, strictly, by another project and by the programs in the README and docs", async () => {
    await cp(join(PROJECT, "tests/types/public-api.ts"), join(consumer, "use.ts"));
    const programs = await writePrograms();
    expect(programs.length).toBeGreaterThan(10);
    await writeFile(join(consumer, "check.mjs"), CHECK);
    const home = await realpath(consumer);
    const files = ["use.ts", ...programs].map((file) => join(home, file));
    const { stdout } = await exec(process.execPath, ["check.mjs", home, ...files], consumer);
    expect(stdout.trim()).toBe("");
  });

  it("reads with its encoder and answers from another project, typed in, with its own docs as the demo", async () => {
    const program = `
       import { createCorrectiveRag } from "corrective-rag";
       import { createReader } from "corrective-rag/reader";
       const notices = [];
       const reader = createReader({ notice: (message) => notices.push(message) });
       const [{ value }] = await reader.support({
         claims: ["It opens at noon."],
         evidence: [{ title: "", text: "It opens at noon." }],
       });
       await reader.close();
       const agent = createCorrectiveRag({ model: "embedded", settings: { reader: "lexical" } });
       const { answer, passages } = await agent.ask("When does the agent search again instead of answering?");
       console.log(JSON.stringify({ notices, value, answer, paths: passages.map(({ source }) => source.path) }));
       await agent.close();`;
    const typed = ["--input-type=module", "-e", program];
    const { stdout } = await exec(process.execPath, typed, consumer);
    const { notices, value, answer, paths } = JSON.parse(stdout);
    expect({ notices, isSupported: value > 0.5 }).toEqual({ notices: [], isSupported: true });
    expect(answer).not.toBe("");
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) expect(path).toMatch(/^docs\/.*\.md$/);
  });

  it("brings a command that runs compiled, quickly and without a warning", async () => {
    const command = join(consumer, "node_modules/corrective-rag/dist/cli/main.js");
    expect((await stat(command)).isFile()).toBe(true);
    expect((await exec(process.execPath, [command, "--version"], consumer)).stdout).toMatch(
      /^\d+\.\d+\.\d+\n$/,
    );
    const { stdout, stderr } = await exec(
      process.execPath,
      [command, "ask", "When does the agent search again instead of answering?", "--json"],
      consumer,
      { CRAG_READER: "lexical" },
    );
    const outcome = { status: "closest_passages" };
    expect(JSON.parse(stdout)).toMatchObject({ outcome, mode: "embedded" });
    expect(stderr).not.toMatch(/Warning/);
  });
});
