/**
 * The floors of the layout, ground floor first. A file may import from its own room and from the floors below it; rooms of one floor
 * leave each other alone, but for the ground floor and the pairs named below.
 */
const ENTRY_POINTS = "src/(?!assembly)[^/]+\\.ts";
const FLOORS = [
  ["src/state/", "src/text/", "src/web/", "src/config/", "src/observability/"],
  ["src/retrieval/", "src/grading/"],
  ["src/answering/"],
  ["src/tools/", "src/reasoning/", "src/ingest/"],
  ["src/nodes/"],
  ["src/graph/"],
  ["src/assembly"],
  ["src/cli/", "src/server/", ENTRY_POINTS],
];

/** The Reasoner port speaks of tools and strategies; the command line and the server start from what the package exports. */
const NEIGHBOURS = [
  ["src/reasoning/", "src/tools/"],
  ["src/cli/", ENTRY_POINTS],
  ["src/server/", ENTRY_POINTS],
];

const anyOf = (rooms) => `^(?:${rooms.join("|")})`;
const mayUse = (room, other) => NEIGHBOURS.some(([from, to]) => from === room && to === other);

const upwards = FLOORS.slice(0, -1).map((rooms, floor) => ({
  name: `floor-${floor}-uses-only-what-stands-below`,
  comment: "An import upwards: move the shared part down, or hand it in as an argument.",
  severity: "error",
  from: { path: anyOf(rooms) },
  to: { path: anyOf(FLOORS.slice(floor + 1).flat()) },
}));

const sideways = FLOORS.slice(1).flatMap((rooms) =>
  rooms.map((room) => ({
    name: `${room === ENTRY_POINTS ? "the-entry-point" : room}-leaves-its-neighbours-alone`,
    comment: "Rooms of one floor do not use each other.",
    severity: "error",
    from: { path: anyOf([room]) },
    to: { path: anyOf(rooms.filter((other) => other !== room && !mayUse(room, other)).concat("src/no-such-room/")) },
  })),
);

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...upwards,
    ...sideways,
    {
      name: "no-circles",
      comment: "Two files that need each other are one file, or three.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "nothing-missing",
      comment: "An import that leads nowhere.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "^(?:@huggingface/transformers|@langchain/community)" },
    },
    {
      name: "declared-dependencies-only",
      comment: "The package must bring what it uses, or ask the project for it: devDependencies are not installed with it.",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg"], dependencyTypesNot: ["type-only", "npm-peer"] },
    },
    { name: "no-tests-in-the-package", severity: "error", from: { path: "^src/" }, to: { path: "^(?:tests|evals|bench)/" } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".json"],
    },
  },
};
