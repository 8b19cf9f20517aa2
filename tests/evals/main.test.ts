import { afterEach, expect, it, jest } from "@jest/globals";
import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runEval } from "../../evals/program.js";

const folder = mkdtempSync(join(tmpdir(), "eval-main-"));
afterEach(() => void jest.restoreAllMocks());

/** As `npm run eval` runs it, but for the reader, whose loading takes most of the time. */
function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--import", "tsx", "evals/main.ts", ...args],
      { env: { ...process.env, CRAG_READER: "lexical" } },
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

const none = join(folder, "none.jsonl");
const file = join(folder, "bad.jsonl");
writeFileSync(file, '{"id": 1}\n');
const pattern = join(folder, "pattern.jsonl");
writeFileSync(pattern, '{"question": "When?", "expect": "("}\n');

it.each<[args: string[], code: number, says: RegExp]>([
  [["evidence", none], 2, /there is no .*none\.jsonl/u],
  [["evidence", file], 2, /bad\.jsonl, line 1: question/u],
  [["docs", file], 2, /bad\.jsonl, line 1: question/u],
  [["docs", pattern], 2, /pattern\.jsonl, line 1: expect: no pattern/u],
  [["docs", "--ablation"], 2, /docs knows no --ablation/u],
  [["claims", file, "--limit", "none"], 2, /whole number/u],
  [["nonsense"], 2, /nonsense/u],
  [["label", "--log", none, "--out", join(folder, "labels.jsonl")], 1, /no recorded evidence/u],
  [["convert", "squad", file, "--out", folder], 2, /not in SQuAD's layout/u],
])(
  "answers a user's mistake with one clear line and the agreed exit code: %j",
  async (...given) => {
    const [args, code, says] = given;
    const said: string[] = [];
    const printed = jest.spyOn(process.stdout, "write").mockReturnValue(true);
    jest.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
    expect(await runEval(args)).toBe(code);
    expect(said.join("")).toMatch(says);
    expect(said.join("")).not.toMatch(/\n\s+at /u);
    expect(printed).not.toHaveBeenCalled();
  },
);
