import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { entriesOf } from "../../src/settings/setting.js";
import { SETTINGS } from "../../src/settings/table.js";

const PAGES = ["README.md", "CONTRIBUTING.md", "examples/README.md", ...readdirSync("docs").map((name) => join("docs", name))]
  .filter((path) => path.endsWith(".md"))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

const Names = z.record(z.string(), z.string());
const Manifest = z.object({ scripts: Names, dependencies: Names, peerDependencies: Names });

/** What a pattern finds in a page, in a group of its own. */
function named(pattern: RegExp): [page: string, name: string][] {
  return PAGES.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([, name = ""]): [string, string] => [path, name]));
}

describe("the documentation names", () => {
  it("only files that exist, in its links", () => {
    const links = named(/\]\((?!https?:)([^)#\s]+)/g);
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter(([page, link]) => !existsSync(join(dirname(page), link)))).toEqual([]);
  });

  it("only scripts of package.json", () => {
    const { scripts } = Manifest.parse(JSON.parse(readFileSync("package.json", "utf8")));
    expect(named(/npm run (?:-s )?([a-z][a-z:]*)/g).filter(([, name]) => !(name in scripts))).toEqual([]);
  });

  it("only variables of the settings", () => {
    const variables = new Set(
      entriesOf(SETTINGS).flatMap(({ env = "", setting }) => [env, ...(setting.aliases ?? [])]),
    );
    expect(named(/\b(CRAG_[A-Z_]+)\b/g).filter(([, name]) => !variables.has(name))).toEqual([]);
  });

  it("each production dependency, in decisions.md", () => {
    const { dependencies, peerDependencies } = Manifest.parse(JSON.parse(readFileSync("package.json", "utf8")));
    const decisions = readFileSync("docs/decisions.md", "utf8");
    expect(Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !decisions.includes(`\`${name}\``))).toEqual([]);
  });

  it("only paths of the project", () => {
    expect(named(/`((?:src|scripts|models|\.ci)\/[\w./-]+)`/g).filter(([, path]) => !existsSync(path))).toEqual([]);
  });
});

/** Verbs of both reasoners and of both stores, and what the package's entries call again as it is. */
const SHARED = ["deleteDocuments", "graph", "ingest", "openSqliteKnowledgeBase", "plan", "rewrite", "webQuery"];

it("the source exports no name with two meanings", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  const exported = files.flatMap((path) => {
    const text = readFileSync(join("src", path), "utf8");
    return [...new Set([...text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm)].map(([, name = ""]) => name))];
  });
  const twice = exported.filter((name, at) => exported.indexOf(name) !== at);
  expect([...new Set(twice)].sort()).toEqual(SHARED);
});
