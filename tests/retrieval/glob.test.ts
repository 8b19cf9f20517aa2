import { describe, expect, it } from "@jest/globals";
import { globMatcher, pathMatcher } from "../../src/retrieval/search-filter.js";

describe("globs", () => {
  it.each([
    ["docs/*.md", "docs/a.md", true],
    ["docs/*.md", "docs/a/b.md", false],
    ["docs/**/*.md", "docs/a.md", true],
    ["docs/**/*.md", "docs/a/b/c.md", true],
    ["**/a.md", "a.md", true],
    ["**/a.md", "x/ba.md", false],
    ["docs/**", "docs/a/b.txt", true],
    ["docs/?.md", "docs/é.md", true],
    ["docs/?.md", "docs//.md", false],
    ["*.{md,txt}", "a.txt", true],
    ["{a,b{c,d}}.md", "bd.md", true],
    ["*.{md,txt}", "a.pdf", false],
    ["{**/,x/}a.md", "y/z/a.md", true],
    ["a{b.md", "a{b.md", true],
    ["a,b*.md", "a,b1.md", true],
    ["a,b*.md", "a", false],
    ["a.md", "aXmd", false],
  ])("%s on %s: %p", (glob, path, expected) => {
    expect(globMatcher(glob)(path)).toBe(expected);
  });

  it.each([
    ["chains of folders", "**/".repeat(30) + "x"],
    ["chains of stars", "*a".repeat(50) + "b"],
    ["stars between globstars", "**a*".repeat(40) + "b"],
    ["braces of braces", "{a,b}".repeat(60)],
    ["empty alternatives", "{,}".repeat(60)],
  ])("takes linear time: %s", (_name, glob) => {
    expect(globMatcher(glob)("a/".repeat(1_000))).toBe(false);
  });

  it("match a file whose own name looks like one", () => {
    expect(pathMatcher("{old}/what?.md")("{old}/what?.md")).toBe(true);
  });
});
