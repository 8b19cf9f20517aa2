import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ingest } from "../../src/ingest/ingest.js";
import { watchedPaths } from "../../src/ingest/targets.js";
import { watchPaths } from "../../src/ingest/watch.js";
import type { WritableKnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";

let root: string;
let knowledgeBase: WritableKnowledgeBase;
let ending: AbortController;

beforeEach(async () => {
  ending = new AbortController();
  root = await realpath(await mkdtemp(path.join(tmpdir(), "watch-")));
  await mkdir(path.join(root, "docs"));
  // Among the documents, where it must not wake the watcher by its own changes.
  knowledgeBase = await openSqliteKnowledgeBase({ directory: path.join(root, "docs", "kb") });
});
afterEach(async () => {
  ending.abort();
  await knowledgeBase.close();
  await rm(root, { recursive: true, force: true });
});

/** Waits until something holds, up to a minute. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 600 && !holds(); turn++) await wait(100);
  expect(holds()).toBe(true);
}

it("takes over files that are written, renamed and deleted, and rests when nothing changes", async () => {
  const changes: string[] = [];
  let runs = 0;
  const run = async (): Promise<void> => {
    await ingest({
      targets: ["docs"],
      knowledgeBase,
      cwd: root,
      onChange: (file, change) => changes.push(`${change} ${file}`),
    });
    runs += 1;
  };
  const file = (name: string) => path.join(root, "docs", name);
  await writeFile(file("a.md"), "Alpha.");
  await run();
  const watched = watchPaths(watchedPaths(["docs", "https://example.org/"], root), run, {
    signal: ending.signal,
  });
  changes.length = 0;
  await writeFile(file("b.md"), "Beta.");
  await until(() => changes.includes("added docs/b.md"));
  await rename(file("b.md"), file("c.md"));
  await until(() => changes.includes("removed docs/b.md") && changes.includes("added docs/c.md"));
  await writeFile(file("a.md"), "Alpha, and more.");
  await until(() => changes.includes("updated docs/a.md"));
  await rm(file("a.md"));
  await until(() => changes.includes("removed docs/a.md"));
  await wait(1_500);
  const before = runs;
  await wait(1_500);
  expect(runs).toBe(before);
  ending.abort();
  await watched;
}, 120_000);

it("hears of a named file that an editor replaces again and again, and of no other", async () => {
  const file = path.join(root, "docs", "a.md");
  await writeFile(file, "Alpha.");
  let runs = 0;
  const run = async (): Promise<void> => void (runs += 1);
  const watched = watchPaths(watchedPaths(["docs/a.md"], root), run, { signal: ending.signal });
  await until(() => runs === 1);
  await writeFile(path.join(root, "docs", "other.md"), "Another.");
  await wait(1_000);
  expect(runs).toBe(1);
  for (const turn of [2, 3]) {
    await writeFile(path.join(root, "docs", "new.md"), `Alpha ${turn}.`);
    await rename(path.join(root, "docs", "new.md"), file);
    await until(() => runs === turn);
  }
  ending.abort();
  await watched;
});

it("goes on in a folder that was put in the place of another, and hears who may see it from above", async () => {
  const changes: string[] = [];
  const run = async (): Promise<void> => {
    await ingest({
      targets: ["docs/open"],
      knowledgeBase,
      cwd: root,
      onChange: (file, change) => changes.push(`${change} ${file}`),
    }).catch((error: unknown) => changes.push(String(error)));
  };
  const open = path.join(root, "docs", "open");
  const write = (name: string) => writeFile(path.join(open, name), `${name}.`);
  await mkdir(open);
  await write("a.md");
  const watched = watchPaths(watchedPaths(["docs/open"], root), run, { signal: ending.signal });
  await until(() => changes.includes("added docs/open/a.md"));
  await rm(open, { recursive: true });
  await until(() => changes.some((each) => each.includes("no file or folder")));
  await mkdir(open);
  await write("b.md");
  await until(() => changes.includes("added docs/open/b.md"));
  await rename(open, `${open}-before`);
  await mkdir(open);
  await write("c.md");
  await until(() => changes.includes("added docs/open/c.md"));
  await writeFile(path.join(root, "docs", "folder.meta.yaml"), "groups: [hr]\n");
  await until(() => changes.includes("updated docs/open/c.md"));
  expect((await knowledgeBase.documents())[0]?.metadata).toEqual({ groups: ["hr"] });
  ending.abort();
  await watched;
}, 120_000);

it("is in step after a thousand changes: files written, renamed and deleted while it reads", async () => {
  const file = (name: number | string) => path.join(root, "docs", `${name}.md`);
  const numbers = Array.from({ length: 400 }, (_, at) => at);
  let runs = 0;
  const run = async (): Promise<void> => {
    await ingest({ targets: ["docs"], knowledgeBase, cwd: root, vectors: false });
    runs += 1;
  };
  const watched = watchPaths(watchedPaths(["docs"], root), run, { signal: ending.signal });
  for (const at of numbers) await writeFile(file(at), `Note ${at} on bees.`);
  for (const at of numbers.slice(0, 300)) await rename(file(at), file(`renamed ${at}`));
  await wait(700);
  for (const at of numbers.slice(0, 200)) await rm(file(`renamed ${at}`));
  for (const at of numbers.slice(300)) await writeFile(file(at), `Note ${at}, written again.`);
  const expected = numbers
    .slice(200)
    .map((at) => `docs/${at < 300 ? `renamed ${at}` : at}.md`)
    .sort();
  const stored = async () => (await knowledgeBase.documents()).map((each) => each.path).sort();
  const latest = async () => (await knowledgeBase.passagesOf("docs/399.md"))[0]?.text;
  const isInStep = async (): Promise<boolean> =>
    (await stored()).join() === expected.join() && (await latest()) === "Note 399, written again.";
  for (let turn = 0; turn < 300 && !(await isInStep()); turn++) await wait(100);
  expect(await stored()).toEqual(expected);
  expect(await latest()).toBe("Note 399, written again.");
  ending.abort();
  await watched;
  // Bursts are taken together, or each change would cost a walk of the folder.
  expect(runs).toBeLessThan(20);
}, 120_000);
