import { expect, it } from "@jest/globals";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { typedLine } from "../../src/cli/ask.js";

function asked(signal = new AbortController().signal) {
  const input = new PassThrough();
  const lines = createInterface({ input, output: new PassThrough() });
  const listeners = lines.listenerCount("close");
  const typed = typedLine(lines, "allow? ", signal);
  return { input, typed, leftBehind: () => lines.listenerCount("close") - listeners };
}

it("returns the line that was typed, and leaves no listener behind", async () => {
  const { input, typed, leftBehind } = asked();
  input.write("y\n");
  expect(await typed).toBe("y");
  expect(leftBehind()).toBe(0);
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
