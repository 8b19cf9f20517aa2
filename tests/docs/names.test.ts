import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { envExample } from "../../scripts/settings-docs.js";

const PAGES = ["README.md", "CONTRIBUTING.md", "examples/README.md", ...readdirSync("docs").map((name) => join("docs", name))]
  .filter((path) => path.endsWith(".md"))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

/** What a pattern finds in a page, in a group of its own. */
function named(pattern: RegExp): [page: string, name: string][] {
  return PAGES.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([, name = ""]): [string, string] => [path, name]));
}

describe("the documentation names only what there is", () => {
  it("files that it links to", () => {
    const links = named(/\]\((?!https?:)([^)#\s]+)/g);
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter(([page, link]) => !existsSync(join(dirname(page), link)))).toEqual([]);
  });

  it("scripts of package.json", () => {
    const scripts: unknown = Reflect.get(Object(JSON.parse(readFileSync("package.json", "utf8"))), "scripts");
    expect(named(/npm run (?:-s )?([a-z][a-z:]*)/g).filter(([, name]) => !Object.hasOwn(Object(scripts), name))).toEqual([]);
  });

  it("variables of the settings", () => {
    const variables = new Set(envExample().match(/\bCRAG_[A-Z_]+/g));
    expect(named(/\b(CRAG_[A-Z_]+)\b/g).filter(([, name]) => !variables.has(name))).toEqual([]);
  });

  it("paths of the project", () => {
    expect(named(/`((?:src|scripts|models|\.ci)\/[\w./-]+)`/g).filter(([, path]) => !existsSync(path))).toEqual([]);
  });
});
