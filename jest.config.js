import { availableParallelism } from "node:os";

/** @type {import("jest").Config} */
export default {
  // Tests of servers and browsers wait for these half of the time. Jest takes "150%" for 150.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  // Modules of one file of tests are never freed, nor are its AsyncLocalStorages, each of which
  // slows every promise on Node 20.
  workerIdleMemoryLimit: "500MB",
  testSequencer: "<rootDir>/tests/support/long-first.js",
  testEnvironment: "node",
  // A limit for what hangs, not for what is slow: the machine may be busy with something else.
  testTimeout: 300_000,
  testMatch: ["<rootDir>/tests/**/*.test.ts"],
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
