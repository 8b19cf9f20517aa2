/**
 * The floors of the layout, ground floor first. A file may import from its own room and from the
 * floors below it; rooms of one floor leave each other alone.
 */
const ENTRY_POINTS = "src/(?!assembly)[^/]+\\.ts";
const FLOORS = [
  ["src/support/"],
  ["src/text/"],
  ["src/settings/"],
  ["src/state/"],
  ["src/observability/", "src/formats/"],
  ["src/reader/", "src/web/"],
  ["src/retrieval/", "src/grading/"],
  ["src/answering/"],
  ["src/tools/", "src/ingest/"],
  ["src/reasoning/"],
  ["src/model/"],
  ["src/nodes/"],
  ["src/graph/"],
  ["src/assembly"],
  ["src/langchain/"],
  [ENTRY_POINTS, "src/entries/"],
  ["src/server/"],
  ["src/cli/"],
];

const anyOf = (rooms) => `^(?:${rooms.join("|")})`;

const upwards = FLOORS.slice(0, -1).map((rooms, floor) => ({
  name: `floor-${floor}-uses-only-what-stands-below`,
  comment: "An import upwards: move the shared part down, or hand it in as an argument.",
  severity: "error",
  from: { path: anyOf(rooms) },
  to: { path: anyOf(FLOORS.slice(floor + 1).flat()) },
}));

const sideways = FLOORS.filter((rooms) => rooms.length > 1).flatMap((rooms) =>
  rooms.map((room) => ({
    name: `${room}-leaves-its-neighbors-alone`,
    comment: "Rooms of one floor do not use each other.",
    severity: "error",
    from: { path: anyOf([room]) },
    to: { path: anyOf(rooms.filter((other) => other !== room)) },
  })),
);

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...upwards,
    ...sideways,
    {
      name: "a-port-is-the-only-door",
      comment:
        "Evidence is read through the Reader that was handed in, words through the Reasoner.",
      severity: "error",
      from: { path: "^src/(?:nodes|graph|answering|grading|tools)/" },
      to: {
        path: "^src/(?:reader/(?!reader\\.ts)|reasoning/embedded/|model/|retrieval/[^/]+/)",
      },
    },
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
      to: { couldNotResolve: true, pathNot: "^(?:onnxruntime-node|langchain|@langchain)" },
    },
    {
      name: "declared-dependencies-only",
      comment:
        "The package must bring what it uses, or ask the project for it: devDependencies are not installed with it. The build copies what it needs of onnxruntime-web. @langchain/community is checked for on use: as a peer, its old optional peers would break `npm install`.",
      severity: "error",
      from: { path: "^src/" },
      to: {
        pathNot: "^node_modules/(?:onnxruntime-web|@langchain/community)/",
        dependencyTypes: ["npm-dev", "npm-no-pkg"],
        dependencyTypesNot: ["type-only", "npm-peer"],
      },
    },
    {
      name: "no-tests-in-the-package",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(?:tests|evals|bench)/" },
    },
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
