import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeswarm } from "@swarm/agents";
import * as core from "@swarm/core";
import {
  EVENT_KINDS,
  GUARD_DEFAULTS,
  LogHeaderSchema,
  MASKS,
  OUTCOMES,
  PayloadSchema,
  RunEventSchema,
} from "@swarm/core";
import { scripted } from "@swarm/core/testing";
import { expect, test } from "vitest";
import { root } from "./workspace.ts";

const page = (path: string) => readFileSync(join(root, path), "utf8");

/** The names in the first column of the table below a heading or a line of text. */
function firstColumn(path: string, after: string): string[] {
  const text = page(path);
  const start = text.indexOf(after);
  if (start === -1) throw new Error(`${path} has no "${after}"`);
  const table = /(?:^\|.*\|\n)+/m.exec(text.slice(start))?.[0] ?? "";
  const cells = table
    .split("\n")
    .slice(2)
    .map((row) => row.split("|")[1] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ""));
}

/** The field names of an object schema. */
const fieldsOf = (schema: unknown) =>
  Object.keys((schema as { shape: object }).shape).filter((name) => name !== "crc32");

test("the trajectory format names every field, kind and payload", () => {
  const path = "docs/trajectory-format.md";
  expect(firstColumn(path, "## The header").sort()).toEqual(fieldsOf(LogHeaderSchema).sort());
  expect(firstColumn(path, "## Events").sort()).toEqual(fieldsOf(RunEventSchema).sort());
  const types = (PayloadSchema as unknown as { options: { shape: { type: { value: string } } }[] }).options;
  expect(firstColumn(path, "the payload says what happened").sort()).toEqual(
    types.map(({ shape }) => shape.type.value).sort(),
  );
  const kinds = /The kinds are (.*?)\. /s.exec(page(path))?.[1] ?? "";
  expect([...kinds.matchAll(/`(\w+)`/g)].map(([, kind]) => kind).sort()).toEqual([...EVENT_KINDS].sort());
});

test("the concepts name every outcome", () => {
  expect(firstColumn("docs/concepts.md", "| outcome").sort()).toEqual([...OUTCOMES].sort());
});

test("the decision on masks has each mask with its reason", () => {
  const text = page("docs/decisions/0005-masks.md");
  const rows = [...text.matchAll(/^\| (\w+) +\|.*\| (.+?) +\|$/gm)].slice(1).map(([, name, why]) => ({ name, why }));
  expect(rows.map(({ name }) => name)).toEqual(MASKS.map(({ name }) => name));
});

test("core's README has every error class with its codes, and the guard's defaults", () => {
  const text = page("packages/core/README.md");
  const classes = Object.keys(core).filter((name) => name.endsWith("Error") && name !== "SwarmError");
  for (const name of classes) expect(text).toContain(`\`${name}\``);
  const source = page("packages/core/src/errors.ts");
  const codes = new Set(
    [...source.matchAll(/"([A-Z]+(?:_[A-Z]+)+|FENCED|DIVERGED|BUDGET)"/g)].map(([, code]) => code ?? ""),
  );
  for (const code of codes) expect(text).toContain(`\`${code}\``);
  const { retries, baseMs, maxMs, failureThreshold, coolDownMs } = GUARD_DEFAULTS;
  const defaults = text.slice(text.indexOf("The guard's defaults"));
  expect(defaults).toContain(`${retries} retries`);
  expect(defaults).toContain(`from ${baseMs / 1000} s up to ${maxMs / 1000} s`);
  expect(defaults.replaceAll("\n", " ")).toContain(
    `after ${failureThreshold} consecutive failures for ${coolDownMs / 1000} s`,
  );
});

test("each test command of CONTRIBUTING finds tests", () => {
  const filters = [...page("CONTRIBUTING.md").matchAll(/`npm test -- ([^-`][^`]*)`/g)].map(
    ([, filter]) => filter ?? "",
  );
  const tests = readdirSync(join(root, "packages"), { recursive: true }).filter((path) =>
    `${path}`.endsWith(".test.ts"),
  );
  expect(filters).not.toEqual([]);
  for (const filter of filters) expect(tests.filter((path) => path.includes(filter))).not.toEqual([]);
});

test("README packs the packages with the pnpm of this repository", () => {
  const { packageManager } = JSON.parse(page("package.json"));
  expect(page("README.md")).toContain(`npx -y ${packageManager} -r --filter './packages/*' pack `);
});

test("the README of the agents has codeswarm's defaults", () => {
  const { config } = codeswarm({ model: scripted("a:b", {}) });
  const text = page("packages/agents/README.md").replaceAll("\n", " ");
  const calls = config["calls"] as Record<string, number>;
  expect(text).toContain(
    `(model calls of a role in one attempt: ${Object.entries(calls)
      .map(([role, count]) => `${role} ${count}`)
      .join(", ")})`,
  );
  expect(text).toContain(`\`maxRetries\` (${config["maxRetries"]}) times`);
  expect(text).toContain(`orders 1 to ${config["maxSteps"]} steps`);
});
