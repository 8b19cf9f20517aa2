import { afterEach, expect, it } from "@jest/globals";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convert } from "../../evals/convert.js";
import { readEvidenceFile, readQaDirectory } from "../../evals/formats.js";
import { runLabel } from "../../evals/label.js";
import { createCorrectiveRag } from "../../src/corrective-rag.js";
import { recordedKnowledgeBase } from "../../evals/recorded-sources.js";

const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "convert-"));
  folders.push(made);
  return made;
};
afterEach(() =>
  folders.splice(0).forEach((made) => rmSync(made, { recursive: true, force: true })),
);

it("converts SQuAD into a corpus, questions and evidence that the evaluations read", async () => {
  const out = folder();
  const file = join(out, "dev.json");
  const qas = [
    {
      id: "q1",
      question: "Who led the Norse?",
      answers: [{ text: "Rollo" }, { text: "Rollo" }],
      is_impossible: false,
    },
    { id: "q2", question: "Who led the Saxons?", answers: [], is_impossible: true },
  ];
  writeFileSync(
    file,
    JSON.stringify({
      version: "v2.0",
      data: [{ title: "The_Normans", paragraphs: [{ context: "Rollo led the Norse.", qas }] }],
    }),
  );
  expect(await convert({ layout: "squad", path: file, out })).toEqual({
    "corpus.jsonl": 1,
    "questions.jsonl": 2,
    "evidence.jsonl": 2,
  });
  const { corpus, questions } = await readQaDirectory(out);
  expect(corpus).toEqual([
    { _id: "The_Normans-0", title: "The Normans", text: "Rollo led the Norse." },
  ]);
  expect(questions).toMatchObject([
    { id: "q1", answers: ["Rollo"], answerable: true, doc_id: "The_Normans-0" },
    { id: "q2", answers: [], answerable: false },
  ]);
  expect(
    (await readEvidenceFile(join(out, "evidence.jsonl"))).map(({ answerable }) => answerable),
  ).toEqual([true, false]);
});

it("converts BEIR's judged documents into evidence", async () => {
  const path = folder();
  mkdirSync(join(path, "qrels"));
  writeFileSync(
    join(path, "corpus.jsonl"),
    '{"_id":"d1","title":"A","text":"one"}\n{"_id":"d2","text":"two"}\n',
  );
  writeFileSync(join(path, "queries.jsonl"), '{"_id":"q1","text":"what?"}\n');
  writeFileSync(
    join(path, "qrels", "test.tsv"),
    "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n",
  );
  await convert({ layout: "beir", path, out: path });
  const [set] = await readEvidenceFile(join(path, "evidence.jsonl"));
  expect(set).toMatchObject({
    id: "q1",
    answerable: true,
    passages: [
      { title: "A", relevant: true },
      { title: "", relevant: false },
    ],
  });
});

it("says what is wrong with a file of another layout", async () => {
  const file = join(folder(), "other.json");
  writeFileSync(file, '{"rows": []}');
  await expect(convert({ layout: "squad", path: file, out: folder() })).rejects.toThrow(
    /other\.json is not in SQuAD's layout: data/u,
  );
});

it("writes the evidence of past runs once, to be labelled; the evaluation refuses it until then", async () => {
  const made = folder();
  const log = join(made, "audit.jsonl");
  const agent = createCorrectiveRag({
    environment: {
      KB_AGENT_AUDIT_LOG_PATH: log,
      CRAG_AUDIT_RECORD_INPUTS: "on",
      CRAG_READER: "lexical",
    },
    knowledgeBase: recordedKnowledgeBase("Emma is a novel written by Jane Austen."),
    checkpointer: false,
  });
  await agent.ask("Who wrote the novel Emma?");
  await agent.ask("Who wrote the novel Emma?");
  await agent.close();
  const out = join(made, "labels.jsonl");
  expect(await runLabel({ log, out, interactive: false })).toEqual({
    out,
    found: 1,
    labelled: 0,
    unlabelled: 1,
  });
  expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({
    question: "Who wrote the novel Emma?",
    answerable: null,
    passages: [{ text: "Emma is a novel written by Jane Austen.", relevant: null }],
  });
  await expect(readEvidenceFile(out)).rejects.toThrow(
    /labels\.jsonl, line 1: answerable: not labeled yet/u,
  );
  expect(await runLabel({ log, out, interactive: false })).toMatchObject({ found: 0 });
  expect(readFileSync(out, "utf8").trim().split("\n")).toHaveLength(1);
});

it("says how to record evidence where the log holds none", async () => {
  await expect(
    runLabel({ log: join(folder(), "none.jsonl"), out: join(folder(), "labels.jsonl") }),
  ).rejects.toMatchObject({
    hint: expect.stringContaining("CRAG_AUDIT_RECORD_INPUTS=on"),
  });
});
