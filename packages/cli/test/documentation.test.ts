import { readFileSync } from "node:fs";
import { scripted } from "@swarm/core/testing";
import { PROVIDERS } from "@swarm/llm/models";
import { afterEach, describe, expect, test } from "vitest";
import { COMMANDS, type Command, EXIT_CODES, SETTINGS } from "../src/index.ts";
import { LOG_EVENTS } from "../src/log/log-records.ts";
import { CONFIG_FILES } from "../src/settings/config-file.ts";
import { loadSettings } from "../src/settings/load-settings.ts";
import { valuesInWords } from "../src/settings/values.ts";
import { rolesOf, TEAMS } from "../src/teams/teams.ts";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

const page = (name: string) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8");
const DOCS = page("cli");
const commands = Object.entries(COMMANDS) as [string, Command][];

/** The text of the section with this heading. */
function section(heading: string): string {
  const [, text = ""] = DOCS.split(`\n## ${heading}\n`);
  return text.split("\n## ")[0]!;
}

/** The cells of each row of the first table in a text, without its head. */
function rowsOf(text: string): string[][] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith("|"));
  const length = lines.slice(start).findIndex((line) => !line.startsWith("|"));
  return lines.slice(start + 2, start + length).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|")),
  );
}

describe.each(commands)("swarm %s", (name, command) => {
  test("has each flag, with its default and its help, in docs/cli.md", () => {
    const documented = rowsOf(section(`swarm ${name}`));
    const expected = command.flags.map(({ name, value, default: otherwise, help }) => [
      `\`--${name}${value === null ? "" : ` ${value}`}\``,
      otherwise === null ? "" : `\`${otherwise}\``,
      help,
    ]);
    expect(documented).toEqual(expected);
  });

  test("is introduced in docs/cli.md by its summary", () => {
    expect(section(`swarm ${name}`)).toContain(command.summary);
    if (command.argument) expect(section(`swarm ${name}`)).toContain(command.argument.help);
  });

  test("says in --help what the table says", async () => {
    const { code, stdout, stderr } = await cli([name, "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(command.summary);
    for (const { name, help, default: otherwise } of command.flags) {
      expect(stdout).toMatch(new RegExp(`^ {2}--${name}\\b`, "m"));
      expect(stdout).toContain(otherwise === null ? help : `${help} Default: ${otherwise}.`);
    }
  });
});

describe("swarm", () => {
  test("--help lists the commands and the exit codes", async () => {
    const { stdout } = await cli(["--help"]);
    for (const [name, { summary }] of commands) expect(stdout).toMatch(new RegExp(`^ {2}${name} +${summary}$`, "m"));
    for (const { code, when } of EXIT_CODES) expect(stdout).toContain(`${String(code).padEnd(3)}  ${when}`);
  });

  test("--version is the package's", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(await cli(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("exit codes are those of docs/cli.md", () => {
    expect(rowsOf(section("Exit codes"))).toEqual(EXIT_CODES.map(({ code, when }) => [`${code}`, when]));
  });

  test("providers are those of docs/cli.md", () => {
    const expected = PROVIDERS.map(({ name, keyVariables, local, baseURL, baseURLVariable }) => [
      `\`${name}\``,
      keyVariables.map((variable) => `\`${variable}\`${local ? " (optional)" : ""}`).join(" or ") || "none",
      `\`${baseURL}\``,
      baseURLVariable === null ? "" : `\`${baseURLVariable}\``,
    ]);
    expect(rowsOf(section("Models"))).toEqual(expected);
  });

  test("tasks lists the built-in tasks, and the demos apart from them", async () => {
    const { stdout } = await cli(["tasks"]);
    expect(stdout).toMatch(/^binary-search-tree +python +2 +wrong-value +A binary search tree$/m);
    expect(stdout).toMatch(/^demo-rate-limiter\.never +No repair helps/m);
    const { tasks, demos } = JSON.parse((await cli(["tasks", "--json"])).stdout);
    expect(tasks).toContainEqual(expect.objectContaining({ id: "http-api" }));
    expect(demos).toContainEqual(expect.objectContaining({ id: "demo-api.never", of: "demo-api", story: "never" }));
    expect(stdout.trim().split("\n")).toHaveLength(tasks.length + demos.length + 3);
  });
});

describe("docs/settings.md", () => {
  const DOCS = page("settings");

  test("has each setting, with its key, its values, its default and its help", () => {
    const expected = Object.entries(SETTINGS).map(([key, { variable, kind, default: otherwise, help }]) => [
      `\`${variable}\``,
      `\`${key}\``,
      valuesInWords(kind),
      otherwise === null ? "" : `\`${otherwise}\``,
      help,
    ]);
    expect(rowsOf(DOCS)).toEqual(expected);
  });

  test("has the roles of each team, with what they are without a setting", async () => {
    const settings = await loadSettings({}, { cwd: tempFolder(), env: {} });
    const expected = Object.values(TEAMS).flatMap((entry) => {
      const { roles } = entry.make({ model: scripted("test:model", {}), effort: {}, settings });
      return rolesOf(entry).map((role) => {
        const { effort = "", temperature = "" } = roles[role]!;
        return [`\`${entry.name}\``, role, `\`${entry.models[role]}\``, effort, `${temperature}`];
      });
    });
    expect(rowsOf(DOCS.split("\n## Roles\n")[1]!)).toEqual(expected);
  });

  test("names the configuration files", () => {
    for (const name of CONFIG_FILES) expect(DOCS).toContain(`\`${name}\``);
  });
});

test("docs/cli.md names every record of the structured log", () => {
  const documented = rowsOf(section("Structured logs")).flatMap(([names = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(documented.sort()).toEqual(Object.keys(LOG_EVENTS).sort());
});
