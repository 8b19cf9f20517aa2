/**
 * `npm run check:host [-- plain esbuild next vite chat]`: what somebody meets who installs the package.
 * Packs it and makes a project of each kind from nothing, with today's LangChain and the files that
 * docs/bundlers.md shows: one LangGraph in the tree, strict types, and a question answered by hybrid
 * search and the trained reader, without a warning. `chat` is agent-chat-ui in Chromium. Needs the
 * npm registry.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasBrowser, openBrowser } from "../tests/server/browser.js";

const PROJECT = fileURLToPath(new URL("../", import.meta.url));
const PEERS = ["@langchain/core", "@langchain/langgraph"];
const TYPESCRIPT = ["typescript@~5.9", "@types/node@22"];
const QUESTION = "When does the canteen open?";
const KINDS = { plain, esbuild, next, vite, chat };
const CHAT_APP = "create-agent-chat-app@0.1.6";

const folder = mkdtempSync(join(tmpdir(), "host-project-"));
const kept = join(folder, "kb");

function run(command: string, args: readonly string[], cwd: string): string {
  const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio, env });
}

async function step(name: string, work: () => unknown): Promise<void> {
  const started = Date.now();
  await work();
  console.log(`ok  ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

/** Makes an empty project and installs the packed package into it with its peers and `packages`. */
async function makeHost(kind: string, packages: readonly string[]): Promise<string> {
  const host = join(folder, kind);
  mkdirSync(host);
  const manifest = { name: `${kind}-host`, type: "module", private: true };
  writeFileSync(join(host, "package.json"), JSON.stringify(manifest));
  const flags = ["--no-audit", "--no-fund", "--loglevel=error"];
  const tarball = join(folder, "package.tgz");
  await step(`${kind}: install`, () =>
    run("npm", ["install", ...flags, tarball, ...PEERS, ...packages], host),
  );
  for (const name of PEERS) {
    const versions = new Set(
      run("npm", ["ls", "--parseable", "--long", name], host).match(/@[\d.]+$/gm),
    );
    if (versions.size !== 1) throw new Error(`${name}: ${[...versions].join(", ")}`);
    console.log(`    ${name}${[...versions].join()}`);
  }
  console.log(`    node_modules: ${run("du", ["-sm", "node_modules"], host).split("\t")[0]} MB`);
  return host;
}

/** The n-th program of a page of docs, counted by language. */
function fromDocs(page: string, language: string, at = 0): string {
  const text = readFileSync(join(PROJECT, "docs", page), "utf8");
  const program = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(
    ([, tag]) => tag === language,
  );
  if (program[at]?.[2] === undefined) throw new Error(`docs/${page} has no ${language} ${at}`);
  return program[at][2];
}

function write(host: string, path: string, text: string): void {
  mkdirSync(dirname(join(host, path)), { recursive: true });
  writeFileSync(join(host, path), text);
}

const ASK = `import { createCorrectiveRag } from "corrective-rag";
const agent = createCorrectiveRag({ model: "embedded", knowledgeBase: ${JSON.stringify(kept)} });
console.log(JSON.stringify(await agent.ask(${JSON.stringify(QUESTION)})));
await agent.close();
`;

/** Nothing fell back: words and meaning were searched, the encoder judged, and nobody had to warn. */
function mustBeWhole(said: string): void {
  for (const part of ["noon", "hybrid_search", "reader:trained", '"warnings":[]'])
    if (!said.includes(part)) throw new Error(`no ${part} in ${said}`);
}

function compile(host: string, resolution: "nodenext" | "bundler", ...files: string[]): void {
  const module = resolution === "bundler" ? "esnext" : resolution;
  const options = { target: "es2023", types: "node", module, moduleResolution: resolution };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const tsc = "node_modules/typescript/bin/tsc";
  run(process.execPath, [tsc, "--noEmit", "--strict", ...flags, ...files], host);
}

async function plain(): Promise<void> {
  const host = await makeHost("plain", TYPESCRIPT);
  write(host, "docs/canteen.md", "# Canteen\n\nThe canteen opens at noon.\n");
  write(
    host,
    "ingest.ts",
    `import { createCorrectiveRag, ingest, openSqliteKnowledgeBase } from "corrective-rag";
const knowledgeBase = await openSqliteKnowledgeBase({ directory: ${JSON.stringify(kept)} });
await ingest({ targets: ["docs"], knowledgeBase });
const agent = createCorrectiveRag({ model: "embedded", knowledgeBase });
console.log(JSON.stringify(await agent.ask(${JSON.stringify(QUESTION)})));
await agent.close();
`,
  );
  await step("plain: types with nothing but the peers", () =>
    compile(host, "nodenext", "ingest.ts"),
  );
  await step("plain: a question to a document of its own", () => {
    write(host, "ingest.mjs", readFileSync(join(host, "ingest.ts"), "utf8"));
    mustBeWhole(run(process.execPath, ["ingest.mjs"], host));
  });
  for (const [name, printed] of [
    ["open-graph", "1 draft left out"],
    ["own-profile-and-prompts", "discarded: [ '[SOURCE:a]' ]"],
  ] as const)
    await step(`plain: ${name}, a program of the package's examples`, () => {
      const program = join(host, "node_modules/corrective-rag/examples", `${name}.ts`);
      copyFileSync(program, join(host, `${name}.ts`));
      compile(host, "nodenext", `${name}.ts`);
      const typescript = ["--outDir", "built", "--module", "nodenext", "--target", "es2023"];
      run("npx", ["tsc", ...typescript, "--types", "node", "--skipLibCheck", `${name}.ts`], host);
      const said = run(process.execPath, [`built/${name}.js`], host);
      if (!said.includes(printed)) throw new Error(`${name} said ${said}`);
    });
  run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", "langchain@^1.5"], host);
  copyFileSync(join(PROJECT, "tests/types/public-api.ts"), join(host, "use.ts"));
  for (const resolution of ["nodenext", "bundler"] as const)
    await step(`plain: the public surface, ${resolution}`, () =>
      compile(host, resolution, "use.ts"),
    );
}

async function esbuild(): Promise<void> {
  const host = await makeHost("esbuild", ["esbuild"]);
  write(host, "app.ts", ASK);
  await step("esbuild: bundle and ask", () => {
    run("sh", ["-c", fromDocs("bundlers.md", "sh")], host);
    mustBeWhole(run(process.execPath, ["app.mjs"], host));
  });
}

async function vite(): Promise<void> {
  const host = await makeHost("vite", ["vite"]);
  write(host, "server.ts", ASK);
  const build = ["vite", "build", "--ssr", "server.ts", "--logLevel", "error"];
  for (const config of ["{}", '{ ssr: { noExternal: true, external: ["corrective-rag"] } }'])
    await step(`vite: build with ${config} and ask`, () => {
      write(host, "vite.config.js", `export default ${config};\n`);
      run("npx", build, host);
      mustBeWhole(run(process.execPath, ["dist/server.js"], host));
    });
}

async function next(): Promise<void> {
  const host = await makeHost("next", [
    ...TYPESCRIPT,
    "@types/react",
    "next",
    "react",
    "react-dom",
  ]);
  write(host, "next.config.mjs", fromDocs("bundlers.md", "js"));
  // The page's route, which also says how the answer came about.
  const route = fromDocs("bundlers.md", "ts").replaceAll(
    "outcome, warnings",
    "outcome, warnings, details",
  );
  write(host, "app/api/ask/route.ts", route);
  write(
    host,
    "app/layout.tsx",
    "export default ({ children }: { children: React.ReactNode }) => <html><body>{children}</body></html>;\n",
  );
  await step("next: build", () => run("npx", ["next", "build"], host));
  await step("next: the standalone server answers", async () => {
    // Away from node_modules, where nothing that was not copied can be found.
    const moved = join(folder, "standalone");
    cpSync(join(host, ".next/standalone"), moved, { recursive: true, verbatimSymlinks: true });
    cpSync(kept, join(moved, "kb"), { recursive: true });
    const env = { PORT: "3987", HOSTNAME: "127.0.0.1", CRAG_MODEL: "embedded" };
    const server = await started(["server.js"], { cwd: moved, env, sign: "Ready" });
    try {
      const body = JSON.stringify({ question: QUESTION });
      const response = await fetch("http://127.0.0.1:3987/api/ask", { method: "POST", body });
      mustBeWhole(await response.text());
    } finally {
      server.kill();
    }
  });
}

/** Starts a program, and waits until it prints `sign`. */
async function started(
  args: readonly string[],
  { cwd, env, sign }: { cwd: string; env?: Record<string, string>; sign: string },
): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.pipe(process.stderr);
  await new Promise<void>((ready, failed) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text: Buffer) => String(text).includes(sign) && ready());
    child.on("exit", (code) => {
      failed(new Error(`${args.join(" ")} ended with ${code}`));
    });
  });
  return child;
}

/** The chat app that LangChain publishes, against `serve`: a question, a reload, the list. */
async function chat(): Promise<void> {
  if (!hasBrowser) throw new Error("chat needs Chromium: set CHROMIUM_PATH");
  const host = await makeHost("chat", []);
  const app = join(folder, "package/templates/vite");
  await step("chat: install agent-chat-ui", () => {
    run("npm", ["pack", "--silent", CHAT_APP], folder);
    run("tar", ["xzf", `${CHAT_APP.replace("@", "-")}.tgz`], folder);
    run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], app);
  });
  const [server, page] = ["http://localhost:3988", "http://localhost:3989"];
  const commands = join(host, "node_modules/corrective-rag/dist/cli/main.js");
  const children = [
    await started([commands, "serve", "--port", "3988"], {
      cwd: host,
      env: { CRAG_ALLOWED_ORIGINS: page, CRAG_KB_DIR: kept, CRAG_MODEL: "embedded" },
      sign: "API ",
    }),
    await started(["node_modules/vite/bin/vite.js", "--port", "3989"], { cwd: app, sign: "Local" }),
  ];
  const browser = await openBrowser();
  try {
    await step("chat: a question, a reload, the list of threads", async () => {
      await browser.page.goto(`${page}/?chatHistoryOpen=true`);
      await browser.page.locator("#apiUrl").fill(server);
      await browser.page.getByRole("button", { name: "Continue" }).click();
      await browser.page.getByPlaceholder("Type your message...").fill(QUESTION);
      await browser.page.getByRole("button", { name: "Send" }).click();
      const answer = browser.page.getByText("opens at noon");
      await answer.waitFor();
      await browser.page.reload();
      await answer.waitFor();
      await browser.page.getByRole("button", { name: QUESTION }).waitFor();
      if (browser.complaints.length > 0) throw new Error(browser.complaints.join("\n"));
    });
  } finally {
    await browser.close();
    for (const child of children) child.kill();
  }
}

const isKind = (name: string): name is keyof typeof KINDS => Object.hasOwn(KINDS, name);
const named = process.argv.slice(2);
const unknown = named.find((name) => !isKind(name));
if (unknown !== undefined) {
  console.error(`there is no host "${unknown}": ${Object.keys(KINDS).join(", ")}`);
  process.exit(2);
}
try {
  await step("pack", () => {
    const packed = run(
      "npm",
      ["pack", "--json", "--silent", "--pack-destination", folder],
      PROJECT,
    );
    const [{ filename }] = JSON.parse(packed.slice(packed.indexOf("[\n"))) as [
      { filename: string },
    ];
    copyFileSync(join(folder, filename), join(folder, "package.tgz"));
  });
  // The plain host ingests the document that the others ask.
  const others = named.filter(isKind).filter((name) => name !== "plain");
  await plain();
  for (const kind of named.length === 0 ? (["esbuild"] as const) : others) await KINDS[kind]();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
