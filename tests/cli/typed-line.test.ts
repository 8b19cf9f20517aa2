import { expect, it } from "@jest/globals";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { typedLine } from "../../src/cli/ask.js";

function asked(signal = new AbortController().signal) {
  const input = new PassThrough();
  const lines = createInterface({ input, output: new PassThrough() });
  return { input, typed: typedLine(lines, "allow? ", signal) };
}

it("returns the line that was typed", async () => {
  const { input, typed } = asked();
  input.write("y\n");
  expect(await typed).toBe("y");
});

it("treats the end of the input, as after Ctrl-D, as an empty line, which denies", async () => {
  const { input, typed } = asked();
  input.end();
  expect(await typed).toBe("");
});

it("stops waiting when the run is interrupted", async () => {
  const interrupted = new AbortController();
  const { typed } = asked(interrupted.signal);
  interrupted.abort(new Error("Ctrl-C"));
  await expect(typed).rejects.toThrow("Ctrl-C");
});
