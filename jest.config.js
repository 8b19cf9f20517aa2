import { availableParallelism } from "node:os";

/**
 * Rooms and files of tests that start servers, browsers, npm or commands, try hostile files, or ask
 * the questions of an evaluation: `npm run test:system`. All others are `npm test`.
 */
const SYSTEM =
  "(bench|examples|hostile|package|server)/|(assembly/mcp-tools|cli/commands|evals/(hallucination|main|model-path))\\b";

const project = {
  testEnvironment: "node",
  extensionsToTreatAsEsm: [".ts"],
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        jsc: {
          parser: { syntax: "typescript" },
          target: "es2022",
          experimental: { keepImportAttributes: true },
        },
        module: { type: "es6" },
      },
    ],
  },
};

/** @type {import("jest").Config} */
export default {
  // Tests of servers and browsers wait for these half of the time. Jest takes "150%" for 150.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  // Modules of one file of tests are never freed, nor are its AsyncLocalStorages, each of which
  // slows every promise on Node 20.
  workerIdleMemoryLimit: "500MB",
  testSequencer: "<rootDir>/tests/support/long-first.js",
  // A limit for what hangs, not for what is slow: the machine may be busy with something else.
  testTimeout: 300_000,
  projects: [
    { ...project, displayName: "parts", testRegex: `/tests/(?!${SYSTEM}).*\\.test\\.ts$` },
    { ...project, displayName: "system", testRegex: `/tests/(${SYSTEM}).*\\.test\\.ts$` },
  ],
};
