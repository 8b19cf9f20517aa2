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

it("takes the end of the input, as after Ctrl-D, for an empty line, which allows nothing", async () => {
  const { input, typed } = asked();
  input.end();
  expect(await typed).toBe("");
});

it("waits no longer once the run was interrupted", async () => {
  const interrupted = new AbortController();
  const { typed } = asked(interrupted.signal);
  interrupted.abort(new Error("Ctrl-C"));
  await expect(typed).rejects.toThrow("Ctrl-C");
});
