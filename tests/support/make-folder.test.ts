import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { makeFolder } from "../../src/support/plain-file.js";

it("makes the missing folders of a path", () => {
  const root = mkdtempSync(join(tmpdir(), "folder-"));
  makeFolder(join(root, "a", "b", "c"));
  makeFolder(join(root, "a", "b", "c"));
  expect(existsSync(join(root, "a", "b", "c"))).toBe(true);
  rmSync(root, { recursive: true });
});

it("reports a file in its place", () => {
  const root = mkdtempSync(join(tmpdir(), "folder-"));
  writeFileSync(join(root, "a"), "");
  expect(() => makeFolder(join(root, "a"))).toThrow(/EEXIST/);
  expect(() => makeFolder(join(root, "a", "b"))).toThrow();
  rmSync(root, { recursive: true });
});

(existsSync("/proc/self") ? it : it.skip)(
  "reports a file system that refuses folders at once",
  () => {
    expect(() => makeFolder("/proc/no-such-folder/deeper")).toThrow();
  },
);
