/** S3 and mail by name, against servers that speak their protocols. */
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { MAX_FILE_BYTES } from "../../src/formats/document.js";
import { openConnectors } from "../../src/ingest/connectors.js";
import { ingest } from "../../src/ingest/ingest.js";
import type { WritableKnowledgeBase } from "../../src/retrieval/knowledge-base.js";
import { openSqliteKnowledgeBase } from "../../src/retrieval/sqlite/open-sqlite-knowledge-base.js";
import { startMailbox, type Mailbox } from "../support/imap-server.js";
import { startBucket, type Bucket } from "../support/s3-server.js";

let directory: string;
let knowledgeBase: WritableKnowledgeBase;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "buckets-"));
  knowledgeBase = await openSqliteKnowledgeBase({ directory });
});
afterEach(async () => {
  await knowledgeBase.close();
  await rm(directory, { recursive: true, force: true });
});

/** Ingests a target as the command line does. */
async function run(target: string, env: Record<string, string>) {
  const { loaders } = await openConnectors([target], env);
  return ingest({ targets: [], loaders, knowledgeBase });
}

const stored = async () => (await knowledgeBase.documents()).map((each) => each.path).sort();

describe("a bucket of S3", () => {
  let bucket: Bucket;
  const before = { ...process.env };
  beforeEach(async () => {
    bucket = await startBucket("handbook", "AKIDTEST");
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: "AKIDTEST", AWS_SECRET_ACCESS_KEY: "secret" });
  });
  afterEach(() => {
    bucket.close();
    process.env = { ...before };
  });
  const env = () => ({ AWS_ENDPOINT_URL_S3: bucket.address });

  it("is read file by file in its formats; a later run fetches only what changed, and removes what is gone", async () => {
    bucket.objects = {
      "docs/a/prices.csv": "Tent,Price\nRidge,5\n",
      "docs/hives.md": "# Hives\n\nOpen them in spring.",
      "docs/logo.png": "no text",
      "docs/.env": "KEY=secret",
      "docs/old.md": "Old.",
      "docs-old/b.md": "Of another folder.",
    };
    expect(await run("s3:handbook/docs", env())).toMatchObject({ added: 3, failed: [] });
    const names = ["a/prices.csv", "hives.md", "old.md"].map((each) => `s3:handbook/docs/${each}`);
    expect(await stored()).toEqual(names);
    expect(await knowledgeBase.passagesOf(names[0] ?? "")).toMatchObject([
      { kind: "csv", text: "Tent: Ridge; Price: 5", modifiedAt: "2026-03-01T00:00:00.000Z" },
    ]);
    bucket.fetched = [];
    const { "docs/old.md": _, ...others } = bucket.objects;
    bucket.objects = { ...others, "docs/hives.md": "# Hives\n\nOpen them in May." };
    expect(await run("s3:handbook/docs", env())).toMatchObject({
      ...{ added: 0, updated: 1, unchanged: 1, removed: 1, failed: [] },
    });
    expect(bucket.fetched).toEqual(["docs/hives.md"]);
    expect((await knowledgeBase.passagesOf(names[1] ?? ""))[0]?.text).toContain("May");
  });

  it("of another maker is signed for its region", async () => {
    bucket.objects = { "a.md": "Wax." };
    await run("s3:handbook", { ...env(), AWS_REGION: "fr-par" });
    expect(bucket.regions).toEqual(new Set(["fr-par"]));
    await run("s3:handbook", env());
    expect(bucket.regions).toEqual(new Set(["fr-par", "us-east-1"]));
  });

  it("that refuses the key says so in one line, and nothing is removed", async () => {
    bucket.objects = { "a.md": "Wax." };
    await run("s3:handbook", env());
    process.env["AWS_ACCESS_KEY_ID"] = "OTHER";
    expect(await run("s3:handbook", env())).toMatchObject({
      removed: 0,
      failed: [{ path: "s3:handbook", reason: "The key does not exist." }],
    });
    expect(await stored()).toEqual(["s3:handbook/a.md"]);
  });
});

describe("a mailbox", () => {
  let mailbox: Mailbox;
  beforeEach(async () => {
    mailbox = await startMailbox("ada", "bees");
    mailbox.messages = [
      { uid: 3, subject: "Canteen", parts: [{ type: "plain", text: "It opens at noon." }] },
      {
        uid: 5,
        subject: "Prices",
        parts: [
          { type: "html", text: "<p>See the <b>list</b>.</p>" },
          { type: "csv", text: "Tent,Price\nRidge,5\n", file: "prices.csv" },
        ],
      },
    ];
  });
  afterEach(() => mailbox.close());
  const login = { IMAP_USER: "ada", IMAP_PASSWORD: "bees" };
  const target = () => `imap:localhost:${mailbox.port}`;

  it("is read with its attachments; a later run fetches only what is new, and removes what is gone", async () => {
    expect(await run(target(), login)).toMatchObject({ added: 2, failed: [] });
    const paths = ["3.eml", "5.eml"].map((each) => `${target()}/${each}`);
    expect(await stored()).toEqual(paths);
    expect(await knowledgeBase.passagesOf(paths[0] ?? "")).toMatchObject([
      {
        ...{ title: "Canteen", text: expect.stringMatching(/It opens at noon\.$/) },
        modifiedAt: "2026-03-02T09:00:00.000Z",
        metadata: { from: ["ada@example.org"], to: ["staff@example.org"], loader: target() },
      },
    ]);
    expect((await knowledgeBase.passagesOf(paths[1] ?? ""))[0]?.text).toMatch(
      /See the list\.\s+### prices\.csv\s+Tent: Ridge; Price: 5/,
    );
    const news = { uid: 8, subject: "Honey", parts: [{ type: "plain" as const, text: "Ripe." }] };
    mailbox.messages = [...mailbox.messages.slice(1), news];
    mailbox.said = [];
    expect(await run(target(), login)).toMatchObject({
      ...{ added: 1, updated: 0, unchanged: 1, removed: 1, failed: [] },
    });
    const fetched = mailbox.said.filter((each) => each.startsWith("UID FETCH"));
    expect(fetched.filter((each) => !each.startsWith("UID FETCH 8 "))).toEqual([]);
    // No more than a file may have.
    expect(fetched.join()).toContain(`BODY.PEEK[]<0.${MAX_FILE_BYTES + 1}>`);
    expect(mailbox.said.some((each) => each.startsWith("SELECT"))).toBe(false);
  });

  it("of two attachments of one name reads both, and is reached by the number of this machine", async () => {
    const [csv, file] = ["csv" as const, "prices.csv"];
    const parts = ["Ridge", "Dome"].map((tent) => ({ type: csv, text: `Tent\n${tent}\n`, file }));
    mailbox.messages = [{ uid: 5, subject: "Prices", parts }];
    const name = `imap:127.0.0.1:${mailbox.port}`;
    expect(await run(name, login)).toMatchObject({ added: 1, failed: [] });
    const [path = ""] = await stored();
    const texts = (await knowledgeBase.passagesOf(path)).map((each) => each.text).join("\n");
    expect(texts).toMatch(/Ridge[^]*Dome/);
  });

  it("that refuses the password says so in one line, and nothing is removed", async () => {
    await run(target(), login);
    const { failed, removed } = await run(target(), { ...login, IMAP_PASSWORD: "wasps" });
    expect(removed).toBe(0);
    expect(failed).toEqual([
      { path: target(), reason: "localhost answered: wrong user or password" },
    ]);
  });
});
