import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Role, Team } from "./contracts/team.ts";
import type { Tool } from "./contracts/tool.ts";
import { defineTeam } from "./define-team.ts";
import { scripted } from "./testing/scripted.ts";

const toolNamed = (name: string): Tool<string> => ({
  name,
  description: "",
  input: z.string(),
  effect: "none",
  idempotent: true,
  call: async () => ({ ok: true, output: "" }),
});
const roleWith = (...names: string[]): Role => ({
  models: [scripted("test:model", {})],
  system: "",
  tools: names.map(toolNamed),
});
const program = { name: "work", input: z.null(), output: z.null(), attempt: async () => ({ ok: true, output: null }) };
const unused = () => {
  throw new Error("a default was made");
};
const team = (changes: Partial<Team>): Team => ({
  specificationVersion: "v1",
  name: "test",
  version: "1",
  config: {},
  roles: {},
  programs: [],
  workflow: async () => null,
  defaults: { sandbox: unused, tests: unused, oracle: unused },
  ...changes,
});

describe("defineTeam", () => {
  it("gives back a team that is in order, and makes none of its defaults", () => {
    const good = team({ roles: { a: roleWith("read", "write"), b: roleWith("read") }, programs: [program as never] });
    expect(defineTeam(good)).toBe(good);
  });

  it.each([
    [
      "two tools of one name",
      { roles: { coder: roleWith("read", "read") } },
      /^team\.roles\.coder\.tools: "read" is there twice/,
    ],
    ["a tool without a name", { roles: { coder: roleWith("") } }, /^team\.roles\.coder\.tools: "" is no tool name/],
    ["a tool name that providers refuse", { roles: { a: roleWith("read file") } }, /"read file" is no tool name/],
    ["two programs of one name", { programs: [program, program] as never }, /^team\.programs: "work" is there twice/],
  ])("refuses %s", (_, changes, message) => {
    expect(() => defineTeam(team(changes))).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
    expect(() => defineTeam(team(changes))).toThrow(message);
  });
});
