/** The image and the compose files, as far as their text shows. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { parse, type SchemaOptions } from "yaml";
import { z } from "zod";
import { ENTRIES } from "../../src/settings/table.js";
import { PROJECT } from "../support/run-command.js";

const read = (file: string): string => readFileSync(join(PROJECT, file), "utf8");
const TAGS: SchemaOptions = {
  customTags: [{ tag: "!reset", collection: "seq", resolve: () => [] }],
};
const Strings = z.union([z.array(z.string()), z.record(z.string(), z.string())]);
const Compose = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      image: z.string().optional(),
      build: z.string().optional(),
      healthcheck: z
        .object({ test: z.array(z.string()).min(2) })
        .loose()
        .optional(),
      depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
      environment: Strings.default([]),
      volumes: z.array(z.string()).default([]),
    }),
  ),
  volumes: z.record(z.string(), z.unknown()).default({}),
});
const Balancer = z
  .object({ configs: z.object({ balancer: z.object({ content: z.string() }) }) })
  .transform(({ configs }) => configs.balancer);
const composed = (file: string) => Compose.parse(parse(read(file), TAGS));
const one = composed("docker-compose.yml");
const three = composed("docker-compose.three.yml");

it("the image copies what is there, and asks for versions that the package allows", () => {
  const dockerfile = read("Dockerfile");
  for (const [, sources = ""] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm))
    for (const source of sources.split(" "))
      if (!source.endsWith("*")) expect(existsSync(join(PROJECT, source))).toBe(true);
  const { devDependencies, peerDependencies } = JSON.parse(read("package.json"));
  const installed = [...dockerfile.matchAll(/(@?[a-z][\w./-]*)@([~^][\d.]+)/g)];
  expect(installed.length).toBeGreaterThan(5);
  for (const [, name = "", range = ""] of installed) {
    expect(Object.keys(peerDependencies)).toContain(name);
    const tested = devDependencies[name] ?? peerDependencies[name];
    expect(tested).toContain(range.slice(1));
  }
});

it("the composed services wait for checks that exist, on volumes and variables that are known", () => {
  const known = ENTRIES.map(({ env }) => env);
  const services = { ...one.services };
  for (const [name, { environment, volumes, depends_on: needs }] of [
    ...Object.entries(one.services),
    ...Object.entries(three.services),
  ]) {
    for (const needed of Object.keys(needs)) {
      // The image of the agent brings its check.
      const isChecked = needed === "agent" || services[needed]?.healthcheck !== undefined;
      expect([name, needed, isChecked]).toEqual([name, needed, true]);
    }
    const variables = Array.isArray(environment) ? environment : Object.keys(environment);
    if (name === "agent") for (const variable of variables) expect(known).toContain(variable);
    for (const volume of volumes.filter((each) => !each.startsWith(".")))
      expect(Object.keys(one.volumes)).toContain(volume.split(":")[0]);
  }
  expect(read("Dockerfile")).toMatch(/^HEALTHCHECK /m);
});

it("the agent waits for all that it is given an address of, and Postgres is asked where it listens", () => {
  const { agent, ...others } = one.services;
  expect(Object.keys(agent?.depends_on ?? {})).toEqual(Object.keys(others));
  // While its image makes the database, Postgres answers on its socket only.
  expect(others["postgres"]?.healthcheck?.test).toContain("127.0.0.1");
});

it("the balancer asks again where the servers are, and does not wait for one that is silent", () => {
  const { content } = Balancer.parse(parse(read("docker-compose.three.yml"), TAGS));
  expect(content).toMatch(/^resolver 127\.0\.0\.11 valid=\d+s;$/m);
  expect(content).toMatch(/^ *server agent:2024 resolve fail_timeout=\d+s;$/m);
  expect(content).toMatch(/^ *proxy_connect_timeout 1s;$/m);
});

it("the image keeps no archive of the package, and documents stay out of its build", () => {
  const [, last = ""] = read("Dockerfile").split(/^FROM .+ AS build$[^]*?^FROM /m);
  expect(last).not.toMatch(/\.tgz/);
  expect(read(".dockerignore").split("\n")).toEqual(expect.arrayContaining([".env", "documents"]));
});
