/**
 * Jest's order of files, which goes by how long each took the last time, or else by its size, but in
 * a clean clone these come first: short files that take long. Begun late, they would run alone.
 */
import Sequencer from "@jest/test-sequencer";

const LONG = [
  "evals/hallucination",
  "package/pack",
  "examples/examples",
  "server/serve-limits",
  "bench/calls",
  "server/page-reload",
  "server/mcp",
];

export default class LongFirst extends (Sequencer.default ?? Sequencer) {
  sort(tests) {
    const rankOf = ({ duration, path }) =>
      duration === undefined && LONG.some((name) => path.endsWith(`tests/${name}.test.ts`)) ? 0 : 1;
    return super.sort(tests).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
