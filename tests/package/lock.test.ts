/** What a clone has without development tools. */
import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
const { dependencies, peerDependencies, peerDependenciesMeta } = packages[""];

it("npm ci --omit=dev installs what the agent needs to run, peers included", () => {
  const needed = [
    ...Object.keys(dependencies),
    ...Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional),
  ];
  expect(needed).toEqual(expect.arrayContaining(["@langchain/core", "@langchain/langgraph"]));
  expect(needed.filter((name) => packages[`node_modules/${name}`]?.dev !== undefined)).toEqual([]);
});
