import { expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "eval-main-"));

function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--import", "tsx", "evals/main.ts", ...args],
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

it("prints exactly one JSON document on stdout", async () => {
  const file = join(folder, "claims.jsonl");
  writeFileSync(
    file,
    `${JSON.stringify({ id: "1", claim: "Emma is a novel.", evidence: ["Emma is a novel by Jane Austen."], supported: true })}\n`,
  );
  const { code, stdout } = await run("claims", file, "--json");
  expect(code).toBe(0);
  expect(Object.keys(JSON.parse(stdout))).toEqual([
    "n",
    "auc",
    "accuracy",
    "macro_f1",
    "latency_ms",
  ]);
});

it("asks only so many questions on the docs, in the profile that is wanted", async () => {
  const { code, stdout } = await run("docs", "--limit", "4", "--profile", "signals", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ n: 4, answerable: 3, unanswerable: 1 });
});

it("answers a user's mistake with one clear line and the agreed exit code", async () => {
  const file = join(folder, "bad.jsonl");
  writeFileSync(file, '{"id": 1}\n');
  const pattern = join(folder, "pattern.jsonl");
  writeFileSync(pattern, '{"question": "When?", "expect": "("}\n');
  const cases: [args: string[], code: number, says: RegExp][] = [
    [["evidence", join(folder, "none.jsonl")], 2, /there is no .*none\.jsonl/u],
    [["evidence", file], 2, /bad\.jsonl, line 1: question/u],
    [["docs", file], 2, /bad\.jsonl, line 1: question/u],
    [["docs", pattern], 2, /pattern\.jsonl, line 1: expect: no pattern/u],
    [["docs", "--ablation"], 2, /docs knows no --ablation/u],
    [["claims", file, "--limit", "none"], 2, /whole number/u],
    [["nonsense"], 2, /nonsense/u],
    [
      ["label", "--log", join(folder, "none.jsonl"), "--out", join(folder, "labels.jsonl")],
      1,
      /no recorded evidence/u,
    ],
    [["convert", "squad", file, "--out", folder], 2, /not in SQuAD's layout/u],
  ];
  const results = await Promise.all(cases.map(([args]) => run(...args)));
  for (const [index, [, code, says]] of cases.entries()) {
    expect(results[index]).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(says) });
    expect(results[index]?.stderr).not.toMatch(/\n\s+at /u);
  }
});
