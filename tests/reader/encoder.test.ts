import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, it, jest } from "@jest/globals";
import { SHIPPED_ENCODER } from "../../src/reader/encoder-files.js";
import { createEncoder } from "../../src/reader/encoder.js";
import { dot, normalized, type Vector } from "../../src/reader/embedder.js";

const encoder = createEncoder(SHIPPED_ENCODER);
afterAll(() => encoder.close?.());

const post = Worker.prototype.postMessage;

const cosine = (a: Vector, b: Vector): number => dot(normalized(a), normalized(b));

const numbered = (count: number, word: string): string[] =>
  Array.from({ length: count }, (_, n) => `${word} ${n}`);

describe("the encoder", () => {
  it("gives one unit vector for each text, in order, however many come together", async () => {
    const texts = numbered(40, "").map((n) =>
      Number(n) % 2 === 0 ? `The cat${n} sleeps on the sofa.` : `Banks raise interest${n} rates.`,
    );
    const vectors = await encoder.embedDocuments(texts);
    const [pets, money] = [await encoder.embedQuery("pets"), await encoder.embedQuery("money")];
    for (const [n, vector] of vectors.entries()) {
      expect(dot(Float32Array.from(vector), Float32Array.from(vector))).toBeCloseTo(1, 5);
      expect(cosine(vector, pets) > cosine(vector, money)).toBe(n % 2 === 0);
    }
    expect(vectors).toHaveLength(texts.length);
  });

  it("reads a question before what is left of an index", async () => {
    const order: string[] = [];
    const many = encoder.embedDocuments(numbered(64, "chapter")).then(() => order.push("index"));
    const few = encoder.embedDocuments(["Who wrote it?"]).then(() => order.push("question"));
    await Promise.all([many, few]);
    expect(order).toEqual(["question", "index"]);
  });

  it("says why its thread ended, to all that wait and to all that ask later", async () => {
    const folder = mkdtempSync(join(tmpdir(), "crag-encoder-"));
    cpSync(SHIPPED_ENCODER, folder, { recursive: true });
    writeFileSync(join(folder, "model.onnx"), "cut off");
    const damaged = createEncoder(folder);
    const waiting = [damaged.embedQuery("one"), damaged.embedDocuments(numbered(40, "line"))];
    for (const each of waiting)
      await expect(each).rejects.toThrow(/damaged, its checksum is wrong/);
    await expect(damaged.embedQuery("later")).rejects.toThrow(/damaged/);
    await damaged.close?.();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ["loops", /it took longer than 3 s/, { Regex: "^(([A-z ])+.)+[0-9]([A-z ])+0$" }, "x"],
    ["grows", /memory|Invalid string length|longer than/, { Regex: "." }, "x".repeat(40)],
  ])(
    "ends a foreign one that %s, and lets the process go on",
    async (_name, problem, pattern, content) => {
      const folder = mkdtempSync(join(tmpdir(), "crag-encoder-"));
      cpSync(SHIPPED_ENCODER, folder, { recursive: true });
      const file = join(folder, "tokenizer.json");
      const tokenizer = JSON.parse(readFileSync(file, "utf8")) as object;
      const normalizers = Array.from({ length: 8 }, () => ({ type: "Replace", pattern, content }));
      const normalizer = { type: "Sequence", normalizers };
      writeFileSync(file, JSON.stringify({ ...tokenizer, normalizer }));
      const foreign = createEncoder(folder, { seconds: 3, megabytes: 400 });
      const began = performance.now();
      const text = "How tall is the tower in the old town of the river?";
      const waiting = [foreign.embedQuery(text), foreign.embedDocuments([`${text} And now?`])];
      for (const each of waiting) await expect(each).rejects.toThrow(problem);
      await expect(foreign.embedQuery("later")).rejects.toThrow();
      await foreign.close?.();
      expect(performance.now() - began).toBeLessThan(30_000);
      rmSync(folder, { recursive: true });
    },
    60_000,
  );

  it("stops between batches when its signal aborts, and goes on for others", async () => {
    const stop = new AbortController();
    const stopped = encoder.embedDocuments(numbered(64, "verse"), stop.signal);
    stop.abort(new Error("enough"));
    await expect(stopped).rejects.toThrow("enough");
    expect(await encoder.embedDocuments(["Still there?"])).toHaveLength(1);
  });

  it("ends its second thread soon after an index, although questions go on", async () => {
    const ended = jest.spyOn(Worker.prototype, "terminate");
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] });
    await encoder.embedDocuments(numbered(40, "page"));
    jest.advanceTimersByTime(9_000);
    await encoder.embedQuery("Which page?");
    jest.advanceTimersByTime(1_000);
    expect(ended).toHaveBeenCalledTimes(1);
    jest.useRealTimers();
    ended.mockRestore();
  });

  it("shares the passages of a question among threads, with the scores of each alone", async () => {
    const pairs = numbered(10, "Chapter").map((title) => ({
      query: "How tall is the tower?",
      above: title,
      sentences: ["The tower is 41 metres tall.", `It stands beside ${title}.`],
    }));
    const threads = new Set<Worker>();
    const posted = jest.spyOn(Worker.prototype, "postMessage").mockImplementation(function (
      this: Worker,
      ...given
    ) {
      threads.add(this);
      post.apply(this, given);
    });
    // Its first answer tells which runtime there is.
    await encoder.embedQuery("tower");
    const together = await encoder.readTogether?.(pairs);
    posted.mockRestore();
    expect(threads.size).toBe(Math.min(2, availableParallelism()));
    const copy = mkdtempSync(join(tmpdir(), "crag-encoder-"));
    cpSync(SHIPPED_ENCODER, copy, { recursive: true });
    const other = createEncoder(copy);
    for (const [index, pair] of pairs.entries()) {
      const [alone] = (await other.readTogether?.([pair])) ?? [];
      expect(together?.[index]?.passage).toBeCloseTo(alone?.passage ?? NaN, 3);
    }
    await other.close?.();
    rmSync(copy, { recursive: true });
  });

  it("goes on with its first thread when a further one fails", async () => {
    await encoder.embedQuery("tower");
    const threads = new Set<Worker>();
    let failed = 0;
    const posted = jest.spyOn(Worker.prototype, "postMessage").mockImplementation(function (
      this: Worker,
      ...given
    ) {
      threads.add(this);
      if (failed === 0 && threads.size > 1) {
        failed += 1;
        this.emit("error", new Error("no memory"));
      } else post.apply(this, given);
    });
    const vectors = await encoder.embedDocuments(numbered(40, "shelf"));
    posted.mockRestore();
    expect(vectors).toHaveLength(40);
    expect(failed).toBe(Math.min(2, availableParallelism()) - 1);
  });

  it("begins to load before it is asked, in threads that answer what comes first", async () => {
    const copy = mkdtempSync(join(tmpdir(), "crag-encoder-"));
    cpSync(SHIPPED_ENCODER, copy, { recursive: true });
    const ready = createEncoder(copy);
    ready.prepare();
    ready.prepare();
    const near = cosine(await ready.embedQuery("pets"), await encoder.embedQuery("pets"));
    expect(near).toBeCloseTo(1, 5);
    await ready.close?.();
    rmSync(copy, { recursive: true });
  });
});
