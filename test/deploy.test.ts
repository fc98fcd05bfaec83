import { readFileSync } from "node:fs";
import { SETTINGS } from "@swarm/cli";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { parseCommandLine } from "../packages/cli/src/parse-command-line.ts";

type Container = { image: string; command: string[]; env: string[] };
type Service = { image: string; command?: string[]; environment?: Record<string, string> };
type Manifest = {
  apiVersion?: string;
  kind?: string;
  metadata?: { name?: string };
  spec?: { template?: { spec?: { containers?: { image: string; args: string[] }[] } } };
};

const textOf = (name: string) => readFileSync(new URL(`../docs/deploy/${name}`, import.meta.url), "utf8");
const compose = parse(textOf("compose.yaml"), { merge: true }) as { services: Record<string, Service> };
const manifests = parseAllDocuments(textOf("kubernetes.yaml")).map((document) => {
  expect(document.errors).toEqual([]);
  return document.toJS() as Manifest;
});

const services = Object.values(compose.services).map(
  ({ image, command = [], environment = {} }): Container => ({ image, command, env: Object.keys(environment) }),
);
const pods = manifests.flatMap(({ spec }) =>
  (spec?.template?.spec?.containers ?? []).map(({ image, args }): Container => ({ image, command: args, env: [] })),
);
const ours = [...services, ...pods].filter(({ command }) => command[0] === "swarm");

/** What a variable stands for, in a form that the command can check. */
const filledIn = (argument: string) =>
  argument.replace("$(REDIS_URL)", "redis://redis:6379").replace(/\$\{\w+:\?\}/g, "secret");

describe("the examples of deployments", () => {
  test("have workers and a batch each", () => {
    expect(ours.map(({ command }) => command[1]).sort()).toEqual(["batch", "batch", "worker", "worker"]);
  });

  test.each(ours.map(({ command }) => [command[1], command] as const))("swarm %s takes %j", (name, command) => {
    const call = parseCommandLine(command.slice(1).map(filledIn));
    expect(call).toMatchObject({ command: name });
    const options: Record<string, unknown> = "options" in call ? call.options : {};
    for (const flag of ["redis", "gate-url"])
      if (options[flag] !== undefined) expect(URL.canParse(String(options[flag]))).toBe(true);
  });

  test("a batch and its workers share a store and a queue", () => {
    const flag = (command: string[], ...names: string[]) =>
      command.find((argument) => names.some((name) => argument.startsWith(`--${name}=`)))?.replace(/^[^=]+=/, "");
    for (const side of [services, pods]) {
      const [worker, batch] = ["worker", "batch"].map(
        (name) => side.find(({ command }) => command[1] === name)!.command,
      );
      expect(flag(batch!, "shared")).toBe(flag(worker!, "shared"));
      expect(flag(batch!, "executor-url")).toBe(flag(worker!, "redis"));
      expect(flag(batch!, "executor")).toBe(flag(worker!, "by"));
    }
  });

  test("set only variables that are read: settings, and those of AWS's own client", () => {
    const known = new Set(Object.values(SETTINGS).map(({ variable }) => variable));
    const variables = ours.flatMap(({ env }) => env);
    expect(variables).toContain("ANTHROPIC_API_KEY");
    for (const variable of variables)
      expect(variable).toSatisfy((name: string) => known.has(name) || /^AWS_/.test(name));
  });

  test("are of kinds and versions that go together", () => {
    expect(manifests.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, typeof metadata?.name])).toEqual([
      ["apps/v1", "Deployment", "string"],
      ["v1", "Service", "string"],
      ["v1", "PersistentVolumeClaim", "string"],
      ["batch/v1", "Job", "string"],
    ]);
  });

  test.each(["compose.yaml", "kubernetes.yaml", "README.md"])("%s says that nobody ran it", (name) => {
    expect(textOf(name)).toMatch(/never run by us/i);
  });
});
